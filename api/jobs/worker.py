"""The worker: lanes that run jobs, and the watch over leases and expiry. `solflis worker` runs it."""

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from api.access.secret import load_secret
from api.core.executors import background
from api.core.settings import Settings
from api.database.database import Database
from api.database.engine import address
from api.jobs.bell import make_bell
from api.jobs.kinds import KINDS, Kind
from api.jobs.lane import Lane, forever
from api.jobs.leases import Leases
from api.jobs.results import Results
from api.observing.metrics import Metrics, remove_ended

log = logging.getLogger("solflis.api")

LAPSES_S = 4.0
"""A lease that was not renewed for so long has run out: its worker was killed, hangs, or has lost the database."""

_TIDY_S = 60.0


class Worker:
    """Runs jobs.

    Parameters
    ----------
    settings : Settings
        Of the API whose jobs they are.
    processes : int
        Jobs at once, beside those of kinds that have a process of their own.
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
        # what a power cut takes of its commits is run again
        self._database = Database(url, load_secret(settings.secret, settings.state), durable=False)
        self._bell = make_bell(url, settings.state)
        self._leases, self._results = self._leases_of(kinds), Results(settings.results_address)
        remove_ended(settings.job_metrics)
        self._metrics = Metrics(settings.job_metrics)
        together = {name: one for name, one in kinds.items() if not one.apart}
        apart = [{name: one} for name, one in kinds.items() if one.apart]
        self._lanes = [
            Lane(settings, self._leases_of(of), of, self._bell, self._metrics) for of in [together] * processes + apart
        ]

    def _leases_of(self, kinds: Mapping[str, Kind]) -> Leases:
        return Leases(self._database, self._bell, self._settings.clock, kinds)

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
            await stack.enter_async_context(background(forever(self._watch), "watch leases"))
            await stack.enter_async_context(background(forever(self._tidy, _TIDY_S), "remove expired jobs"))
            for number, lane in enumerate(self._lanes):
                await stack.enter_async_context(lane.lifespan(folder / str(number)))
            yield

    async def _watch(self) -> None:
        """Watch the leases of all workers."""
        for kind in await self._leases.watch(self._lapses_s):
            self._metrics.job_ran(kind, "failed")

    async def _tidy(self) -> None:
        """Remove what has expired: files before rows, so that none is forgotten."""
        for job_id in await self._leases.expired():
            try:
                await asyncio.to_thread(self._results.delete, job_id)
            except Exception:
                log.exception("the files of job %s cannot be removed", job_id)
            else:
                await self._leases.empty(job_id)


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
