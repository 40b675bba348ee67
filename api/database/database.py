"""The database as the application has it: made ready behind the requests, and kept trying where it is away."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import sqlalchemy as sa
from sqlalchemy import URL
from sqlalchemy.ext.asyncio import AsyncConnection

from api.access.secret import Secret
from api.core.errors import Problem
from api.database.current import make_current
from api.database.engine import WRITES, DatabaseAway, DatabaseError, make_async_engine
from api.database.tables import insert, secret_mark

log = logging.getLogger("solflis.api")

_FIRST_TRY_S = 10.0
_AGAIN_S = 1.0
_ANSWER_WITHIN_S = 1.8
_COMMIT_WITHIN_S = 10.0

_P = ParamSpec("_P")
_T = TypeVar("_T")
_unwatched: set[asyncio.Task[Any]] = set()


def to_its_end(method: Callable[_P, Coroutine[Any, Any, _T]]) -> Callable[_P, Coroutine[Any, Any, _T]]:
    """Carry a method that writes to its end, also where its caller is cancelled.

    A statement that is cancelled leaves SQLite locked until its cursor is collected as garbage, which takes seconds.
    """

    @wraps(method)
    async def whole(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        task = asyncio.create_task(method(*args, **kwargs), name=method.__name__)
        _unwatched.add(task)  # the loop alone would forget it
        task.add_done_callback(_unwatched.discard)
        return await asyncio.shield(task)

    return whole


class Database:
    """Accounts, keys, registrations, quotas.

    Parameters
    ----------
    url : URL
        From `api.database.engine.address`.
    secret : Secret
    durable : bool
        As `make_engine` takes it.

    Attributes
    ----------
    engine : AsyncEngine
        For tasks.
    ready : bool
        Whether it has this code's schema, and belongs to this secret.
    """

    def __init__(self, url: URL, secret: Secret, *, durable: bool = True) -> None:
        self.url, self.engine, self.ready = url, make_async_engine(url, durable=durable), False
        self._secret = secret
        self._tried = asyncio.Event()

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Make it ready; a database that is away is tried again and again, and nobody waits for it."""
        self._task = asyncio.create_task(self._keep_trying(), name="prepare the database")
        yield
        self._task.cancel()
        with suppress(asyncio.CancelledError, DatabaseError):
            await self._task
        if _unwatched:
            await asyncio.wait(_unwatched, timeout=_ANSWER_WITHIN_S)
        await self.engine.dispose()

    async def first_try(self) -> None:
        """Wait for the first try, after all that can be made ready meanwhile.

        Raises
        ------
        DatabaseError
            It will never be ready: newer code made it, or it belongs to another secret.
        """
        with suppress(TimeoutError):
            await asyncio.wait_for(self._tried.wait(), _FIRST_TRY_S)
        if self._task.done():
            self._task.result()

    @asynccontextmanager
    async def transaction(self, refusal: Problem, mode: Mapping[str, str] = WRITES) -> AsyncIterator[AsyncConnection]:
        """Yield a connection in a transaction that begins as `READS` or `WRITES`.

        Raises
        ------
        ApiError
            The refusal, whatever is the matter with the database.
        """
        if not self.ready:
            raise refusal()
        engine = self.engine.execution_options(**mode)
        try:
            async with asyncio.timeout(_ANSWER_WITHIN_S) as deadline, engine.begin() as connection:
                yield connection
                if mode is WRITES:
                    # A commit cannot be taken back, and who does not wait for it throws away a key that is shown once.
                    deadline.reschedule(asyncio.get_running_loop().time() + _COMMIT_WITHIN_S)
        except (sa.exc.SQLAlchemyError, OSError) as error:  # whose text may hold whom it is about
            log.error("the database cannot be read or written: %s", type(error).__name__)
            raise refusal() from None

    async def prepare(self) -> None:
        """Make it ready: migrate it, where that is needed, and see that it belongs to this secret.

        Raises
        ------
        DatabaseAway, SQLAlchemyError, OSError
            It does not answer now.
        DatabaseError
            It will never be ready.
        """
        await make_current(self.url)
        await self._compare_mark()
        self.ready = True

    async def _keep_trying(self) -> None:
        trouble = ""
        while True:
            try:
                await self.prepare()
                break
            except (DatabaseAway, sa.exc.SQLAlchemyError, OSError) as error:
                if str(error) != trouble:
                    trouble = str(error)
                    log.error("counted routes answer 503: %s", trouble)
            except DatabaseError as error:
                log.critical("counted routes answer 503 until a restart: %s", error)
                raise
            finally:
                self._tried.set()
            await asyncio.sleep(_AGAIN_S)
        if trouble:
            log.warning("the database is ready")

    async def _compare_mark(self) -> None:
        """Hold the database to one secret: with two, a caller would be counted twice, and no key be known.

        Raises
        ------
        DatabaseError
        """
        mark = self._secret.digest("secret", "fingerprint")
        async with self.engine.begin() as connection:
            ours = insert(secret_mark, connection.dialect.name).values(id=1, fingerprint=mark)
            await connection.execute(ours.on_conflict_do_nothing())  # the first one's stays
            known = await connection.scalar(sa.select(secret_mark.c.fingerprint))
        if known != mark:
            raise DatabaseError(
                "the database belongs to another secret; set SOLFLIS_SECRET to the first host's (its file `secret`)"
            )
