"""Files that only their owner reads."""

import os
from pathlib import Path


def write_private(file: Path, text: str) -> None:
    """Write a file that is never readable by others, not even for a moment."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = file.with_name(f"{file.name}.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as handle:
        handle.write(text)
        handle.flush()
        os.fsync(handle.fileno())
    fresh.rename(file)
