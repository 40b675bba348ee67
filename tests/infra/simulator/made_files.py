"""A maker of files for tests of those that the simulator keeps: it notes what it made."""

import os
from datetime import datetime
from pathlib import Path


def make(path: Path, source: str, moment: datetime, fault: str = "") -> None:
    """Write a file that holds its name, or fail as `fault` says: `death` ends the process."""
    if fault == "death":
        os._exit(3)
    if fault:
        raise OSError(fault)
    with path.with_name("made.log").open("a") as log:
        log.write(f"{path.name} ")
    path.write_text(f"{source} {moment}")
