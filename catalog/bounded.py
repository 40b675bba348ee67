"""Folders of files that may go at any time: bounded in room and in age, and shared by processes."""

import os
import time
from contextlib import suppress
from pathlib import Path

# What a file takes on the disk is whole blocks: a million small ones are no small folder.
_BLOCK = 4096


def room(size: int) -> int:
    """Return the bytes that a file of a size takes."""
    return -(-max(size, 1) // _BLOCK) * _BLOCK


def trim(folder: Path, max_bytes: int, max_age_s: float) -> None:
    """Remove the files that are too old, and the oldest of what is too much.

    Parameters
    ----------
    folder : Path
        It may be absent; folders in it are left alone.
    max_bytes : int
        Of all files together, in whole blocks.
    max_age_s : float
        By the files' own times, s.

    Raises
    ------
    OSError
        The folder cannot be read, or a file not removed.
    """
    found: list[tuple[float, int, str]] = []
    with suppress(FileNotFoundError):  # no folder yet; or another process removes files too
        for entry in os.scandir(folder):
            with suppress(FileNotFoundError):
                if entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    found.append((status.st_mtime, room(status.st_size), entry.path))
    left, oldest = sum(size for _, size, _ in found), time.time() - max_age_s
    for modified, size, path in sorted(found):
        if left <= max_bytes and modified >= oldest:
            break
        Path(path).unlink(missing_ok=True)
        left -= size
