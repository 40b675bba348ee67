"""The queue as a worker sees it: take a job, hold its lease, say how its run ended.

Every statement names the run that it is of: what a worker says that has lost its job, because it was cancelled or is
another's by now, changes nothing. A lease is a counter: it has run out when a watcher has seen the same number for a
while by his own monotonic clock, so that clocks that are wrong or jump change nothing.
"""

import time
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from api.core import problems
from api.core.errors import ApiError
from api.database.database import Database, to_its_end
from api.database.engine import READS
from api.database.tables import job as table
from api.jobs.bell import QUEUED, Bell
from api.jobs.kinds import Kind
from api.jobs.queue import State, reason_of
from tiles.clock import Clock


class Lease(NamedTuple):
    """A run of a job that this worker holds."""

    id: str
    kind: str
    runs: int
    request_id: str
    input: bytes

    @property
    def result(self) -> str:
        """Return the folder of the run's files."""
        return f"{self.id}/{self.runs}"


REMEMBERED = timedelta(days=1)
"""So long after its end it is known of an id that its job has expired."""

_COLUMNS = tuple(table.c[name] for name in Lease._fields)


_OURS = sa.update(table).where(
    table.c.id == sa.bindparam("own_id"), table.c.runs == sa.bindparam("own_runs"), table.c.state == "running"
)
"""Changes a run that is still ours."""


def _take(kinds: Collection[str]) -> Any:
    """Return the statement that takes the oldest job of some kinds that may run at `now`, of several workers by one."""
    before = table.alias()
    follows = table.c.after.is_(None) | sa.exists().where(before.c.id == table.c.after, before.c.state == "done")
    due = table.c.not_before.is_(None) | (table.c.not_before <= sa.bindparam("now", type_=table.c.not_before.type))
    ready = sa.select(table.c.number).where(table.c.state == "queued", table.c.kind.in_(kinds), due, follows)
    oldest = ready.order_by(table.c.number).limit(1).with_for_update(skip_locked=True, of=table)
    taken = sa.update(table).where(table.c.number == oldest.scalar_subquery())
    run = {"state": "running", "runs": table.c.runs + 1, "lease": 0, "progress": 0.0, "phrase": ""}
    return taken.values(run).returning(*_COLUMNS)


class Leases:
    """The queue of a worker.

    Parameters
    ----------
    database : Database
    bell : Bell
    clock : Clock
    kinds : mapping of str to Kind
        Jobs of other kinds, which newer code has queued, are left alone.
    """

    def __init__(self, database: Database, bell: Bell, clock: Clock, kinds: Mapping[str, Kind]) -> None:
        self._database, self._bell, self._clock, self._kinds = database, bell, clock, kinds
        self._take = _take(kinds)  # making it takes as long as running it
        self._seen: dict[tuple[str, int, int], float] = {}

    @to_its_end
    async def take(self) -> Lease | None:
        """Take the oldest job that may run now; None where there is none.

        Raises
        ------
        ApiError
            `NO_JOBS`.
        """
        async with self._database.transaction(problems.NO_JOBS) as connection:
            return await self._taken(connection)

    async def _taken(self, connection: AsyncConnection) -> Lease | None:
        found = (await connection.execute(self._take, {"now": datetime.now(UTC)})).first()
        return None if found is None else Lease(*found)

    async def renew(self, lease: Lease, progress: float, phrase: str) -> bool:
        """Renew a lease, and tell how far the run is (0 to 1); return whether the job is still ours."""
        return await self._change(lease, {"lease": table.c.lease + 1, "progress": progress, "phrase": phrase})

    @to_its_end
    async def done(self, lease: Lease, *, then_take: bool = False) -> tuple[bool, Lease | None]:
        """Make the run's files the result; return whether the job was still ours, and the next job.

        That is taken where `then_take` says so, in the same transaction: one is a third less work than two.
        """
        now = self._clock.now()
        ended = {"ended_at": now, "expires_at": now + self._kinds[lease.kind].kept, "input": None}
        values = {"state": "done", "result": lease.result, "progress": 1.0, "phrase": "", **ended}
        following = None
        async with self._database.transaction(problems.NO_JOBS) as connection:
            ours = await self._write(connection, lease, values)
            if then_take:
                following = await self._taken(connection)
        await self._bell.ring(lease.id)
        return ours, following

    async def give_back(self, lease: Lease) -> bool:
        """Queue the job again, its process ended, as if it had not been taken; return whether it was still ours."""
        return await self._change(lease, {"state": "queued", "runs": lease.runs - 1})

    async def failed(self, lease: Lease, reason: str) -> bool:
        """Let the job fail for a reason (`reason_of`) that the API passes on; return whether it was still ours."""
        return await self._change(lease, self._ended_by(lease, reason))

    async def again(self, lease: Lease, delay_s: float = 0.0, *conditions: sa.ColumnElement[bool]) -> State | None:
        """Queue the job for another run, or let it fail where it had all; return which, None where it was not ours."""
        later = datetime.now(UTC) + timedelta(seconds=delay_s) if delay_s else None
        values: dict[str, Any] = {"state": "queued", "not_before": later}
        if lease.runs >= self._kinds[lease.kind].runs:
            values = self._ended_by(lease, reason_of(problems.JOB_FAILED()))
        return values["state"] if await self._change(lease, values, *conditions) else None

    async def watch(self, lapses_s: float) -> list[str]:
        """Queue jobs again whose lease has run out: that nobody has renewed for so long since this watcher saw it.

        Returns
        -------
        list of str
            Kinds of those that had all their runs, and have failed.
        """
        columns = (*_COLUMNS[:-1], sa.literal(b""), table.c.lease)
        query = sa.select(*columns).where(table.c.state == "running", table.c.kind.in_(self._kinds))
        try:
            async with self._database.transaction(problems.NO_JOBS, READS) as connection:
                rows: Sequence[Any] = (await connection.execute(query)).all()
            return await self._lapsed(rows, lapses_s)
        except ApiError:
            self._seen = {}  # nobody could renew meanwhile
            raise

    async def _lapsed(self, rows: Sequence[Any], lapses_s: float) -> list[str]:
        now, failed = time.monotonic(), []
        running = {(row.id, row.runs, row.lease): row for row in rows}
        self._seen = {key: self._seen.get(key, now) for key in running}
        for key, since in self._seen.items():
            lease = Lease(*running[key][:-1])
            if now - since > lapses_s and await self.again(lease, 0.0, table.c.lease == key[-1]) == "failed":
                failed.append(lease.kind)
        return failed

    @to_its_end
    async def expired(self) -> list[str]:
        """Let jobs that have expired answer nobody any more, but those that run; return the ids of those with content.

        Of what was emptied `REMEMBERED` ago the row is removed.
        """
        failed = {"state": "failed", "reason": reason_of(problems.JOB_FAILED())}
        full = table.c.input.is_not(None) | table.c.result.is_not(None)
        gone = sa.update(table).where(self._is_past(), full).values(failed).returning(table.c.id)
        old = sa.delete(table).where(~full, table.c.expires_at <= self._clock.now() - REMEMBERED)
        async with self._database.transaction(problems.NO_JOBS) as connection:
            await connection.execute(old)
            return list(await connection.scalars(gone))

    @to_its_end
    async def empty(self, job_id: str) -> None:
        """Empty the row of an expired job, after its files are removed: that there was one is known for a while."""
        nothing = {"input": None, "result": None, "question": b"", "client": b"", "request_id": "", "phrase": ""}
        async with self._database.transaction(problems.NO_JOBS) as connection:
            await connection.execute(sa.update(table).where(table.c.id == job_id, self._is_past()).values(nothing))

    def _ended_by(self, lease: Lease, reason: str) -> dict[str, Any]:
        now = self._clock.now()
        return {"state": "failed", "reason": reason, "ended_at": now, "expires_at": now + self._kinds[lease.kind].kept}

    def _is_past(self) -> sa.ColumnElement[bool]:
        return (table.c.state != "running") & (table.c.expires_at <= self._clock.now())

    @to_its_end
    async def _change(self, lease: Lease, values: Mapping[str, Any], *conditions: sa.ColumnElement[bool]) -> bool:
        async with self._database.transaction(problems.NO_JOBS) as connection:
            changed = await self._write(connection, lease, values, *conditions)
        if changed and "state" in values:
            await self._bell.ring(_rung_by(lease, values))
        return changed

    async def _write(
        self, connection: AsyncConnection, lease: Lease, values: Mapping[str, Any], *conditions: sa.ColumnElement[bool]
    ) -> bool:
        own = {"own_id": lease.id, "own_runs": lease.runs}
        changed = (await connection.execute(_OURS.where(*conditions).values(values), own)).rowcount > 0
        if changed and "state" in values:
            await self._bell.notify(connection, _rung_by(lease, values))
        return changed


def _rung_by(lease: Lease, values: Mapping[str, Any]) -> str:
    return QUEUED if values["state"] == "queued" else lease.id
