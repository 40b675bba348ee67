"""The worker: takes jobs, runs each in a process, renews its lease meanwhile. `solflis worker` runs it."""

import asyncio
import logging
import signal
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from api.access.secret import load_secret
from api.core import problems
from api.core.errors import ApiError
from api.core.executors import ProcessFailed, ProcessPool, background
from api.core.settings import Settings
from api.database.database import Database
from api.database.engine import address
from api.jobs.bell import LOOK_S, QUEUED, make_bell
from api.jobs.kinds import KINDS, Kind
from api.jobs.leases import Lease, Leases
from api.jobs.queue import reason_of
from api.jobs.results import Results
from api.jobs.run import Outcome, Run
from api.observing import request_id
from api.observing.metrics import Metrics

log = logging.getLogger("solflis.api")

RENEW_S = 1.0
LAPSES_S = 4.0
"""A lease that was not renewed for so long has run out: its worker was killed, hangs, or has lost the database."""

_TIDY_S = 60.0
_IDLE_S = 86_400.0


class Worker:
    """Runs jobs.

    Parameters
    ----------
    settings : Settings
        Of the API whose jobs they are.
    processes : int
        Jobs at once.
    kinds : mapping of str to Kind
    lapses_s : float
        After which a lease has run out, s.
    """

    def __init__(
        self,
        settings: Settings,
        processes: int = 1,
        kinds: Mapping[str, Kind] = KINDS,
        lapses_s: float = LAPSES_S,
    ) -> None:
        self._settings, self._kinds, self._lapses_s = settings, kinds, lapses_s
        url = address(settings.database, settings.state)
        self._database = Database(url, load_secret(settings.secret, settings.state))
        self._bell = make_bell(url, self._database.engine, settings.state)
        self._leases = Leases(self._database, self._bell, settings.clock, kinds)
        self._results, self._metrics = Results(settings.results_address), Metrics(settings.job_metrics)
        self._pools = [ProcessPool(idle_s=_IDLE_S, again=False) for _ in range(processes)]

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Run jobs as long as the context; those that run at its end are left to other workers.

        Raises
        ------
        DatabaseError
            The database will never be ready.
        """
        async with AsyncExitStack() as stack:
            stack.callback(self._metrics.close)
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="solflis-jobs-", ignore_cleanup_errors=True)))
            await stack.enter_async_context(self._database.lifespan())
            await self._database.first_try()
            await stack.enter_async_context(self._bell.lifespan())
            await stack.enter_async_context(background(self._look_after(), "watch leases"))
            for number, pool in enumerate(self._pools):
                await stack.enter_async_context(pool.lifespan())
                await stack.enter_async_context(background(self._serve(pool, folder / str(number)), "run jobs"))
            yield

    async def _serve(self, pool: ProcessPool, told: Path) -> None:
        """Run one job after the other."""
        functions = tuple(kind.function for kind in self._kinds.values())
        with suppress(ProcessFailed):  # it was logged, and jobs say what is wrong
            await pool.run("api.jobs.run:load", functions, within_s=60.0)
        with self._bell.listening(QUEUED) as rung:
            while True:
                rung.clear()
                try:
                    lease = await self._leases.take()
                except ApiError:  # the database is away, which was logged
                    lease = None
                if lease is not None:
                    await self._run(pool, lease, told)
                else:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(rung.wait(), LOOK_S)

    async def _run(self, pool: ProcessPool, lease: Lease, told: Path) -> None:
        request_id.current.set(lease.request_id)
        kind, begun = self._kinds[lease.kind], time.monotonic()
        told.unlink(missing_ok=True)
        run = Run(lease.runs, lease.input, self._settings, lease.result, told)
        work = asyncio.create_task(pool.run("api.jobs.run:call", kind.function, run, within_s=kind.seconds))
        try:
            outcome = await self._lead(lease, work, told)
        except asyncio.CancelledError:  # the worker ends
            with suppress(ApiError):
                await self._leases.again(lease)
            raise
        finally:
            if not work.done():
                work.cancel()
                pool.drop()
        self._metrics.job_ran(lease.kind, outcome, time.monotonic() - begun)
        log.info("job %s (%s), run %d: %s", lease.id, lease.kind, lease.runs, outcome)

    async def _lead(self, lease: Lease, work: "asyncio.Task[Outcome]", told: Path) -> str:
        """Renew a lease until its run has ended; tell the queue how, and return it."""
        while not (await asyncio.wait({work}, timeout=RENEW_S))[0]:
            with suppress(ApiError):  # the database is away: it may be back before somebody else takes the job
                if not await self._leases.renew(lease, *_read(told)):
                    return "lost"
        try:
            outcome, detail = work.result()
        except ProcessFailed as error:
            outcome, detail = ("later", 0.0) if error.died else ("failed", reason_of(problems.JOB_FAILED()))
        while True:
            try:
                ours = await self._end(lease, outcome, detail)
            except ApiError:
                await asyncio.sleep(LOOK_S)
                continue
            if not ours or outcome != "done":
                await asyncio.to_thread(self._results.delete, lease.result)
            return outcome if ours else "lost"

    async def _end(self, lease: Lease, outcome: str, detail: str | float | None) -> bool:
        if outcome == "done":
            return await self._leases.done(lease)
        if isinstance(detail, str):
            return await self._leases.failed(lease, detail)
        return await self._leases.again(lease, detail or 0.0)

    async def _look_after(self) -> None:
        """Watch the leases of all workers, and remove what has expired."""
        tidied = 0.0
        while True:
            with suppress(ApiError):
                await self._leases.watch(self._lapses_s)
                if time.monotonic() - tidied > _TIDY_S:
                    tidied = time.monotonic()
                    for job_id in await self._leases.remove_expired():
                        await asyncio.to_thread(self._results.delete, job_id)
            await asyncio.sleep(LOOK_S)


def _read(told: Path) -> tuple[float, str]:
    """Return how far a run says it is."""
    try:
        progress, _, phrase = told.read_text(encoding="utf-8").partition(" ")
    except OSError:
        return 0.0, ""
    return float(progress), phrase[:200]


async def run(settings: Settings, processes: int, kinds: Mapping[str, Kind] = KINDS) -> None:
    """Run jobs until SIGTERM, SIGINT or SIGHUP.

    Raises
    ------
    SettingsError, DatabaseError
        Nobody could with these settings.
    """
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with Worker(settings, processes, kinds).lifespan():
        log.info("running jobs, %d at once", processes)
        await stop.wait()
