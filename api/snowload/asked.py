"""What a query means: the point, its cells, the winters that count."""

import math
from calendar import isleap
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from api import texts
from api.errors import BadRequest
from api.snowload.query import LAT, LON, Format, SnowloadQuery
from catalog.sources.nve_gts import Point
from kernels import utm
from kernels.snowload.seasons import LEAST_DAYS
from tiles.grid import SENORGE1KM
from tiles.products.snow_history import FIRST_YEAR

LEAST_SEASONS = 20
"""Fewer say nothing of a return level of decades."""
DEFAULT_SEASONS = 50

_CELL = round(SENORGE1KM.size)
# Beyond, the projection's series says nothing; no place of the coverage is that far out.
_NEAR = ((-2_000_000, 3_000_000), (5_000_000, 9_500_000))


@dataclass(frozen=True)
class Asked:
    """A question as it was understood.

    Parameters
    ----------
    lat, lon : float
        Degrees.
    x, y : float
        The same point in UTM 33, m.
    centre : Point
        Centre of the cell of 1 km that holds it.
    cells : tuple of Point
        That count; each once.
    grid : int
        Cells to a side.
    manual : bool
        Whether the cells were chosen by hand.
    repeated : int
        How many of these named a cell that was named before.
    period : int
        Years.
    variability : float
    start : date
        Of the series; never before the data.
    seasons : range
        Years in which the winters begin that count from `start` on, to the last whole one.
    early : bool
        Whether a start before the data was asked for.
    both : bool
        Whether `lat` and `lon` were given beside `x` and `y`.
    elev : float or None
    format : str
    ignored : tuple of str
        Parameters that there are none of.
    """

    lat: float
    lon: float
    x: float
    y: float
    centre: Point
    cells: tuple[Point, ...]
    grid: int
    manual: bool
    repeated: int
    period: int
    variability: float
    start: date
    seasons: range
    early: bool
    both: bool
    elev: float | None
    format: Format
    ignored: tuple[str, ...]

    @property
    def metres(self) -> tuple[int, int]:
        """The point in whole metres, rounded down: they lie in the same cell."""
        return math.floor(self.x), math.floor(self.y)

    @property
    def looked_at(self) -> tuple[Point, ...]:
        """The cells, and the point's own: of that the height counts."""
        return tuple(dict.fromkeys((*self.cells, self.centre)))

    def told(self) -> list[Any]:
        """Return all that an answer depends on beside the data."""
        return [
            self.lat, self.lon, self.x, self.y, self.cells, self.grid, self.manual, self.repeated, self.period,
            self.variability, str(self.start), self.seasons.start, self.seasons.stop, self.early, self.both,
            self.elev, self.format, self.ignored,
        ]  # fmt: skip


def understood(query: SnowloadQuery, ignored: tuple[str, ...], last_day: date) -> Asked:
    """Return what a query means.

    Parameters
    ----------
    query : SnowloadQuery
    ignored : tuple of str
    last_day : date
        The 31 August with which the last whole winter ends.

    Raises
    ------
    BadRequest
        No point is given, or one outside of Norway; or the series would be too short.
    """
    lat, lon, x, y = _point(query)
    centre = centre_of(x, y)
    chosen = [centre_of(*one) for one in query.cells or ()]
    cells = tuple(dict.fromkeys(chosen)) if chosen else _around(centre, query.grid)
    start, early = _start(query.start, last_day)
    seasons = range(_first_season(start), last_day.year)
    if len(seasons) < LEAST_SEASONS:
        latest = date(last_day.year - LEAST_SEASONS, 9, 1) + _slack(last_day.year - LEAST_SEASONS)
        raise BadRequest(texts.SNOWLOAD_LATE.format(latest=latest, least=LEAST_SEASONS))
    return Asked(
        lat=lat,
        lon=lon,
        x=x,
        y=y,
        centre=centre,
        cells=cells,
        grid=query.grid,
        manual=bool(chosen),
        repeated=len(chosen) - len(cells) if chosen else 0,
        period=query.returnperiod,
        variability=query.variability,
        start=start,
        seasons=seasons,
        early=early,
        both=None not in (query.x, query.lat),
        elev=query.elev,
        format=query.format,
        ignored=ignored,
    )


def centre_of(x: float, y: float) -> Point:
    """Return the centre of the cell of 1 km that holds a position, also where the authority's grid has ended."""
    return int(x // _CELL) * _CELL + _CELL // 2, int(y // _CELL) * _CELL + _CELL // 2


def _point(query: SnowloadQuery) -> tuple[float, float, float, float]:
    """Return degrees and metres of the point; `x` and `y` count where both pairs are given."""
    given = [None not in pair for pair in ((query.x, query.y), (query.lat, query.lon))]
    half = (query.x is None) != (query.y is None) or (query.lat is None) != (query.lon is None)
    if half or not any(given):
        raise BadRequest(texts.SNOWLOAD_POINT)
    if query.x is not None and query.y is not None:
        x, y = float(query.x), float(query.y)
        if not all(low <= value <= high for value, (low, high) in zip((x, y), _NEAR, strict=True)):
            raise BadRequest(texts.SNOWLOAD_OUTSIDE)
        lat, lon = (float(value) for value in utm.inverse(x, y))
    else:
        assert query.lat is not None and query.lon is not None  # noqa: S101, PT018 -- `half` and `given` say so
        lat, lon = query.lat, query.lon
        x, y = (float(value) for value in utm.forward(lat, lon)) if _covered(lat, lon) else (0.0, 0.0)
    if not _covered(lat, lon):
        raise BadRequest(texts.SNOWLOAD_OUTSIDE)
    return lat, lon, x, y


def _covered(lat: float, lon: float) -> bool:
    return LAT[0] <= lat <= LAT[1] and LON[0] <= lon <= LON[1]


def _around(centre: Point, side: int) -> tuple[Point, ...]:
    """Return the cells of a square, as on a map: from north-west to south-east."""
    steps = range(-(side // 2) * _CELL, (side // 2 + 1) * _CELL, _CELL)
    return tuple((centre[0] + east, centre[1] - south) for south in steps for east in steps)


def _start(given: date | None, last_day: date) -> tuple[date, bool]:
    """Return where the series starts, and whether less than that was there."""
    earliest = date(FIRST_YEAR, 9, 1)
    if given is None:
        return max(earliest, date(last_day.year - DEFAULT_SEASONS, 9, 1)), False
    return max(earliest, given), given < earliest


def _first_season(start: date) -> int:
    """Return the year in which the first winter begins of which a start leaves enough days."""
    began = start.year if start >= date(start.year, 9, 1) else start.year - 1
    return began if start <= date(began, 9, 1) + _slack(began) else began + 1


def _slack(year: int) -> timedelta:
    """Return how many days of the winter that begins in a year may be missing."""
    return timedelta(days=365 + isleap(year + 1) - LEAST_DAYS)
