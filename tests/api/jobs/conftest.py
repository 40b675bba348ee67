"""A queue of made-up jobs on SQLite and on PostgreSQL."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

import pytest
import pytest_asyncio

from api.access.secret import load_secret
from api.core.settings import Settings
from api.database.database import Database
from api.database.engine import address
from api.jobs.bell import make_bell
from api.jobs.kinds import Kind
from api.jobs.leases import Lease, Leases
from api.jobs.queue import Job, Jobs, question_of
from tests.api.conftest import MovableClock
from tests.support.database import SQLITE_MOSTLY, migrated
from tests.support.job_functions import KINDS


@dataclass
class Queue:
    """A queue, and a worker's side of it; each question is new unless it is given."""

    settings: Settings
    clock: MovableClock
    jobs_of: Callable[[Mapping[str, Kind]], Jobs]
    leases_of: Callable[[Mapping[str, Kind]], Leases]
    asked: int = field(default=0)

    @cached_property
    def jobs(self) -> Jobs:
        """The queue of all kinds."""
        return self.jobs_of(KINDS)

    @cached_property
    def leases(self) -> Leases:
        """A worker that knows all kinds."""
        return self.leases_of(KINDS)

    async def ask(self, kind: str = "echo", content: bytes = b"1", question: object = None, **more: str) -> Job:
        """Ask for a job."""
        self.asked += 1
        wanted = question_of(kind, self.asked if question is None else question)
        return await self.jobs.ask(kind, wanted, content, b"somebody", **more)

    async def taken(self) -> Lease:
        """Take a job that there is."""
        lease = await self.leases.take()
        assert lease is not None
        return lease

    async def done(self, lease: Lease) -> bool:
        """End a run well; return whether the job was still its worker's."""
        return (await self.leases.done(lease))[0]

    async def now(self, job: Job) -> Job:
        """Return a job as it is now."""
        found = await self.jobs.get(job.id)
        assert found is not None
        return found


@pytest.fixture(params=SQLITE_MOSTLY)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a migrated database; PostgreSQL in `make test-all`, and where a test wants both."""
    return migrated(request, tmp_path)


@pytest_asyncio.fixture
async def queue(database_url: str, tmp_path: Path) -> AsyncIterator[Queue]:
    """A queue."""
    clock = MovableClock()
    settings = Settings(store=str(tmp_path / "tiles"), state=tmp_path / "state", clock=clock, database=database_url)  # type: ignore[arg-type]
    url = address(database_url, tmp_path)
    database = Database(url, load_secret(None, settings.state))
    await database.prepare()
    bell = make_bell(url, settings.state)
    async with bell.lifespan():
        yield Queue(settings, clock, partial(Jobs, database, bell, clock), partial(Leases, database, bell, clock))  # type: ignore[arg-type]
    await database.engine.dispose()
