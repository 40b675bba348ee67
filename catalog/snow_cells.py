"""Snow of a 1 km cell fetched on demand, for places that no tile holds: kept 30 days (history) or a day (outlook)."""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from catalog.readthrough import Life, ReadThrough
from catalog.snow_bytes import pack, unpack
from catalog.snow_service import FIRST_DAY, KEPT_FOR, LONGEST_REST_S, NONE_FOR, SnowService, season_start
from catalog.sources.errors import SourceError, Throttled
from catalog.sources.fetch import Answer
from catalog.sources.http import Deadline
from catalog.sources.nve_gts import NAME, NoCell, Point, SnowData, at_point, day_of, nearest
from tiles.clock import Clock

_AHEAD = timedelta(days=8)
_FALL_BACK_DAYS = 8
_OUTLOOK_FOR = timedelta(days=_FALL_BACK_DAYS + 1)
# One whose observations end before yesterday was made before the authority's own morning was.
_LATE_FOR = timedelta(hours=1)
# Of files: a history is some 100 kB, an outlook and which cell it is a block of the disk each.
_HISTORY_BYTES, _OUTLOOK_BYTES, _CELL_BYTES = 500_000_000, 100_000_000, 50_000_000
# Who has an older answer neither waits long for an authority that fails, nor asks it again at once.
_PATIENCE_S = 8.0
_REST_S = 300.0


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
        self._service = SnowService(url, user_agent, clock)
        self._clock = clock
        month, days = Life(KEPT_FOR, KEPT_FOR, KEPT_FOR), Life(_OUTLOOK_FOR, _OUTLOOK_FOR, _OUTLOOK_FOR)
        self._cells: ReadThrough[_Found] = ReadThrough(folder / "cells", NAME, clock, _CELL_BYTES, month)
        self._histories: ReadThrough[SnowData] = ReadThrough(folder / "history", NAME, clock, _HISTORY_BYTES, month)
        self._outlooks: ReadThrough[SnowData] = ReadThrough(folder / "outlook", NAME, clock, _OUTLOOK_BYTES, days)
        self._asked_again = 0.0

    def history(self, centre: Point, deadline: Deadline) -> SnowData:
        """Return the days from 1957-09-01 to the last 31 August of the cell nearest to a point that has data.

        Where the authority fails, what was kept to the 31 August before answers, while it is fresh.

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
        last = self.last_summer()
        if kept := self.kept_history(centre):
            return kept
        ask = self._asking(centre, FIRST_DAY, last, lambda _: KEPT_FOR)
        older = self.kept_history(centre, older=True)
        return self._or_older(
            older, deadline, lambda within: self._histories.get(self._to(centre, last), ask, unpack, within).value
        )

    def kept_history(self, centre: Point, *, older: bool = False) -> SnowData | None:
        """Return what `history` would without asking anybody; None where it would ask.

        Parameters
        ----------
        centre : (easting, northing)
        older : bool
            Whether one that ends a year earlier will do.
        """
        last = self.last_summer()
        for end in (last, last.replace(year=last.year - 1)) if older else (last,):
            if kept := self._histories.fresh(self._to(centre, end), unpack):
                return kept.value
        return None

    def outlook(self, centre: Point, deadline: Deadline) -> SnowData:
        """Return the days from the last 1 September to 9 days ahead of the cell nearest to a point that has data.

        Fetched once a day, which begins at 07 UTC, when the day before is observed; where the authority fails, what
        was kept on one of the last 8 days answers. One that was late at the authority, so that the day before is not
        observed, is asked for again after an hour.

        Parameters
        ----------
        centre, deadline
            As `history` takes them.

        Raises
        ------
        NoCell, SourceError
            As `history` raises them.
        """
        if kept := self.kept_outlook(centre):
            return kept
        older = self.kept_outlook(centre, older=True)
        try:
            return self._or_older(older, deadline, lambda within: self._new_outlook(centre, within))
        except NoCell:
            if older is None:
                raise
            return older  # there was one some days ago

    def kept_outlook(self, centre: Point, *, older: bool = False) -> SnowData | None:
        """Return today's answer of `outlook`, or one of the last 8 days, if it is kept; nobody is asked.

        Parameters
        ----------
        centre : (easting, northing)
        older : bool
            Whether an answer of another day will do.
        """
        today = self.day()
        for days in range(_FALL_BACK_DAYS + 1 if older else 1):
            key = self._to(centre, today - timedelta(days=days))
            for name in (key, _late(key)) if older else (key,):
                if kept := self._outlooks.fresh(name, unpack):
                    return kept.value
        return None

    def day(self) -> date:
        """Return the date of the newest forecast: the day before it is observed. It begins at 07 UTC."""
        return self._service.day()

    def last_summer(self) -> date:
        """Return the 31 August that the newest history ends with."""
        return self._service.last_summer()

    def trim(self) -> None:
        """Remove what is too old or too much; it may wait for the disk."""
        for kept in (self._cells, self._histories, self._outlooks):
            kept.trim()

    def _or_older(self, older: SnowData | None, deadline: Deadline, ask: Callable[[Deadline], SnowData]) -> SnowData:
        """Ask for what is new; where that fails, an older answer is better than none."""
        if older is None:
            return ask(deadline)
        if time.monotonic() < self._asked_again:
            return older
        try:
            return ask(Deadline(min(_PATIENCE_S, deadline.remaining() / 2)))
        except NoCell:  # the authority is well: nobody else need spare it
            raise
        except SourceError as error:
            rest = error.seconds if isinstance(error, Throttled) else 0.0
            self._asked_again = time.monotonic() + min(max(rest, _REST_S), LONGEST_REST_S)
            return older

    def _new_outlook(self, centre: Point, deadline: Deadline) -> SnowData:
        today = self.day()
        newest = day_of(today) - 1

        def life(data: SnowData) -> timedelta:
            return _LATE_FOR if data.observed_until < newest else _OUTLOOK_FOR

        key = self._to(centre, today)
        ask = self._asking(centre, season_start(today), today + _AHEAD, life)
        data = self._outlooks.get(key, ask, unpack, deadline)
        if data.value.observed_until < newest:  # beside the one that is asked for again, for when the authority fails
            again = Answer(pack(data.value), None, None, self._clock.now() + _OUTLOOK_FOR)
            self._outlooks.get(_late(key), lambda *_: again, unpack, deadline)
        return data.value

    def _asking(
        self, centre: Point, first: date, last: date, life: Callable[[SnowData], timedelta]
    ) -> Callable[..., Answer]:
        def ask(_: str | None, __: str | None, deadline: Deadline) -> Answer:
            cell = self._cell(centre, deadline)
            service = self._service
            with service.unless_sent_away():
                data = at_point(
                    service.url, cell, first, last,
                    today=self.day(), user_agent=service.user_agent, deadline=deadline, client=service.client(),
                )  # fmt: skip
            return Answer(pack(data), None, None, self._clock.now() + life(data))

        return ask

    def _cell(self, centre: Point, deadline: Deadline) -> Point:
        def ask(_: str | None, __: str | None, deadline: Deadline) -> Answer:
            service = self._service
            with service.unless_sent_away():
                cell = nearest(
                    service.url, centre, service.search_day(),
                    user_agent=service.user_agent, deadline=deadline, client=service.client(),
                )  # fmt: skip
            life = KEPT_FOR if cell else NONE_FOR
            return Answer(json.dumps({"cell": cell}).encode(), None, None, self._clock.now() + life)

        cell = self._cells.get(self._service.key(centre), ask, _read_cell, deadline).value.cell
        if cell is None:
            raise NoCell(f"{NAME}: has no cell with data within 5 km of there")
        return cell

    def _to(self, centre: Point, day: date) -> str:
        return f"{self._service.key(centre)} {day}"


def _late(key: str) -> str:
    """Return where an outlook is kept that was late at the authority."""
    return f"{key} late"


def _read_cell(body: bytes) -> _Found:
    with suppress(ValueError, KeyError, TypeError):
        cell = json.loads(body)["cell"]
        return _Found(None if cell is None else (int(cell[0]), int(cell[1])))
    raise SourceError("the kept name of a snow cell is damaged")
