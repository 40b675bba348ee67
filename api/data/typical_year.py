"""The typical years that are published: which cell of land answers for a position, and reading its hours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.core import problems
from api.core.errors import Problem, problem
from api.core.executors import ReaderPool
from api.core.query import Query, latitude, longitude, outside
from api.data.published import Published
from api.data.tmy_products import ENSEMBLE, PRODUCTS, ProductName
from api.data.tmy_statistics import Statistics, read_statistics
from api.data.versions import Version, current_of, not_built, not_published, version_opener
from catalog.versions import Entry
from tiles.chunked import ChunkedTile
from tiles.grid import NORWAY3KM, Cell
from tiles.products.tmy import MADE_OF

LAT, LON = (57.0, 71.5), (4.0, 31.5)
REACH_KM = 6.0
_LAND, _STATS, _STATS_VARIABLE = "land", "tmy_stats", "annual_ghi_tmy"
# A site is asked for again in other formats, and the search takes 2 ms.
_REMEMBERED = 4096
# Some, so that a store that hangs on one reading stops no other.
_READERS = 4

Floats = NDArray[np.float64]

OUTSIDE = problem("typical_year.OUTSIDE")
NO_CELL = problem("typical_year.NO_CELL")
BEING_PUBLISHED = problem("typical_year.BEING_PUBLISHED")


@dataclass(slots=True, kw_only=True)
class PointQuery(Query):
    """A position on land."""

    guidance: ClassVar[Mapping[str, Problem]] = dict.fromkeys(("lat", "lon"), problems.POINT)

    lat: Annotated[float, latitude(LAT)]
    lon: Annotated[float, longitude(LON)]


class Place(NamedTuple):
    """The cell of NORWAY3KM that answers for a position, and the distance to its centre, km."""

    cell: Cell
    distance_km: float

    @property
    def cell_id(self) -> str:
        """The cell's name, such as `N3-066-112`."""
        return f"N3-{self.cell[0]:03d}-{self.cell[1]:03d}"


class Land:
    """The cells that hold land.

    Parameters
    ----------
    mask : (n_rows, n_cols) bool array
        On NORWAY3KM.
    version : str
        Name of what the mask was read from.
    """

    def __init__(self, mask: NDArray[np.bool_], version: str) -> None:
        self._mask, self.version = mask, version
        self._remembered = lru_cache(_REMEMBERED)(self._search)

    def nearest(self, lat: float, lon: float) -> Place:
        """Return the cell of land that is nearest by true distance.

        Raises
        ------
        ApiError
            `OUTSIDE`; `NO_CELL`: none lies within 6 km.
        """
        if (name := outside(lat, lon, LAT, LON)) is not None:
            raise OUTSIDE(name)
        place = self._remembered(lat, lon)
        if place is None:
            raise NO_CELL()
        return place

    def _search(self, lat: float, lon: float) -> Place | None:
        found = NORWAY3KM.nearest(lat, lon, self._mask, REACH_KM)
        return None if found is None else Place(*found)


@dataclass(frozen=True)
class Found:
    """Cell and data that answer for a position.

    Parameters
    ----------
    place : Place
    land : Land
    stats : Version
        That `known` was read from.
    known : Statistics
    """

    place: Place
    land: Land
    stats: Version
    known: Statistics

    @property
    def centre(self) -> tuple[float, float]:
        """Latitude and longitude of the cell's centre, degrees."""
        return NORWAY3KM.centre(self.place.cell)

    @property
    def versions(self) -> tuple[str, ...]:
        """Names of what was read."""
        return self.land.version, self.stats.name, self.place.cell_id


class Climate:
    """Reads typical years and their statistics; its methods but `find` block: call them by `readers`.

    Parameters
    ----------
    published : Published
    """

    def __init__(self, published: Published) -> None:
        described = version_opener("sources", "method", "generator")
        self._land = published.follow(_LAND, "land", _open_land)
        self._stats = published.follow(_STATS, _STATS_VARIABLE, described)
        self._years = {name: published.follow(name, "ghi", described) for name in PRODUCTS}
        self._clock = published.clock
        self.readers = ReaderPool(_READERS, "climate-reader")

    def find(self, lat: float, lon: float) -> Found:
        """Return what answers for a position.

        Raises
        ------
        ApiError
            As `Land.nearest` and `current_of`; `NOT_PUBLISHED`, `NOT_BUILT_HERE`.
        """
        now = self._clock.now()
        land: Land = _current(self._land, "land", now)
        place = land.nearest(lat, lon)
        stats: Version = _current(self._stats, _STATS_VARIABLE, now)
        with stats.reading() as tile:
            known = read_statistics(tile, place.cell)
        if known is None:
            raise not_built(stats, _STATS_VARIABLE, lat, lon)
        return Found(place, land, stats, known)

    def year(self, found: Found, product: ProductName = ENSEMBLE) -> Version:
        """Return the version of a product that is of one build with the statistics.

        Raises
        ------
        ApiError
            `NOT_PUBLISHED`; `NOT_BUILT_HERE` in this cell; `BEING_PUBLISHED`.
        """
        version: Version = _current(self._years[product], "ghi", self._clock.now())
        if product not in found.known.products:
            raise not_built(version, "ghi", *found.centre)
        builds = [one.provenance.get("build") for one in (found.stats, version)]
        if all(builds) and builds[0] != builds[1]:
            raise BEING_PUBLISHED(product=product)
        return version


def _current(followed: Any, variable: str, now: datetime) -> Any:
    current = current_of(followed, variable, now)
    if current is None:
        raise not_published(followed.product.name)
    return current


def _open_land(entry: Entry, tile: ChunkedTile) -> Land:
    return Land(tile.table("land") == 1, entry.path)


def hours_of(version: Version, found: Found, quantities: Sequence[str]) -> dict[str, Floats]:
    """Return the hours of a cell as they are stored, each float64 (8760,).

    Raises
    ------
    ApiError
        `NOT_BUILT_HERE`, `DAMAGED`.
    """
    with version.reading() as tile:
        hours = {name: tile.values(name, found.place.cell) for name in quantities}
    if any(np.isnan(values[0]) for values in hours.values()):
        raise not_built(version, "ghi", *found.centre)
    return hours


def made_of(product: ProductName, known: Statistics) -> str:
    """Return what a product is made of in a cell, in words."""
    if product == ENSEMBLE and known.weights["solarmodel"] == 0:
        return "the reanalysis alone, for the solar model does not reach this cell, bias corrected against pyranometers"
    return MADE_OF[product][0]


def headers_of(found: Found) -> Mapping[str, str]:
    """Return the headers that name the cell."""
    return {"X-Tmy-Cell": found.place.cell_id, "X-Tmy-Cell-Distance-Km": f"{found.place.distance_km:.3f}"}


HEADERS = (
    ("X-Tmy-Cell", "The cell that answers."),
    ("X-Tmy-Cell-Distance-Km", "From the position to its centre, km."),
    ("X-Data-Origin", "`live`; `simulated` if any input is."),
    ("Cache-Control", "`public, max-age=86400`."),
)
"""Headers of every answer about a cell, for the document."""
PLACE_PROBLEMS = (
    problems.POINT,
    OUTSIDE,
    NO_CELL,
    problems.NOT_PUBLISHED,
    problems.NOT_BUILT_HERE,
    problems.DAMAGED,
    BEING_PUBLISHED,
    problems.BUSY,
)
"""Problems of every route about a cell."""
