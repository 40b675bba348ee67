"""Files that only their owner reads."""

import os
from pathlib import Path
from tempfile import NamedTemporaryFile


def write_private(file: Path, text: str) -> None:
    """Write a file that is never readable by others, not even for a moment."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with NamedTemporaryFile("w", dir=file.parent, prefix=f"{file.name}.", delete=False) as fresh:  # mode 0600
        fresh.write(text)
        fresh.flush()
        os.fsync(fresh.fileno())
    Path(fresh.name).rename(file)
