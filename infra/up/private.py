"""Files that only their owner reads."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile

PRIVATE = "SOLFLIS_PRIVATE"
"""Names a file with settings (JSON) that the environment does not show; those of the environment count first."""


def write_private(file: Path, text: str) -> None:
    """Write a file that is never readable by others, not even for a moment."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with NamedTemporaryFile("w", dir=file.parent, prefix=f"{file.name}.", delete=False) as fresh:  # mode 0600
        fresh.write(text)
        fresh.flush()
        os.fsync(fresh.fileno())
    Path(fresh.name).rename(file)


def with_private_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment with the settings of its private file, where it names one that is there."""
    file = Path(environment.get(PRIVATE, ""))
    hidden: dict[str, str] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return {**hidden, **environment}
