"""A run of a job, in a process of the worker: what the job's function gets, and how it ends."""

import importlib
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from api.core.errors import ApiError
from api.core.settings import Settings
from api.jobs.queue import reason_of
from api.jobs.results import Results
from api.observing import logs, request_id
from tiles.store import write_atomically

Outcome = tuple[Literal["done", "failed", "later"], str | float | None]
"""End of a run, with the reason of `failed` or the delay of `later`, s."""


class Later(Exception):
    """The run cannot be done now; the job is queued again after a delay, s."""

    def __init__(self, delay_s: float) -> None:
        super().__init__(delay_s)
        self.delay_s = delay_s


@dataclass(frozen=True)
class Run:
    """Input of a job's function, and where its output goes.

    Parameters
    ----------
    request_id : str
        Of whoever asked.
    runs : int
        Counted from 1.
    input : bytes
    settings : Settings
    result : str
        Where its files belong.
    progress_file : Path
        In which it says how far it is.
    """

    request_id: str
    runs: int
    input: bytes
    settings: Settings
    result: str
    progress_file: Path

    @property
    def job_id(self) -> str:
        """The job that it is a run of."""
        return self.result.partition("/")[0]

    def put(self, files: Mapping[str, bytes]) -> None:
        """Write files of the result, by name."""
        Results(self.settings.results_address).put(self.result, files)

    def report_progress(self, progress: float, phrase: str) -> None:
        """Say how far the run is, 0 to 1, and what it does; where that cannot be written, the run goes on."""
        with suppress(OSError):
            write_atomically(self.progress_file, f"{progress:.3f} {phrase}".encode(), durable=False)


def call(function: str, run: Run) -> Outcome:
    """Call the function of a job.

    Parameters
    ----------
    function : str
        `package.module:name`. It raises `ApiError` where the job cannot be done at all, `Later` where not now.
    run : Run
    """
    _begin_to_log()
    request_id.current.set(run.request_id)
    module, _, name = function.partition(":")
    try:
        getattr(importlib.import_module(module), name)(run)
    except ApiError as error:
        return "failed", reason_of(error)
    except Later as later:
        return "later", later.delay_s
    return "done", None


@cache
def _begin_to_log() -> None:
    logs.install(sys.stderr)


def load(functions: Sequence[str]) -> None:
    """Import the functions of jobs, so that the first job need not wait for that."""
    for function in functions:
        importlib.import_module(function.partition(":")[0])
