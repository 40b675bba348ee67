"""The plants of callers, for endpoint groups that answer for a plant."""

from contextlib import suppress
from datetime import datetime

from aiohttp import web

from api.access.gate import Gate
from api.core.errors import ApiError, Problem
from api.data.plants import store
from api.data.plants.plant import Plant, is_id
from api.database.database import Database, to_its_end
from api.database.engine import READS
from tiles.clock import Clock


class PlantReader:
    """Finds plants by id.

    Parameters
    ----------
    database : Database
    clock : Clock
    missing, away : Problem
        Raised where the caller has no such plant, and where the database does not answer.
    """

    def __init__(self, database: Database, clock: Clock, missing: Problem, away: Problem) -> None:
        self._database, self._clock, self._missing, self._away = database, clock, missing, away

    async def find(self, request: web.BaseRequest, plant_id: str, parameter: str) -> Plant:
        """Return a plant of the caller's account, and note that it is used.

        Raises
        ------
        ApiError
            There is none, or it is another account's; the database does not answer.
        """
        found, now = None, self._clock.now()
        if is_id(plant_id, "anl_"):
            async with self._database.transaction(self._away, READS) as connection:
                found = await connection.run_sync(store.get, Gate.account_of(request), plant_id)
        if found is None:
            raise self._missing(parameter)
        if found.used_at <= now - store.USE_NOTED_EVERY:
            with suppress(ApiError):  # the answer is worth more than the note, and the next call writes it
                await self._note_use(plant_id, now)
        return found

    @to_its_end
    async def _note_use(self, plant_id: str, now: datetime) -> None:
        async with self._database.transaction(self._away) as connection:
            await connection.run_sync(store.note_use, plant_id, now)
