"""Leads in the database."""

import asyncio
import logging

import sqlalchemy as sa

from api import texts
from api.database.database import Database
from api.database.tables import lead
from api.errors import Unavailable
from api.tmy.lead_models import Lead
from tiles.clock import Clock

_WITHIN_S = 10.0
_RETRY_S = 5

log = logging.getLogger("solflis.api")


class Leads:
    """Stores leads.

    Parameters
    ----------
    database : Database
    clock : Clock
    license_version : str
        That who fills in the form accepts.
    """

    def __init__(self, database: Database, clock: Clock, license_version: str) -> None:
        self._database, self._clock, self.license_version = database, clock, license_version

    async def store(self, asked: Lead) -> int:
        """Store a lead, and return its number.

        Raises
        ------
        Unavailable
            The database cannot be written.
        """
        if not self._database.ready:
            raise Unavailable(texts.NO_LEADS, _RETRY_S)
        new = sa.insert(lead).values(
            created_at=self._clock.now(),
            email=asked.email.mailbox,
            license_version=self.license_version,
            **{name: getattr(asked, name) for name in ("company", "name", "phone", "address")},
            **{name: getattr(asked, name) for name in ("lat", "lon", "product", "format")},
        )
        try:
            async with asyncio.timeout(_WITHIN_S), self._database.engine.begin() as connection:
                number = await connection.scalar(new.returning(lead.c.id))
        except (sa.exc.SQLAlchemyError, OSError) as error:  # whose text would hold who it was
            log.error("a lead cannot be stored: %s", type(error).__name__)
            raise Unavailable(texts.NO_LEADS, _RETRY_S) from None
        return int(number)
