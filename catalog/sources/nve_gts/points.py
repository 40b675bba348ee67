"""Ask the snow authority for cells, for which of some there are, and whether it has any at all."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta

import httpx
import numpy as np
from numpy.typing import NDArray

from catalog.sources.errors import SourceError
from catalog.sources.http import Deadline
from catalog.sources.nve_gts.answers import Answered, have_data
from catalog.sources.nve_gts.asking import asking, batches
from catalog.sources.nve_gts.model import NAME, QUANTITIES, NoCell, Point, SnowData, centre_of, day_of, stamp_of
from catalog.sources.nve_gts.themes import SWE, THEMES, Theme


def at_points(
    url: str,
    points: Sequence[Point],
    first: date,
    last: date,
    *,
    today: date,
    user_agent: str,
    deadline_s: Deadline | float,
    report: Callable[[str], None] | None = None,
    client: httpx.Client | None = None,
    pause_s: float | None = None,
    most_requests: int | None = None,
    quantities: Sequence[str] = QUANTITIES,
) -> SnowData:
    """Return the days of cells, by batches of bounded size, one question at a time.

    Parameters
    ----------
    url : str
        The service, without `/api`.
    points : sequence of (easting, northing)
        Centres of 1 km cells, m, UTM 33; those without a cell or without any data are left out of the answer.
    first, last : date
        Our days, both included.
    today : date
        The clock's, UTC: the day before it is the last observed one where the authority does not say.
    user_agent : str
        Names the caller.
    deadline_s : Deadline or float
        For all of it; a number is seconds from now.
    report : callable, optional
        Told how far it is.
    client : httpx.Client, optional
        Of `make_client`, where the caller has one.
    pause_s : float, optional
        Between questions, s; by default 0.2, and none on this machine.
    most_requests : int, optional
        After so many questions it gives up (`TooManyQuestions`): a point without a cell costs one or two.
    quantities : sequence of str, optional
        Of `QUANTITIES`, by default all. `values` holds these alone, and data of others do not count.

    Raises
    ------
    NoCell
        None of the points has a cell with data.
    SourceError
        The data cannot be had, or cannot be interpreted.
    """
    table = _Table(tuple(dict.fromkeys(_checked(point) for point in points)), first, last, _themes(quantities))
    say = report or (lambda _: None)
    parts = batches(table.points, table.n_days)
    planned, done = len(parts) * len(table.themes), 0
    with asking(url, user_agent, deadline_s, client, pause_s, most_requests) as authority:
        for part in parts:
            there: Sequence[Point] = part
            for theme in table.themes:
                answers = authority.many(theme, there, table.start, table.n_days) if there else []
                for answered in answers:
                    table.take(theme, answered)
                there = [point for answered in answers for point in answered.points]
                done += 1
                say(f"snow: theme {theme.name}, {done} of {planned} requests")
        return table.data(today)


def with_data(
    url: str,
    points: Sequence[Point],
    day: date,
    *,
    user_agent: str,
    deadline_s: Deadline | float,
    client: httpx.Client | None = None,
    pause_s: float | None = None,
    most_requests: int | None = None,
) -> tuple[Point, ...]:
    """Return those of some points, in their order, of which the authority knows the snow of a day.

    Parameters
    ----------
    points : sequence of (easting, northing)
        Centres of 1 km cells, m, UTM 33.
    day : date
        Ours.
    most_requests : int, optional
        After so many questions it gives up; a point without a cell may cost one or two.
    url, user_agent, deadline_s, client, pause_s
        As `at_points` takes them.

    Raises
    ------
    SourceError
        The authority cannot be asked, or it takes more questions than it may.
    """
    asked = tuple(dict.fromkeys(_checked(point) for point in points))
    told: dict[Point, bool] = {}
    with asking(url, user_agent, deadline_s, client, pause_s, most_requests) as authority:
        for part in batches(asked, 1):
            told |= have_data(authority.many(SWE, part, stamp_of(day), 1))
    return tuple(point for point in asked if told.get(point))


def require_data(
    url: str,
    day: date,
    *,
    user_agent: str,
    deadline_s: Deadline | float,
    client: httpx.Client | None = None,
    pause_s: float | None = None,
) -> None:
    """Raise where the authority has no snow of a day even in a cell that there is: it is out of order.

    Parameters
    ----------
    day : date
        Ours, an observed one.
    url, user_agent, deadline_s, client, pause_s
        As `at_points` takes them.

    Raises
    ------
    SourceError
    """
    with asking(url, user_agent, deadline_s, client, pause_s) as authority:
        if not authority.probe(SWE, stamp_of(day)):
            raise SourceError(f"{NAME}: has no data where there is a cell: it is out of order")


_LATEST_DAYS = 10
"""A forecast that begins longer ago, or later than tomorrow, is none."""


class _Table:
    """Days by points, filled theme by theme."""

    def __init__(self, points: tuple[Point, ...], first: date, last: date, themes: Sequence[Theme]) -> None:
        if last < first:
            raise ValueError(f"the last day {last} lies before the first, {first}")
        self.points, self.themes = points, themes
        self.start = stamp_of(first)
        self.n_days = (last - first) // timedelta(days=1) + 1
        self._days = day_of(first) + np.arange(self.n_days, dtype=np.int64)
        self._column = {point: column for column, point in enumerate(points)}
        self._values = {theme.quantity: self._empty() for theme in themes}
        self._altitude = np.full(len(points), np.nan)
        self._forecast_from: list[int] = []
        self._simulated = False

    def take(self, theme: Theme, answered: Answered) -> None:
        """Put an answer where it belongs."""
        columns = [self._column[point] for point in answered.points]
        self._values[theme.quantity][:, columns] = answered.values
        self._altitude[columns] = answered.altitude
        self._simulated |= answered.data_origin == "simulated"
        if answered.forecast_from is not None:
            self._forecast_from.append(answered.forecast_from)

    def data(self, today: date) -> SnowData:
        """Return the points that have any data.

        Raises
        ------
        NoCell
            There are none.
        """
        any_data = np.zeros(len(self.points), dtype=np.bool_)
        for values in self._values.values():
            any_data |= ~np.isnan(values).all(axis=0)
        if not any_data.any():
            raise NoCell(f"{NAME}: has no data of these days at any place that was asked for")
        kept = any_data.nonzero()[0]
        whole = kept.size == len(self.points)
        now = day_of(today)
        # dates such as 01.01.0001 say nothing
        told = [day for day in self._forecast_from if now - _LATEST_DAYS <= day <= now + 1]
        observed = min(told, default=now) - 1
        return SnowData(
            days=self._days,
            points=tuple(self.points[column] for column in kept),
            altitude=self._altitude[kept],
            # of a whole country a copy is 300 MB
            values=self._values if whole else {name: values[:, kept] for name, values in self._values.items()},
            observed_until=min(observed, int(self._days[-1])),
            data_origin="simulated" if self._simulated else "live",
        )

    def _empty(self) -> NDArray[np.float32]:
        return np.full((self.n_days, len(self.points)), np.nan, dtype=np.float32)


def _themes(quantities: Sequence[str]) -> tuple[Theme, ...]:
    if isinstance(quantities, str) or not quantities or not set(quantities) <= set(QUANTITIES):
        raise ValueError(f"{quantities!r} are no quantities of {QUANTITIES}")
    return tuple(theme for theme in THEMES if theme.quantity in quantities)


def _checked(point: Point) -> Point:
    centre = centre_of(*point)
    if centre is None or centre != tuple(point):
        raise ValueError(f"{point} is not the centre of a cell of the snow authority's grid")
    return centre
