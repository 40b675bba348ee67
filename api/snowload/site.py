"""The site that a query describes (the point, its cells, the winters that count), and the data that answer for it."""

import math
from dataclasses import dataclass
from datetime import date, timedelta

from api.core.pipeline import Origin, origin_of
from api.core.printing import rounded
from api.core.query import outside
from api.snowload import problems
from api.snowload.annex import AnnexTable
from api.snowload.maxima import Cells, Failed
from api.snowload.municipality import Municipalities
from api.snowload.schemas import LAT, LON, SnowloadQuery
from catalog.sources.nve_gts import Point
from kernels import utm
from kernels.snowload.seasons import LEAST_DAYS
from tiles.grid import SENORGE1KM
from tiles.products.snow_history import FIRST_YEAR

LEAST_SEASONS = 20
"""Fewer say nothing of a return level of decades."""
DEFAULT_SEASONS = 50

# The box in UTM 33 that holds the coverage, in whole km.
_X, _Y = (-167_000, 1_527_000), (6_317_000, 8_072_000)


@dataclass(frozen=True)
class Site:
    """A site and the winters that count.

    Parameters
    ----------
    query : SnowloadQuery
    lat, lon : float
        Degrees.
    x, y : float
        The same point in UTM 33, m.
    cells : tuple of Point
        Centres of those that count; each once.
    start : date
        Of the series; never before the data.
    seasons : range
        Years in which the winters begin that count, from `start` to the last whole one.
    """

    query: SnowloadQuery
    lat: float
    lon: float
    x: float
    y: float
    cells: tuple[Point, ...]
    start: date
    seasons: range

    @property
    def centre(self) -> Point:
        """Centre of the cell of 1 km that holds the point."""
        return centre_of(self.x, self.y)

    @property
    def metres(self) -> tuple[int, int]:
        """The point in whole metres, rounded down: they lie in the same cell."""
        return math.floor(self.x), math.floor(self.y)


@dataclass(frozen=True)
class Inputs:
    """Inputs of an answer.

    Parameters
    ----------
    site : Site
    data : mapping of Point to SnowCell or Failed
        Of the cells that count, and of the point's own.
    municipalities : Municipalities or None
        None where no borders are published.
    annex : AnnexTable
    """

    site: Site
    data: Cells
    municipalities: Municipalities | None
    annex: AnnexTable

    @property
    def height(self) -> float | None:
        """Height of the point's own cell, m."""
        centre = self.data[self.site.centre]
        return None if isinstance(centre, Failed) else rounded(centre.altitude, 1)

    @property
    def snow_origin(self) -> Origin:
        """`simulated` if the snow of any cell is."""
        return origin_of(*(cell.data_origin for cell in self.data.values() if not isinstance(cell, Failed)))

    @property
    def borders_origin(self) -> Origin:
        """`simulated` if the borders are; `live` without any."""
        return origin_of("live" if self.municipalities is None else self.municipalities.data_origin)


def parse_query(query: SnowloadQuery, last_day: date) -> Site:
    """Return the site that a query describes.

    Parameters
    ----------
    query : SnowloadQuery
    last_day : date
        The 31 August with which the last whole winter ends.

    Raises
    ------
    ApiError
        `POINT`, `OUTSIDE`, `START_LATE`.
    """
    lat, lon, x, y = _point(query)
    cells = [centre_of(*cell) for cell in query.cells] if query.cells else _around(centre_of(x, y), query.grid)
    latest = _latest_start(last_day.year - LEAST_SEASONS)
    start = max(date(FIRST_YEAR, 9, 1), query.start or date(last_day.year - DEFAULT_SEASONS, 9, 1))
    if start > latest:
        raise problems.START_LATE("start", latest=latest, least=LEAST_SEASONS)
    first = start.year if start <= _latest_start(start.year) else start.year + 1
    return Site(query, lat, lon, x, y, tuple(dict.fromkeys(cells)), start, range(first, last_day.year))


def centre_of(x: float, y: float) -> Point:
    """Return the centre of the cell of 1 km that holds a position, also where the authority's grid has ended."""
    return SENORGE1KM.middle(SENORGE1KM.cell_around(x, y))


def _point(query: SnowloadQuery) -> tuple[float, float, float, float]:
    """Return degrees and metres of the point; `x` and `y` count where both pairs are given."""
    lat, lon, x, y = query.lat, query.lon, query.x, query.y
    for one, other in (("lat", "lon"), ("lon", "lat"), ("x", "y"), ("y", "x")):
        if getattr(query, one) is None and getattr(query, other) is not None:
            raise problems.POINT(one)
    if x is not None and y is not None:
        if (name := outside(y, x, _Y, _X)) is not None:
            raise problems.OUTSIDE("y" if name == "lat" else "x")
        lat, lon = map(float, utm.inverse(float(x), float(y)))
    if lat is None or lon is None:
        raise problems.POINT()
    if (name := outside(lat, lon, LAT, LON)) is not None:
        raise problems.OUTSIDE(name if x is None else None)
    east, north = utm.forward(lat, lon) if x is None or y is None else (x, y)
    return lat, lon, float(east), float(north)


def _around(centre: Point, side: int) -> list[Point]:
    """Return the cells of a square, as on a map: from north-west to south-east."""
    step = round(SENORGE1KM.size)
    steps = range(-(side // 2) * step, (side // 2 + 1) * step, step)
    return [(centre[0] + east, centre[1] - south) for south in steps for east in steps]


def _latest_start(year: int) -> date:
    """Return the last day from which on the winter that begins in a year has enough days."""
    return date(year + 1, 9, 1) - timedelta(days=LEAST_DAYS)
