"""Asks the database of quotas, for one thread: what is charged together is one transaction."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy import Connection

from api.access import settlement
from api.access.open_charges import OpenCharges
from api.access.plans import Plans
from api.access.quota import Charge, Quota, Settled
from api.database.database import Database
from api.database.engine import READS, WRITES, HeldConnection, make_engine, sqlite_file
from tiles.clock import Clock

log = logging.getLogger("solflis.api")

# Clocks of hosts differ a little: yesterday's coordinates go when nobody charges for yesterday any more.
_YESTERDAY_ENDS_AFTER = timedelta(minutes=5)
# A server that was heard of no more at a commit has finished it by then, or never will.
_UNSURE_S = 2.0
_MAX_REFUNDS = 256

T = TypeVar("T")


class LedgerDown(Exception):
    """The database cannot be asked now, or does not answer in time."""


class QuotaWorker:
    """Charges, refunds and looks; a database that is away is asked again with the next call.

    Parameters
    ----------
    database : Database
    plans : Plans
    clock : Clock
    folder : Path
        Of the charges that are not answered yet.

    Attributes
    ----------
    open_charges : OpenCharges
        This worker's.
    trouble : str or None
        Why the last attempt failed, None where it did not.
    """

    def __init__(self, database: Database, plans: Plans, clock: Clock, folder: Path) -> None:
        self._plans, self._clock, self.open_charges = plans, clock, OpenCharges(folder)
        self._engine = make_engine(database.url, durable=False)
        self._failures = (sa.exc.SQLAlchemyError, OSError, self._engine.dialect.loaded_dbapi.Error)
        self._held = HeldConnection(self._engine, sqlite_file(database.url))
        self._refunds: dict[str, float] = {}  # what is not given back yet, and from when it can be
        self._unsure: list[str] = []  # whose commit is under way
        self.trouble: str | None = None

    def refund(self, request_id: str) -> None:
        """Have a request's charge given back with what is done next; from any thread."""
        self._refunds[request_id] = 0.0

    def settle(self, charges: Sequence[Charge]) -> Sequence[Settled | LedgerDown]:
        """Return the outcome of each charge; give back what is to be given back."""
        settled: Sequence[Settled | LedgerDown] = ()
        try:
            if charges:
                settled = self._charge(charges)
            self._give_back()
        except LedgerDown as error:
            return settled or [error] * len(charges)
        return settled

    def read(self, question: Callable[[Connection], T]) -> T:
        """Return the answer to a question, after what is to be given back.

        Raises
        ------
        LedgerDown
        """
        self._give_back()
        return self._attempt(READS, question)

    def tidy(self) -> bool:
        """Forget some of what is past its time, and take over what killed workers left open.

        Returns
        -------
        bool
            Whether there may be more to forget.
        """
        later = time.monotonic() + _UNSURE_S  # the server may still finish a commit
        self._refunds.update(dict.fromkeys(self.open_charges.take_over(), later))
        day = (self._clock.now() - _YESTERDAY_ENDS_AFTER).date()
        with suppress(LedgerDown):
            return self._attempt(WRITES, lambda connection: settlement.tidy(connection, day))
        return False

    def close(self) -> None:
        """Give back what is left to give back, and let go of the database."""
        self._refunds = dict.fromkeys(self._refunds, 0.0)
        self.settle(())
        self._held.close()
        self._engine.dispose()
        self.open_charges.close()

    def _attempt(self, mode: Mapping[str, str], work: Callable[[Connection], T]) -> T:
        """Return what comes of some work in one transaction."""
        try:
            with self._held.transaction(mode) as connection:
                result = work(connection)
        except Exception as error:  # whatever it is, counting goes on
            if not isinstance(error, self._failures):
                log.exception("counting failed")
            self._note(repr(error))
            # Whether the commit arrived is unknown: give back by id, which changes nothing where it did not.
            self._refunds.update(dict.fromkeys(self._unsure, time.monotonic() + _UNSURE_S))
            raise LedgerDown("it failed") from error
        finally:
            self._unsure = []
        self._note(None)
        return result

    def _note(self, trouble: str | None) -> None:
        """Say once that the database is away, and once that it is back."""
        if trouble is not None and self.trouble is None:
            log.error("quotas cannot be counted: %s", trouble)
        elif trouble is None and self.trouble is not None:
            log.warning("quotas are counted again")
        self.trouble = trouble

    def _charge(self, charges: Sequence[Charge]) -> list[Settled]:
        def work(connection: Connection) -> list[Settled]:
            settled = settlement.charge(connection, self._clock.now().date(), charges, self._plans)
            self._unsure = [c.request_id for c, one in zip(charges, settled, strict=True) if isinstance(one, Quota)]
            self.open_charges.add(self._unsure)
            return settled

        return self._attempt(WRITES, work)

    def _give_back(self) -> None:
        """Give back what can be given back now, as much as one transaction takes."""
        now = time.monotonic()
        due = [request_id for request_id, since in list(self._refunds.items()) if since <= now][:_MAX_REFUNDS]
        try:
            if due:
                self._attempt(WRITES, lambda connection: settlement.refund(connection, sorted(due)))
        except LedgerDown as error:
            if isinstance(error.__cause__, self._failures):
                raise  # they are tried again; what fails for another reason fails for ever
        for request_id in due:
            self._refunds.pop(request_id, None)
            self.open_charges.remove(request_id)
