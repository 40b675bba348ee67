"""Jobs run by several processes, none of which outlives the one that asked."""

import ctypes
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any, TypeVar

Report = Callable[[str], None]
_PR_SET_PDEATHSIG = 1

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
    processes = min(processes or os.cpu_count() or 1, len(waiting))
    if processes <= 1:
        for number, job in enumerate(waiting, 1):
            report(f"{number}/{len(waiting)}: {function(job)}")
        return
    # not fork: the caller may have threads
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_obey)
    try:
        running = [pool.submit(function, job) for job in waiting]
        for number, future in enumerate(as_completed(running), 1):
            report(f"{number}/{len(waiting)}: {future.result()}")
    except BaseException:
        # Python before 3.14 has no other way to end workers in the middle of a job; what they write is atomic.
        workers = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.terminate()
        raise
    pool.shutdown()


def _obey() -> None:
    """Leave Ctrl-C to the parent, and end with it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
