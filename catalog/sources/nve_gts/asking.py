"""How the authority is asked: one question at a time, with pauses, and in smaller parts where it cannot answer.

How sure we are. Public clients agree on the address, on the JSON that is posted, with dates as `2026-10-05` and
"x y, x y" of integers in UTM 33, and on a point without a cell, or an answer too large, failing a whole list. From them
as well: 40 cells of 20 years in one question work. Not known: how many questions a day the authority bears; so a
fetch has no two at a time, and the API few fetches.
"""

import math
import time
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from functools import partial
from urllib.parse import urlsplit

import httpx
import numpy as np
import orjson

from catalog.sources.data_origin import origin_of
from catalog.sources.errors import Origin, SourceError
from catalog.sources.fetch import fetch
from catalog.sources.http import Deadline, without_credentials
from catalog.sources.nve_gts.answers import Answered, have_data, read
from catalog.sources.nve_gts.model import (
    CELL,
    NAME,
    QUANTITIES,
    NoCell,
    Point,
    SnowData,
    centre_of,
    day_of,
    stamp_of,
)
from catalog.sources.nve_gts.refusals import NoCellAmong, TooLarge, explain
from catalog.sources.nve_gts.themes import SWE, THEMES, Theme

PAUSE_S = 0.2
MOST_POINTS = 2_000
MOST_VALUES = 250_000
WITHIN_M = 5_000.0
# Each point of the sea may cost a question or two; places of land find theirs with the first few.
MOST_REQUESTS = 40
_MAX_BYTES = 32_000_000
# Seas and skerries have no cells, but a service that says so of everything is out of order: after so many refusals on
# end it is asked for a cell that there is, in the middle of Oslo.
_MOST_REFUSALS = 200
THERE: Point = (262_500, 6_649_500)
"""A cell that there is."""
_HERE = ("127.0.0.1", "localhost", "::1")
# A forecast that begins longer ago, or later than tomorrow, is none.
_LATEST_DAYS = 10


class Authority:
    """The snow authority, during one fetch.

    Parameters
    ----------
    url : str
        The service, without `/api`.
    client : httpx.Client
        Of `make_client`.
    deadline : Deadline
        For all that is asked.
    report : callable, optional
        Told how far `at_points` is.
    """

    def __init__(
        self, url: str, client: httpx.Client, deadline: Deadline, report: Callable[[str], None] | None = None
    ) -> None:
        self._service = f"{url.rstrip('/')}/api/MultiPointTimeSeries/ByMapCoordinateCsv"
        self._origin = Origin(NAME, without_credentials(self._service))
        self._client, self._deadline, self._report = client, deadline, report or (lambda _: None)
        self.pause_s = 0.0 if urlsplit(url).hostname in _HERE else PAUSE_S
        self._next, self._refusals, self._questions = 0.0, 0, 0

    def at_points(
        self, points: Sequence[Point], first: date, last: date, *, today: date, quantities: Sequence[str] = QUANTITIES
    ) -> SnowData:
        """Return the days of cells, by batches of bounded size, one question at a time.

        Parameters
        ----------
        points : sequence of (easting, northing)
            Centres of 1 km cells, m, UTM 33; those without a cell or without any data are left out of the answer.
        first, last : date
            Our days, both included.
        today : date
            The clock's, UTC: the day before it is the last observed one where the authority does not say.
        quantities : sequence of str, optional
            Of `QUANTITIES`, by default all. `values` holds these alone, and data of others do not count.

        Raises
        ------
        NoCell
            None of the points has a cell with data.
        SourceError
            The data cannot be had, or cannot be interpreted.
        """
        themes = [theme for theme in THEMES if theme.quantity in quantities]
        column = {point: place for place, point in enumerate(dict.fromkeys(points))}
        days = np.arange(day_of(first), day_of(last) + 1, dtype=np.int64)
        values = {theme.quantity: np.full((days.size, len(column)), np.nan, np.float32) for theme in themes}
        altitude = np.full(len(column), np.nan)
        forecasts, origins, done = set[int](), set[str](), 0
        parts = batches(list(column), days.size)
        for part in parts:
            there: Sequence[Point] = part
            for theme in themes:
                answers = self._many(theme, there, first, days.size)
                for answered in answers:
                    columns = [column[point] for point in answered.points]
                    values[theme.quantity][:, columns] = answered.values
                    altitude[columns] = answered.altitude
                    origins.add(answered.data_origin)
                    forecasts |= answered.forecast_from
                there = [point for answered in answers for point in answered.points]
                done += 1
                self._report(f"snow: theme {theme.name}, {done} of {len(parts) * len(themes)} requests")
        (kept,) = np.any([~np.isnan(series).all(axis=0) for series in values.values()], axis=0).nonzero()
        if not kept.size:
            raise NoCell(f"{NAME}: has no data of these days at any place that was asked for")
        if kept.size < len(column):  # of a whole country a copy is 300 MB
            values = {name: series[:, kept] for name, series in values.items()}
        found, now = list(column), day_of(today)
        # dates such as 01.01.0001 say nothing
        observed = min((day for day in forecasts if now - _LATEST_DAYS <= day <= now + 1), default=now) - 1
        return SnowData(
            days=days,
            points=tuple(found[place] for place in kept),
            altitude=altitude[kept],
            values=values,
            observed_until=min(observed, int(days[-1])),
            data_origin=origin_of(*origins),
        )

    def with_data(self, points: Sequence[Point], day: date) -> tuple[Point, ...]:
        """Return those of some points, in their order, of which the authority knows the snow of a day of ours.

        Raises
        ------
        SourceError
        """
        told: dict[Point, bool] = {}
        for part in batches(list(dict.fromkeys(points)), 1):
            told |= have_data(self._many(SWE, part, day, 1))
        return tuple(point for point in dict.fromkeys(points) if told.get(point))

    def nearest(self, centre: Point, day: date) -> Point | None:
        """Return the cell nearest to a point, centre to centre, of which the authority knows the snow of a day.

        Parameters
        ----------
        centre : (easting, northing)
            Centre of a 1 km cell, m, UTM 33.
        day : date
            Ours, an observed one.

        Returns
        -------
        Point or None
            None where there is none within 5 km, or 40 questions have found none: where most of what is near is sea,
            land beyond three kilometres may be missed.

        Raises
        ------
        SourceError
            The authority cannot be asked, its answer cannot be interpreted, or it has cells there and says nothing of
            any: that is a fault of the moment, and no lack of cells.
        """
        told: dict[Point, bool] = {}
        until = self._questions + MOST_REQUESTS
        for ring in _rings(centre):
            told |= have_data(self._many(SWE, ring, day, 1, until))
            if found := [point for point in ring if told.get(point)]:
                return found[0]
        if told:
            raise SourceError(f"{NAME}: has cells within 5 km of there, and no snow of {day} in any of them")
        return None

    def require_data(self, day: date) -> None:
        """Raise where the authority has no snow of an observed day even in a cell that there is: it is out of order.

        Raises
        ------
        SourceError
        """
        try:
            told = self._ask(SWE, (THERE,), day, 1)
        except NoCellAmong as error:
            raise SourceError(f"{error}, though there is one: it is out of order") from error
        if np.isnan(told.values).all():
            raise SourceError(f"{NAME}: has no data where there is a cell: it is out of order")

    def _many(
        self, theme: Theme, points: Sequence[Point], first: date, n_days: int, until: float = math.inf
    ) -> list[Answered]:
        """Return a theme of some cells: parts in the order of the points, without those of no cell.

        Nothing is asked any more after this fetch's question number `until`; repeated ones do not count.
        """
        parts: list[Answered] = []
        waiting = [tuple(points)] if points else []
        while waiting and self._questions < until:
            some = waiting.pop()
            try:
                parts.append(self._ask(theme, some, first, n_days))
                self._refusals = 0
            except NoCellAmong as error:
                self._refusals += 1
                if self._refusals > _MOST_REFUSALS:
                    self.require_data(first)
                    self._refusals = 0
                waiting += [part for part in _without(some, error.named) if part]
            except TooLarge:
                if len(some) == 1:
                    raise
                waiting += _halves(some)
        return parts

    def _ask(self, theme: Theme, points: Sequence[Point], first: date, n_days: int) -> Answered:
        start = stamp_of(first)
        question = {
            "Theme": theme.name,
            "StartDate": f"{start:%Y-%m-%d}",
            "EndDate": f"{start + timedelta(days=n_days - 1):%Y-%m-%d}",
            "Format": "json",
            "MapCoordinateCsv": ", ".join(f"{x} {y}" for x, y in points),
        }
        time.sleep(max(0.0, min(self._next - time.monotonic(), self._deadline.remaining())))
        self._questions += 1
        try:
            answer = fetch(
                NAME, self._service, self._client, self._deadline, max_bytes=_MAX_BYTES,
                content=orjson.dumps(question), explain=partial(explain, self._origin),
            )  # fmt: skip
        finally:
            self._next = time.monotonic() + self.pause_s
        return read(answer.body or b"", self._origin, theme, points, start, n_days)


def batches(points: Sequence[Point], n_days: int) -> list[Sequence[Point]]:
    """Return points in parts whose answers are of bounded size."""
    at_once = min(MOST_POINTS, max(1, MOST_VALUES // n_days))
    return [points[first : first + at_once] for first in range(0, len(points), at_once)]


def _without(points: tuple[Point, ...], named: Point | None) -> list[tuple[Point, ...]]:
    """Return what is asked for next, the last first, after a question with a point that has no cell."""
    if named in points:
        return [tuple(point for point in points if point != named)]
    return [] if len(points) == 1 else _halves(points)


def _halves(points: tuple[Point, ...]) -> list[tuple[Point, ...]]:
    middle = (len(points) + 1) // 2
    return [points[middle:], points[:middle]]


def _rings(centre: Point) -> list[list[Point]]:
    """Return the cells within 5 km of one, from the inside out, those at one distance together."""
    reach = int(WITHIN_M // CELL)
    steps = [(x * CELL, y * CELL) for x in range(-reach, reach + 1) for y in range(-reach, reach + 1)]
    rings: dict[float, list[Point]] = {}
    for x, y in sorted(steps, key=lambda step: math.hypot(*step)):
        point = centre_of(centre[0] + x, centre[1] + y)
        if point and math.hypot(x, y) <= WITHIN_M:
            rings.setdefault(math.hypot(x, y), []).append(point)
    return list(rings.values())
