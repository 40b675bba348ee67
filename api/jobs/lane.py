"""One lane of a worker: runs jobs of some kinds one after the other, in a process of its own."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from api.core import problems
from api.core.errors import ApiError
from api.core.executors import ProcessFailed, ProcessPool, background
from api.core.settings import Settings
from api.jobs.bell import LOOK_S, QUEUED, Bell
from api.jobs.kinds import Kind
from api.jobs.leases import Lease, Leases
from api.jobs.queue import reason_of
from api.jobs.run import Outcome, Run
from api.observing import request_id
from api.observing.metrics import Metrics

log = logging.getLogger("solflis.api")

_T = TypeVar("_T")

RENEW_S = 1.0
_IDLE_S = 86_400.0


async def forever(step: Callable[[], Awaitable[None]], pause_s: float = LOOK_S) -> None:
    """Repeat a step, also when it fails; a database that is away was logged where it was asked."""
    while True:
        try:
            await step()
        except ApiError:
            pass
        except Exception:
            log.exception("a worker of jobs goes on after an error")
        await asyncio.sleep(pause_s)


class Lane:
    """Runs jobs.

    Parameters
    ----------
    settings : Settings
    leases : Leases
        Of the same kinds.
    kinds : mapping of str to Kind
    bell : Bell
    metrics : Metrics
    """

    def __init__(
        self, settings: Settings, leases: Leases, kinds: Mapping[str, Kind], bell: Bell, metrics: Metrics
    ) -> None:
        self._settings, self._leases, self._kinds, self._bell, self._metrics = settings, leases, kinds, bell, metrics
        self._pool = ProcessPool(idle_s=_IDLE_S, again=False)

    @asynccontextmanager
    async def lifespan(self, progress_file: Path) -> AsyncIterator[None]:
        """Run jobs as long as the context; one that runs at its end is queued again."""
        self._progress_file = progress_file
        async with self._pool.lifespan(), background(forever(self._serve), "run jobs"):
            yield

    async def _serve(self) -> None:
        functions = tuple(kind.function for kind in self._kinds.values())
        with suppress(ProcessFailed):  # it was logged, and jobs say what is wrong
            await self._pool.run("api.jobs.run:load", functions, within_s=60.0)
        lease: Lease | None = None
        with self._bell.listening(QUEUED) as rung:
            while True:
                rung.clear()
                if (lease := lease or await self._taken(self._leases.take(), lambda own: own)) is not None:
                    lease = await self._run(lease)
                    continue
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_S):
                        await rung.wait()

    async def _run(self, lease: Lease) -> Lease | None:
        """Run a job; return the next one where it was taken with its end."""
        request_id.current.set(lease.request_id)
        kind, begun = self._kinds[lease.kind], time.monotonic()
        self._progress_file.unlink(missing_ok=True)
        run = Run(lease.request_id, lease.runs, lease.input, self._settings, lease.result, self._progress_file)
        work = asyncio.create_task(self._pool.run("api.jobs.run:call", kind.function, run, within_s=kind.seconds))
        try:
            outcome, following = await self._lead(lease, work)
        except asyncio.CancelledError:  # the worker ends
            work.cancel()
            # only then: the next run may write to the same folder
            await asyncio.to_thread(self._pool.drop().join)
            with suppress(ApiError):
                await self._leases.give_back(lease)
            raise
        finally:
            if not work.done():
                work.cancel()
                self._pool.drop()
        self._metrics.job_ran(lease.kind, outcome, time.monotonic() - begun)
        log.info("job %s (%s), run %d: %s", lease.id, lease.kind, lease.runs, outcome)
        return following

    async def _taken(self, taking: Coroutine[Any, Any, _T], lease_of: Callable[[_T], Lease | None]) -> _T:
        """Wait for what takes a job; where the worker ends meanwhile, give the job back."""
        task = asyncio.create_task(taking, name="take a job")
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            with suppress(ApiError):
                if (lease := lease_of(await task)) is not None:
                    await self._leases.give_back(lease)
            raise

    async def _lead(self, lease: Lease, work: "asyncio.Task[Outcome]") -> tuple[str, Lease | None]:
        """Renew a lease until its run has ended, and tell the queue; return how it ended, and the next job."""
        while not (await asyncio.wait({work}, timeout=RENEW_S))[0]:
            with suppress(ApiError):  # the database is away: it may be back before somebody else takes the job
                if not await self._leases.renew(lease, *self._progress()):
                    return "lost", None
        outcome, detail = _outcome(work)
        while True:
            with suppress(ApiError):  # as above: the result is there, and the queue may hear of it later
                if outcome == "done":
                    done = self._leases.done(lease, then_take=True)
                    ours, following = await self._taken(done, lambda both: both[1])
                elif isinstance(detail, str):
                    ours, following = await self._leases.failed(lease, detail), None
                else:
                    state = await self._leases.again(lease, detail or 0.0)
                    return "lost" if state is None else "failed" if state == "failed" else outcome, None
                return outcome if ours else "lost", following
            await asyncio.sleep(LOOK_S)

    def _progress(self) -> tuple[float, str]:
        """Return how far the run says it is."""
        try:
            progress, _, phrase = self._progress_file.read_text(encoding="utf-8").partition(" ")
        except OSError:
            return 0.0, ""
        return float(progress), phrase[:200]


def _outcome(work: "asyncio.Task[Outcome]") -> Outcome:
    try:
        return work.result()
    except ProcessFailed as error:  # which was logged
        if error.died:  # or was ended, because it took too long
            return "later", 0.0
    except Exception:
        log.exception("a job failed")
    return "failed", reason_of(problems.JOB_FAILED())
