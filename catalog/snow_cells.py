"""Snow of a 1 km cell fetched on demand, for places that no tile holds: kept 30 days (history) or a day (outlook)."""

import json
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import httpx

from catalog.readthrough import Life, ReadThrough
from catalog.snow_bytes import pack, unpack
from catalog.sources.errors import SourceError, Throttled
from catalog.sources.fetch import Answer
from catalog.sources.http import Deadline, make_client, without_credentials
from catalog.sources.nve_gts import NAME, NoCell, Point, SnowData, at_point, nearest
from tiles.clock import Clock

KEPT_FOR = timedelta(days=30)
FIRST_DAY = date(1957, 9, 1)
# That there is no cell may be a fault of that day.
_NONE_FOR = timedelta(days=1)
# The day that began at 06 UTC yesterday is observed, and the authority has looked at it.
_OUT_AFTER = timedelta(hours=7)
_AHEAD = timedelta(days=8)
_FALL_BACK_DAYS = 8
_OUTLOOK_FOR = timedelta(days=_FALL_BACK_DAYS + 1)
# Of files: a history is some 100 kB, an outlook and which cell it is a block of the disk each.
_HISTORY_BYTES, _OUTLOOK_BYTES, _CELL_BYTES = 500_000_000, 100_000_000, 50_000_000
# Known long enough to be observed, for the question which cells there are.
_SEARCHED_BEFORE = timedelta(days=10)
# Who has an older outlook neither waits long for an authority that fails, nor asks it again at once.
_PATIENCE_S = 8.0
_REST_S, _LONGEST_REST_S = 300.0, 3600.0


class _Found(NamedTuple):
    cell: Point | None


class SnowCells:
    """The snow authority's cells, read through a folder that the processes of a machine share.

    Safe to use from several threads; it waits for the authority.

    Parameters
    ----------
    url : str
        Of the snow authority.
    user_agent : str
        Names this installation and whom to ask.
    folder : Path
        Made when first needed.
    clock : Clock
    """

    def __init__(self, url: str, user_agent: str, folder: Path, clock: Clock) -> None:
        self._url, self._name = url, without_credentials(url)
        self._user_agent = user_agent.encode("ascii", "replace").decode()
        self._clock = clock
        month, days = Life(KEPT_FOR, KEPT_FOR, KEPT_FOR), Life(_OUTLOOK_FOR, _OUTLOOK_FOR, _OUTLOOK_FOR)
        self._cells: ReadThrough[_Found] = ReadThrough(folder / "cells", NAME, clock, _CELL_BYTES, month)
        self._histories: ReadThrough[SnowData] = ReadThrough(folder / "history", NAME, clock, _HISTORY_BYTES, month)
        self._outlooks: ReadThrough[SnowData] = ReadThrough(folder / "outlook", NAME, clock, _OUTLOOK_BYTES, days)
        self._client: httpx.Client | None = None
        self._making = threading.Lock()
        self._asked_again = 0.0

    def history(self, centre: Point, deadline: Deadline) -> SnowData:
        """Return the days from 1957-09-01 to the last 31 August of the cell nearest to a point that has data.

        Parameters
        ----------
        centre : (easting, northing)
            Of a 1 km or 3 km cell, m, UTM 33. The cell found is `points[0]` of what is returned.
        deadline : Deadline

        Raises
        ------
        NoCell
            There is no cell with data within 5 km.
        SourceError
            The authority cannot answer, and nothing that may still be used is kept.
        """
        last = self._last_summer()
        ask = self._asking(centre, FIRST_DAY, last, KEPT_FOR)
        return self._histories.get(f"{self._key(centre)} {last}", ask, unpack, deadline).value

    def kept_history(self, centre: Point) -> SnowData | None:
        """Return what `history` would without asking anybody; None where it would ask."""
        kept = self._histories.fresh(f"{self._key(centre)} {self._last_summer()}", unpack)
        return None if kept is None else kept.value

    def outlook(self, centre: Point, deadline: Deadline) -> SnowData:
        """Return the days from the last 1 September to 9 days ahead of the cell nearest to a point that has data.

        Fetched once a day, which begins at 07 UTC, when the day before is observed; where the authority fails, what
        was kept on one of the last 8 days answers.

        Parameters
        ----------
        centre, deadline
            As `history` takes them.

        Raises
        ------
        NoCell, SourceError
            As `history` raises them.
        """
        today = self._day()
        key = f"{self._key(centre)} {{}}".format
        if kept := self._outlooks.fresh(key(today), unpack):
            return kept.value
        older = self._older(key, today)
        if older is not None and time.monotonic() < self._asked_again:
            return older
        within = deadline if older is None else Deadline(min(_PATIENCE_S, deadline.remaining() / 2))
        ask = self._asking(centre, _season(today), today + _AHEAD, _OUTLOOK_FOR)
        try:
            return self._outlooks.get(key(today), ask, unpack, within).value
        except SourceError as error:
            if older is None:
                raise
            rest = error.seconds if isinstance(error, Throttled) else 0.0
            self._asked_again = time.monotonic() + min(max(rest, _REST_S), _LONGEST_REST_S)
            return older

    def kept_outlook(self, centre: Point, *, older: bool = False) -> SnowData | None:
        """Return today's answer of `outlook`, or one of the last 8 days, if it is kept; nobody is asked.

        Parameters
        ----------
        centre : (easting, northing)
        older : bool
            Whether an answer of another day will do.
        """
        today, key = self._day(), f"{self._key(centre)} {{}}".format
        if kept := self._outlooks.fresh(key(today), unpack):
            return kept.value
        return self._older(key, today) if older else None

    def trim(self) -> None:
        """Remove what is too old or too much; it may wait for the disk."""
        for kept in (self._cells, self._histories, self._outlooks):
            kept.trim()

    def _asking(self, centre: Point, first: date, last: date, life: timedelta) -> Callable[..., Answer]:
        def ask(_: str | None, __: str | None, deadline: Deadline) -> Answer:
            data = at_point(
                self._url, self._cell(centre, deadline), first, last,
                today=self._day(), user_agent=self._user_agent, deadline=deadline, client=self._shared_client(),
            )  # fmt: skip
            return Answer(pack(data), None, None, self._clock.now() + life)

        return ask

    def _cell(self, centre: Point, deadline: Deadline) -> Point:
        def ask(_: str | None, __: str | None, deadline: Deadline) -> Answer:
            cell = nearest(
                self._url, centre, self._day() - _SEARCHED_BEFORE,
                user_agent=self._user_agent, deadline=deadline, client=self._shared_client(),
            )  # fmt: skip
            life = KEPT_FOR if cell else _NONE_FOR
            return Answer(json.dumps({"cell": cell}).encode(), None, None, self._clock.now() + life)

        cell = self._cells.get(self._key(centre), ask, _read_cell, deadline).value.cell
        if cell is None:
            raise NoCell(f"{NAME}: has no cell with data within 5 km of there")
        return cell

    def _older(self, key: Callable[[date], str], today: date) -> SnowData | None:
        for days in range(1, _FALL_BACK_DAYS + 1):
            if kept := self._outlooks.fresh(key(today - timedelta(days=days)), unpack):
                return kept.value
        return None

    def _last_summer(self) -> date:
        return _season(self._day()) - timedelta(days=1)

    def _key(self, centre: Point) -> str:
        return f"{self._name} {centre[0]} {centre[1]}"

    def _day(self) -> date:
        """Return the date of the newest forecast: the day before it is observed."""
        now: datetime = self._clock.now()
        return (now - _OUT_AFTER).date()

    def _shared_client(self) -> httpx.Client:
        with self._making:  # the certificates take a moment to load
            if self._client is None:
                self._client = make_client(self._user_agent)
            return self._client


def _season(day: date) -> date:
    """Return the 1 September at which a day's snow year began."""
    began = date(day.year, 9, 1)
    return began if began <= day else date(day.year - 1, 9, 1)


def _read_cell(body: bytes) -> _Found:
    with suppress(ValueError, KeyError, TypeError):
        cell = json.loads(body)["cell"]
        return _Found(None if cell is None else (int(cell[0]), int(cell[1])))
    raise SourceError("the kept name of a snow cell is damaged")
