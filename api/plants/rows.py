"""The rows of plants as the handlers reach them: by the caller's account alone."""

import asyncio
import logging
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

import sqlalchemy as sa
from aiohttp import web
from sqlalchemy import Connection

from api.access.gate import Gate
from api.core.request_keys import PARAMETERS
from api.core.resources import Resources
from api.data.plants import store
from api.data.plants.plant import Plant, is_id
from api.data.plants.uploads import Upload
from api.database.database import to_its_end
from api.database.engine import READS, WRITES, opened
from api.plants import problems

log = logging.getLogger("solflis.api")

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Statement = Callable[Concatenate[Connection, _P], _T]


class Rows:
    """Rows of plants.

    Parameters
    ----------
    resources : Resources
    """

    def __init__(self, resources: Resources) -> None:
        self._database = resources.database

    async def read(self, function: _Statement[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Return what a function of `api.data.plants` returns.

        Raises
        ------
        ApiError
            `NO_DATABASE`.
        """
        async with self._database.transaction(problems.NO_DATABASE, READS) as connection:
            return await connection.run_sync(function, *args, **kwargs)

    @to_its_end
    async def write(self, function: _Statement[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Return what a function of `api.data.plants` returns that writes.

        Raises
        ------
        ApiError
            `NO_DATABASE`.
        """
        async with self._database.transaction(problems.NO_DATABASE) as connection:
            return await connection.run_sync(function, *args, **kwargs)

    async def read_hours(self, function: _Statement[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Return what `read` does, from a thread: unpacking the hours of years would hold up the event loop."""
        return await asyncio.to_thread(self._work, READS, lambda connection: function(connection, *args, **kwargs))

    @to_its_end
    async def write_hours(self, function: _Statement[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Return what `write` does, from a thread: packing the hours of years would hold up the event loop."""
        return await asyncio.to_thread(self._work, WRITES, lambda connection: function(connection, *args, **kwargs))

    def _work(self, mode: dict[str, str], work: Callable[[Connection], _T]) -> _T:
        if not self._database.ready:
            raise problems.NO_DATABASE()
        try:
            with opened(self._database.url) as engine, engine.execution_options(**mode).begin() as connection:
                return work(connection)
        except (sa.exc.SQLAlchemyError, OSError) as error:  # whose text may hold whom it is about
            log.error("the database cannot be read or written: %s", type(error).__name__)
            raise problems.NO_DATABASE() from None

    async def plant_of(self, request: web.BaseRequest) -> Plant:
        """Return the plant that a request's path names.

        Raises
        ------
        ApiError
            `NOT_FOUND`, also where it is another account's; `NO_DATABASE`.
        """
        plant_id = request[PARAMETERS]["id"]
        found = None
        if is_id(plant_id, "anl_"):
            found = await self.read(store.get, Gate.account_of(request), plant_id)
        if found is None:
            raise problems.NOT_FOUND()
        return found


def upload_id_of(request: web.BaseRequest) -> str:
    """Return the id of the upload that a request's path names.

    Raises
    ------
    ApiError
        `UPLOAD_NOT_FOUND`: it is no id.
    """
    upload_id: str = request[PARAMETERS]["opplasting"]
    if not is_id(upload_id, "opp_"):
        raise problems.UPLOAD_NOT_FOUND()
    return upload_id


def known(upload: Upload | None) -> Upload:
    """Return an upload.

    Raises
    ------
    ApiError
        `UPLOAD_NOT_FOUND`: there is none.
    """
    if upload is None:
        raise problems.UPLOAD_NOT_FOUND()
    return upload
