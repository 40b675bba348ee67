"""Removes what nobody reads any more: old versions, abandoned drafts, old logs."""

import time
from contextlib import suppress
from pathlib import Path

from catalog.gc import gc
from dags.build.context import BuildContext

_DAY_S = 86_400


def build(context: BuildContext) -> None:
    """Remove versions past their product's `keep`, drafts past the grace period, and logs older than `log_days`."""
    removed = gc(context.store, context.clock.now())
    context.report(f"{len(removed)} versions and drafts removed")
    if context.logs:
        logs = remove_logs(Path(context.logs), context.log_days)
        context.report(f"{logs} log files removed that nobody wrote to for {context.log_days} days")


def remove_logs(folder: Path, days: int) -> int:
    """Remove log files that nobody wrote to for some days, and the folders that this leaves empty; return how many.

    Logs of running components (`<name>.log` in the folder itself) stay: their writers hold them open.

    Parameters
    ----------
    folder : Path
    days : int
        In real time, as files have it, whatever the clock shows.
    """
    before, removed = time.time() - days * _DAY_S, 0
    for path in sorted(folder.rglob("*"), reverse=True):  # what is in a folder comes before the folder
        with suppress(OSError):  # written to, or removed by somebody else, since
            if path.is_dir() and not path.is_symlink():
                if path.stat().st_mtime < before:
                    path.rmdir()
            elif path.lstat().st_mtime < before and not (path.parent == folder and path.suffix == ".log"):
                path.unlink()
                removed += 1
    return removed
