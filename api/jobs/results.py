"""Results of jobs: files by job and run, in a folder or a bucket."""

import logging
from collections.abc import Mapping
from pathlib import Path

from obstore.exceptions import BaseError

from api.core import problems
from tiles.store import open_store

log = logging.getLogger("solflis.api")

SIMULATED = "_SIMULATED"
"""Stands in the names of files with invented data."""


class Results:
    """Files of results; its methods block: call them in a thread.

    A run writes below a name of its own, `<job>/<run>`, and is the result when the job's row says so: what a killed run
    left is never read.

    Parameters
    ----------
    url : str
        A folder or `s3://bucket/prefix`; other processes open the same results by it.
    """

    def __init__(self, url: str) -> None:
        if "://" not in url:  # what was asked for is nobody's business
            Path(url).mkdir(mode=0o700, parents=True, exist_ok=True)
        self._store = open_store(url)

    def put(self, result: str, files: Mapping[str, bytes]) -> None:
        """Write the files of a run; return when they would outlive a power cut."""
        for name, content in files.items():
            self._store.put(f"{result}/{name}", content)
        self._store.settle(f"{result}/{name}" for name in files)

    def get(self, result: str, name: str) -> bytes:
        """Return a file.

        Raises
        ------
        NotFound
        ApiError
            `NO_JOBS`: the folder or the bucket cannot be read.
        """
        try:
            return self._store.get(f"{result}/{name}")
        except BaseError as error:
            log.error("results cannot be read: %s", str(error).partition("\n")[0])
            raise problems.NO_JOBS() from error

    def delete(self, job_or_result: str) -> None:
        """Remove a run's files, or a job's; nothing happens where there are none."""
        self._store.delete(job_or_result)
