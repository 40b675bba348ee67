"""The queue as the API sees it: ask for a job, wait for its end."""

import asyncio
import hashlib
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Literal, NamedTuple

import orjson
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from api.core import problems
from api.core.errors import ApiError, Problem
from api.database.database import Database, to_its_end
from api.database.engine import READS
from api.database.tables import insert
from api.database.tables import job as table
from api.jobs.bell import LOOK_S, QUEUED, Bell
from api.jobs.kinds import APART, KINDS, Kind
from api.observing import request_id
from tiles.clock import Clock

State = Literal["queued", "running", "done", "failed"]


class Job(NamedTuple):
    """A row of the queue, without its input."""

    id: str
    kind: str
    state: State
    runs: int
    progress: float
    phrase: str
    result: str | None
    reason: str | None
    request_id: str
    created_at: datetime
    not_before: datetime | None
    ended_at: datetime | None
    expires_at: datetime

    @property
    def has_ended(self) -> bool:
        """Return whether it is done or has failed."""
        return self.state in ("done", "failed")

    def error(self) -> ApiError:
        """Return why it failed, as an error to raise."""
        why = orjson.loads(self.reason or "")
        problem = Problem(why["status"], "{nb}", "{en}", code=why["code"])
        return problem(why["parameter"], headers=why["headers"], nb=why["nb"], en=why["en"])


def reason_of(error: ApiError) -> str:
    """Return an error as a job's `reason`, which `Job.error` reads."""
    fields = {"status": error.status, "code": error.problem.code, "parameter": error.parameter}
    texts = {"nb": error.text("nb"), "en": error.text("en")}
    return orjson.dumps({**fields, **texts, "headers": error.headers}).decode()


COLUMNS = tuple(table.c[name] for name in Job._fields)


def question_of(kind: str, *parts: object) -> bytes:
    """Return the digest of a question: its kind, input and input versions."""
    return hashlib.blake2b(repr((kind, *parts)).encode(), digest_size=32).digest()


# Not deleted: the row leads to files that are to be removed.
_GONE = sa.update(table).values(state="failed", reason=reason_of(problems.JOB_FAILED()))


class Jobs:
    """The queue.

    Parameters
    ----------
    database : Database
    bell : Bell
    clock : Clock
    kinds : mapping of str to Kind
    """

    def __init__(self, database: Database, bell: Bell, clock: Clock, kinds: Mapping[str, Kind] = KINDS) -> None:
        self._database, self._bell, self._clock, self._kinds = database, bell, clock, kinds

    @to_its_end
    async def find(self, kind: str, question: bytes) -> Job | None:
        """Return the job that answers a question and has not failed; its life begins anew.

        Raises
        ------
        ApiError
            `NO_JOBS`.
        """
        async with self._database.transaction(problems.NO_JOBS) as connection:
            return await self._find(connection, kind, question)

    async def _find(self, connection: AsyncConnection, kind: str, question: bytes) -> Job | None:
        now, same = self._clock.now(), table.c.question == question
        await connection.execute(_GONE.where(same, table.c.state == "done", table.c.expires_at <= now))
        of_kind, moment = self._kinds[kind], table.c.expires_at.type
        kept, waits = (sa.literal(now + life, moment) for life in (of_kind.kept, of_kind.waits))
        until = sa.case((table.c.state == "done", kept), else_=waits)
        alive = sa.update(table).where(same, table.c.state != "failed").values(expires_at=until)
        found = (await connection.execute(alive.returning(*COLUMNS))).first()
        return None if found is None else Job(*found)

    @to_its_end
    async def ask(
        self,
        kind: str,
        question: bytes,
        content: bytes,
        client: bytes,
        after: str | None = None,
        plant: str | None = None,
    ) -> Job:
        """Return the job that answers a question, as `find` does, or queue it.

        Parameters
        ----------
        kind : str
        question : bytes
            From `question_of`.
        content : bytes
            The input.
        client : bytes
            Digest of who asks.
        after : str, optional
            Id of the job that has to be done before; where that fails, this one is never run.
        plant : str, optional
            Id of the plant that it is about, with which the job is deleted.

        Raises
        ------
        ApiError
            `QUEUE_FULL`, `NO_JOBS`.
        """
        now, of_kind = self._clock.now(), self._kinds[kind]
        expires_at = now + of_kind.waits
        async with self._database.transaction(problems.NO_JOBS) as connection:
            if (found := await self._find(connection, kind, question)) is not None:
                return found
            queued = sa.select(sa.func.count()).where(table.c.state == "queued", table.c.kind == kind)
            if (await connection.scalar(queued) or 0) >= of_kind.queued:
                raise problems.QUEUE_FULL()
            new = insert(table, connection.dialect.name).values(
                id=secrets.token_hex(11),  # never an option of a command, as one with a hyphen before it
                kind=kind,
                question=question,
                input=content,
                state="queued",
                runs=0,
                lease=0,
                after=after,
                progress=0.0,
                phrase="",
                request_id=request_id.current.get() or "",
                client=client,
                created_at=now,
                expires_at=expires_at,
                plant_id=plant,
            )
            # somebody else may have been faster since: theirs is returned
            merged = new.on_conflict_do_update(
                index_elements=["question"],
                index_where=sa.text("state <> 'failed'"),
                set_={"expires_at": expires_at},
            )
            job = Job(*(await connection.execute(merged.returning(*COLUMNS))).one())
            await self._bell.notify(connection, QUEUED)
        await self._bell.ring(QUEUED)
        return job

    async def get(self, job_id: str) -> Job | None:
        """Return a job that has not expired.

        Raises
        ------
        ApiError
            `NO_JOBS`.
        """
        query = sa.select(*COLUMNS).where(table.c.id == job_id, table.c.expires_at > self._clock.now())
        async with self._database.transaction(problems.NO_JOBS, READS) as connection:
            found = (await connection.execute(query)).first()
        return None if found is None else Job(*found)

    async def is_past(self, job_id: str, kind: str) -> bool:
        """Return whether there was such a job that has expired within the last day."""
        query = sa.select(table.c.id).where(table.c.id == job_id, table.c.kind == kind)
        async with self._database.transaction(problems.NO_JOBS, READS) as connection:
            return await connection.scalar(query) is not None

    async def place(self, job: Job) -> tuple[int, int]:
        """Return how many jobs are to begin before one that is queued (0 of others), and how many are queued in all."""
        number = sa.select(table.c.number).where(table.c.id == job.id, table.c.state == "queued").scalar_subquery()
        before = sa.func.count(sa.case((table.c.number < number, 1)))
        query = sa.select(before, sa.func.count()).where(table.c.state == "queued", ~table.c.kind.in_(APART))
        async with self._database.transaction(problems.NO_JOBS, READS) as connection:
            ahead, waiting = (await connection.execute(query)).one()
        return int(ahead), int(waiting)

    async def wait(self, job: Job) -> Job:
        """Return a job when it has ended, without holding a thread; the caller limits the time.

        Raises
        ------
        ApiError
            `NO_JOBS`; why it failed.
        """
        with self._bell.listening(job.id) as rung:
            while not job.has_ended:
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_S):
                        await rung.wait()
                rung.clear()
                if (found := await self.get(job.id)) is None:
                    raise problems.NO_JOBS()
                job = found
        if job.state == "failed":
            raise job.error()
        return job

    @to_its_end
    async def forget(self, job: Job) -> None:
        """Let a job whose result is gone answer nobody any more."""
        async with self._database.transaction(problems.NO_JOBS) as connection:
            await connection.execute(_GONE.where(table.c.id == job.id))

    async def listing(self, limit: int = 1000) -> Sequence[Job]:
        """Return jobs that have not expired, the newest first."""
        alive = sa.select(*COLUMNS).where(table.c.expires_at > self._clock.now())
        query = alive.order_by(table.c.number.desc()).limit(limit)
        async with self._database.transaction(problems.NO_JOBS, READS) as connection:
            return [Job(*row) for row in await connection.execute(query)]

    @to_its_end  # nothing is written: whoever asks may leave where the database hangs
    async def queued(self) -> Mapping[str, tuple[int, float]]:
        """Return how many jobs of each kind are queued, and how long the first has waited for its first run, s."""
        before = table.alias()
        follows = sa.exists().where(before.c.id == table.c.after, before.c.state != "done")
        waits = (table.c.runs == 0) & table.c.not_before.is_(None) & ~follows
        first = sa.func.min(sa.case((waits, table.c.created_at)))
        query = sa.select(table.c.kind, sa.func.count(), first).where(table.c.state == "queued").group_by(table.c.kind)
        async with self._database.transaction(problems.NO_JOBS, READS) as connection:
            rows: Sequence[Any] = (await connection.execute(query)).all()
        now = self._clock.now()
        waiting = {kind: (count, (now - since).total_seconds() if since else 0.0) for kind, count, since in rows}
        return {kind: waiting.get(kind, (0, 0.0)) for kind in self._kinds}

    @to_its_end
    async def retry(self, job_id: str) -> bool:
        """Give a failed job one more run; return False where it has not failed, or another answers its question."""
        other = table.alias()
        answered = sa.exists().where(other.c.question == table.c.question, other.c.state != "failed")
        can_run = (table.c.state == "failed") & table.c.input.is_not(None)  # one that was done has no input any more
        failed = sa.update(table).where(table.c.id == job_id, can_run, ~answered)
        again = failed.values(state="queued", reason=None, ended_at=None, not_before=None)
        async with self._database.transaction(problems.NO_JOBS) as connection:
            kind: str | None = await connection.scalar(sa.select(table.c.kind).where(table.c.id == job_id))
            if kind is None or kind not in self._kinds:
                return False
            expires_at = self._clock.now() + self._kinds[kind].waits
            queued = (await connection.execute(again.values(expires_at=expires_at))).rowcount > 0
            await self._bell.notify(connection, QUEUED)
        await self._bell.ring(QUEUED)
        return queued

    @to_its_end
    async def cancel(self, job_id: str, error: ApiError | None = None) -> bool:
        """Let a job fail that has not ended; its worker stops within some seconds. Return whether there was one.

        Parameters
        ----------
        job_id : str
        error : ApiError, optional
            Why; `JOB_CANCELLED` by default.
        """
        open_ = sa.update(table).where(table.c.id == job_id, table.c.state.in_(("queued", "running")))
        reason = reason_of(error or problems.JOB_CANCELLED())
        failed = open_.values(state="failed", reason=reason, ended_at=self._clock.now())
        async with self._database.transaction(problems.NO_JOBS) as connection:
            cancelled = (await connection.execute(failed)).rowcount > 0
            await self._bell.notify(connection, job_id)
        await self._bell.ring(job_id)
        return cancelled
