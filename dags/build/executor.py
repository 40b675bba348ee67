"""Where blocks are made: processes of this machine, or a Dask cluster. Chosen in `_pool` and nowhere else."""

import ctypes
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar
from urllib.parse import urlsplit

Report = Callable[[str], None]
J = TypeVar("J")
MOST_LOSSES = 3
"""So often workers may be lost in one build before it ends: a block that kills its worker would kill every one."""
_PR_SET_PDEATHSIG = 1
_WORTH_TELLING_S = 60
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_CONNECT_S = 30


class WorkersLost(RuntimeError):
    """Workers ended in the middle of their work, too often to go on."""


@dataclass(frozen=True)
class ExecutorSettings:
    """Where blocks are made.

    Parameters
    ----------
    processes : int or None
        Processes of this machine; None: as many as it has CPUs for us.
    dask : str
        Address of a Dask scheduler, tcp:// on loopback or tls://; empty: processes of this machine.
    ca, cert, key : str
        Files of the certificates that tls:// needs.
    """

    processes: int | None = None
    dask: str = ""
    ca: str = ""
    cert: str = ""
    key: str = ""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "ExecutorSettings":
        """Read SOLFLIS_DASK, SOLFLIS_DASK_CA, SOLFLIS_DASK_CERT and SOLFLIS_DASK_KEY.

        Raises
        ------
        ValueError
            A scheduler beyond this machine is to be used without TLS, which would let anybody run code.
        """

        def read(name: str) -> str:
            return environment.get(f"SOLFLIS_DASK{name}", "").strip()

        settings = cls(dask=read(""), ca=read("_CA"), cert=read("_CERT"), key=read("_KEY"))
        if settings.dask:
            require_safe(settings.dask)
        return settings

    def security(self) -> Any:
        """Return the certificates as `distributed.Security`, or None where TLS is not used."""
        if not self.dask.startswith("tls://"):
            return None
        from distributed import Security

        files = {"tls_ca_file": self.ca, "tls_client_cert": self.cert, "tls_client_key": self.key}
        return Security(require_encryption=True, **files)


def require_safe(address: str) -> None:
    """Refuse a scheduler that runs anybody's code.

    Raises
    ------
    ValueError
        The address is neither tls:// nor tcp:// on loopback.
    """
    parts = urlsplit(address)
    if parts.scheme == "tls" or (parts.scheme == "tcp" and parts.hostname in _LOOPBACK):
        return
    raise ValueError(
        f"'{address}': a Dask scheduler without TLS runs code of anybody who reaches it. Use tcp:// on 127.0.0.1, or "
        "tls://host:8786 with SOLFLIS_DASK_CA, SOLFLIS_DASK_CERT and SOLFLIS_DASK_KEY"
    )


def cpus() -> int:
    """Return how many CPUs this process may use: by its affinity, and by the quota of its container."""
    from dask.system import cpu_count  # 0.2 s

    return int(cpu_count())


def run(function: Callable[[J], str], jobs: Iterable[J], report: Report, settings: ExecutorSettings) -> None:
    """Run a function over jobs, several at a time; the first that fails ends it, and so does Ctrl-C.

    A job whose worker was lost is run again, so it must not matter when it is run twice.

    Parameters
    ----------
    function : callable
        Of a module, so that a worker finds it; returns the line that is reported when a job is done.
    jobs : iterable
        Picklable.
    report : callable
        Takes one line of progress.
    settings : ExecutorSettings

    Raises
    ------
    WorkersLost
    """
    waiting = dict(enumerate(jobs))
    progress = _Progress(len(waiting), report)
    if not settings.dask and min(settings.processes or cpus(), len(waiting)) <= 1:
        for job in waiting.values():
            progress.done(function(job))
        return
    for _ in range(MOST_LOSSES):
        lost = _run_once(function, waiting, progress, settings)
        if lost is None:
            return
        report(f"a worker was lost ({lost}): its work is done again")
    raise WorkersLost(f"workers were lost {MOST_LOSSES} times, {len(waiting)} jobs are left: is there memory enough?")


def _run_once(
    function: Callable[[J], str], waiting: dict[int, J], progress: "_Progress", settings: ExecutorSettings
) -> str | None:
    """Run what is waiting, and take out of it what is done; return why workers were lost, None where all is done."""
    with _pool(settings, len(waiting)) as (pool, losses):
        running = {pool.submit(function, job): number for number, job in waiting.items()}
        try:
            for future in as_completed(running):
                progress.done(future.result())
                del waiting[running[future]]
        except losses as error:
            return type(error).__name__
    return None


@contextmanager
def _pool(settings: ExecutorSettings, jobs: int) -> Iterator[tuple[Executor, tuple[type[Exception], ...]]]:
    """Give the executor, and the errors that mean that a worker was lost."""
    if settings.dask:
        from distributed import Client, KilledWorker

        with Client(settings.dask, security=settings.security(), timeout=_CONNECT_S, set_as_default=False) as client:
            # not pure: the same block made again must not be answered from before
            pool = client.get_executor(pure=False)
            try:
                yield pool, (KilledWorker,)
            finally:
                pool.shutdown(wait=False)  # all is done, or what is left shall not be begun
        return
    # not fork: the caller may have threads
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(settings.processes or cpus(), jobs), mp_context=context, initializer=_obey)
    try:
        yield pool, (BrokenExecutor,)
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

    def done(self, result: str) -> None:
        self._done += 1
        left = (monotonic() - self._begun) / self._done * (self._jobs - self._done)
        ahead = f"; about {left / 60:.0f} min left" if left >= _WORTH_TELLING_S else ""
        self._report(f"{self._done}/{self._jobs}: {result}{ahead}")


def _obey() -> None:
    """Leave Ctrl-C to the parent, and end with it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
