"""Water in the snow of 1 km cells since 1957, fetched on demand by questions for several cells and kept 30 days."""

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np
from isal import igzip_lib, isal_zlib
from numpy.typing import NDArray

from catalog.readthrough import Life, ReadThrough
from catalog.snow_service import FIRST_DAY, KEPT_FOR, NONE_FOR, SnowService
from catalog.sources.errors import SourceError
from catalog.sources.http import Deadline
from catalog.sources.nve_gts import (
    NAME,
    THERE,
    DataOrigin,
    NoCell,
    Point,
    SnowData,
    TooManyQuestions,
    at_points,
    batches,
    day_of,
    with_data,
)
from tiles.clock import Clock

SWE = "swe"
# A cell takes some 20 kB, and a place nine cells.
_MOST_BYTES = 300_000_000
_LEVEL = 1
# A series that ends earlier may have been cut off on the way.
_WINTER_DAYS, _LEAST_DAYS = 365, 330
_DAMAGED: tuple[type[Exception], ...] = (ValueError, KeyError, TypeError, igzip_lib.IsalError)  # type: ignore[assignment]
# Of the deadline this is left for what comes after, or the caller gives up while it is being told.
_TO_ANSWER_S = 0.5


@dataclass(frozen=True, eq=False)
class Water:
    """Water equivalent of the snow of a cell.

    Parameters
    ----------
    days : int64 (n,)
        Consecutive, from 1 September 1957 to a 31 August, days since 1970-01-01; day d ends at 06 UTC of d + 1.
    swe : float32 (n,)
        At the end of the day, mm; NaN is missing.
    altitude : float
        Of the cell, m above sea level.
    data_origin : {"live", "simulated"}
    """

    days: NDArray[np.int64]
    swe: NDArray[np.float32]
    altitude: float
    data_origin: DataOrigin


@dataclass(frozen=True, eq=False)
class Fetched:
    """What could be had of some cells.

    Parameters
    ----------
    found : dict of Point to Water or None
        None: the authority has no cell with data there.
    failed : SourceError or None
        Why the others are not in `found`, or end a year earlier.
    """

    found: dict[Point, Water | None]
    failed: SourceError | None


class _Kept(NamedTuple):
    water: Water | None


class SnowWater:
    """Water in the snow, read through a folder that the processes of a machine share.

    Safe to use from several threads; it waits for the disk, and for the authority.

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
        life = Life(KEPT_FOR, KEPT_FOR, KEPT_FOR)
        self._cells: ReadThrough[_Kept] = ReadThrough(folder, NAME, clock, _MOST_BYTES, life)

    def kept(self, points: Iterable[Point], *, older: bool = False) -> dict[Point, Water | None]:
        """Return what is kept of some cells, as `Fetched.found` has it; nobody is asked.

        Parameters
        ----------
        points : iterable of (easting, northing)
            Centres of 1 km cells, m, UTM 33. Those that would have to be asked for are left out.
        older : bool
            Whether days that end a year earlier will do.
        """
        last = self.last_summer()
        return self._held(points, (last, last.replace(year=last.year - 1)) if older else (last,))

    def fetch(self, points: Iterable[Point], deadline: Deadline) -> Fetched:
        """Return the days of some cells: what is kept, and by a question for several cells what is not.

        The first question that fails ends it. What was answered before is kept and returned, and of other cells the
        days that end a year earlier, where they are kept. Each cell is asked for once, however many want it.

        Parameters
        ----------
        points : iterable of (easting, northing)
            Centres of 1 km cells, m, UTM 33.
        deadline : Deadline
            For all of it.
        """
        asked, last = tuple(dict.fromkeys(points)), self.last_summer()
        within = Deadline(max(0.0, deadline.remaining() - _TO_ANSWER_S))
        found = self._held(asked, (last,))
        missing = [point for point in asked if point not in found]
        try:
            for batch in batches(missing, _n_days(last)):
                found |= self._fetch(batch, last, within)
        except SourceError as error:
            before = last.replace(year=last.year - 1)
            return Fetched(found | self._held((point for point in missing if point not in found), (before,)), error)
        return Fetched(found, None)

    def last_summer(self) -> date:
        """Return the 31 August that the newest days end with."""
        return self._service.last_summer()

    def trim(self) -> None:
        """Remove what is too old or too much; it may wait for the disk."""
        self._cells.trim()

    def _held(self, points: Iterable[Point], ends: Sequence[date]) -> dict[Point, Water | None]:
        held: dict[Point, Water | None] = {}
        for point in points:
            for last in ends:
                if kept := self._cells.fresh(self._key(point, last), _unpack):
                    held[point] = kept.value.water
                    break
        return held

    def _fetch(self, points: Sequence[Point], last: date, deadline: Deadline) -> dict[Point, Water | None]:
        """Ask for cells, unless somebody else has done so meanwhile."""
        with self._cells.locked([self._key(point, last) for point in points], deadline):
            found = self._held(points, (last,))
            if missing := [point for point in points if point not in found]:
                with self._service.unless_sent_away():
                    told = self._ask(missing, last, deadline)
                for point, water in told.items():
                    self._cells.put(self._key(point, last), _pack(water), _life(water))
                with suppress(OSError):
                    self.trim()
                found |= told
        return found

    def _ask(self, points: Sequence[Point], last: date, deadline: Deadline) -> dict[Point, Water | None]:
        """Ask by one question; where it is refused for a point at sea, first, of one day, which points there are.

        A refusal need not say for which point, and each half of the question would be as long an answer again.
        """
        told: dict[Point, Water | None] = dict.fromkeys(points)
        try:
            data = self._days(points, last, deadline, most_requests=1)
        except TooManyQuestions:
            there = self._with_data(points, deadline)
            data = self._days(there, last, deadline) if there else None
        if data is None:
            self._require_order(deadline)
            return told
        return told | {point: _water_of(data, column) for column, point in enumerate(data.points)}

    def _days(
        self, points: Sequence[Point], last: date, deadline: Deadline, most_requests: int | None = None
    ) -> SnowData | None:
        service = self._service
        try:
            return at_points(
                service.url, points, FIRST_DAY, last, today=service.day(), user_agent=service.user_agent,
                deadline_s=deadline, client=service.client(), most_requests=most_requests, quantities=(SWE,),
            )  # fmt: skip
        except NoCell:
            return None

    def _with_data(self, points: Sequence[Point], deadline: Deadline) -> tuple[Point, ...]:
        service = self._service
        return with_data(
            service.url, points, service.search_day(),
            user_agent=service.user_agent, deadline_s=deadline, client=service.client(),
        )  # fmt: skip

    def _require_order(self, deadline: Deadline) -> None:
        """Raise where an authority that has none of some cells has not one in the middle of Oslo either."""
        if not self._with_data([THERE], deadline):
            raise SourceError(f"{NAME}: has no cell with data where there is one: it is out of order")

    def _key(self, point: Point, last: date) -> str:
        return f"{self._service.key(point)} {last}"


def _life(water: Water | None) -> timedelta:
    """Return how long a cell is kept: a day where it has no data, or too little of its newest winter."""
    whole = water is not None and np.count_nonzero(~np.isnan(water.swe[-_WINTER_DAYS:])) >= _LEAST_DAYS
    return KEPT_FOR if whole else NONE_FOR


def _n_days(last: date) -> int:
    return day_of(last) - day_of(FIRST_DAY) + 1


def _water_of(data: SnowData, column: int) -> Water:
    swe = np.ascontiguousarray(data.values[SWE][:, column])
    return Water(data.days, swe, float(data.altitude[column]), data.data_origin)


def _pack(water: Water | None) -> bytes:
    """Return bytes: a line of JSON that says what it is, then the values, compressed."""
    if water is None:
        return b'{"days": null}\n'
    told = {
        "days": [int(water.days[0]), water.days.size],
        "altitude": water.altitude,
        "data_origin": water.data_origin,
    }
    return json.dumps(told).encode() + b"\n" + isal_zlib.compress(water.swe.astype("<f4").tobytes(), _LEVEL)


def _unpack(body: bytes) -> _Kept:
    head, _, rest = body.partition(b"\n")
    try:
        told = json.loads(head)
        if told["days"] is None:
            return _Kept(None)
        first, n_days = told["days"]
        # another library than Python's own: three times as fast
        swe = np.frombuffer(isal_zlib.decompress(rest), "<f4").reshape(n_days)
        days = first + np.arange(n_days, dtype=np.int64)
        origin: DataOrigin = "simulated" if told["data_origin"] == "simulated" else "live"
        return _Kept(Water(days, swe, float(told["altitude"]), origin))
    except _DAMAGED as error:
        raise SourceError(f"kept water of a cell is damaged: {error!r:.100}") from error
