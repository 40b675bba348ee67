"""Jobs run by several processes, none of which outlives the one that asked."""

import ctypes
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from time import monotonic
from typing import Any, TypeVar

Report = Callable[[str], None]
_PR_SET_PDEATHSIG = 1
_WORTH_TELLING_S = 60

J = TypeVar("J")


def run(function: Callable[[J], Any], jobs: Iterable[J], report: Report, processes: int | None = None) -> None:
    """Run a function over jobs, several processes at a time; the first that fails ends it, and so does Ctrl-C.

    Parameters
    ----------
    function : callable
        Of a module, so that a process finds it; returns the line that is reported when a job is done.
    jobs : iterable
    report : callable
    processes : int, optional
        As many as there are cores, when absent. One runs here, without a pool.
    """
    waiting = list(jobs)
    progress = _Progress(len(waiting), report)
    processes = min(processes or os.cpu_count() or 1, len(waiting))
    if processes <= 1:
        for job in waiting:
            progress.done(function(job))
        return
    # not fork: the caller may have threads
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_obey)
    try:
        running = [pool.submit(function, job) for job in waiting]
        for future in as_completed(running):
            progress.done(future.result())
    except BaseException:
        # Python before 3.14 has no other way to end workers in the middle of a job; what they write is atomic.
        workers = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.terminate()
        raise
    pool.shutdown()


class _Progress:
    """Says after each job how many are done, and how long the others take if they are alike."""

    def __init__(self, jobs: int, report: Report) -> None:
        self._jobs, self._report = jobs, report
        self._done, self._begun = 0, monotonic()

    def done(self, result: Any) -> None:
        self._done += 1
        left = (monotonic() - self._begun) / self._done * (self._jobs - self._done)
        ahead = f"; about {left / 60:.0f} min left" if left >= _WORTH_TELLING_S else ""
        self._report(f"{self._done}/{self._jobs}: {result}{ahead}")


def _obey() -> None:
    """Leave Ctrl-C to the parent, and end with it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
