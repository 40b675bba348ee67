"""The winters' maxima of cells, wherever they come from: a tile, what is kept, or the snow authority itself."""

import contextvars
import logging
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from api import texts
from api.crew import Crew
from api.published import Followed
from api.snow.current import date_of
from api.snow.on_demand import OnDemand
from api.upstream import Upstream
from catalog.snow_cells import SnowCells
from catalog.snow_products import CellProduct, SnowCell, whole_years
from catalog.sources.errors import SourceError
from catalog.sources.nve_gts import Point, SnowData
from catalog.versions import Entry
from kernels.snowload.seasons import season_maxima
from tiles.chunked import ChunkedTile
from tiles.clock import Clock
from tiles.errors import TileError
from tiles.grid import SENORGE1KM, Cell
from tiles.products.snowload import PRODUCT

log = logging.getLogger("solflis.api")

OPENED_BY = "swe_max"
_READERS = 4

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Maxima:
    """Highest water equivalent of each winter of a cell.

    Parameters
    ----------
    first : int
        Year in which the first winter begins (1 September).
    swe : float64 (n,)
        mm; NaN where too few days of a winter are known.
    altitude : float
        Of the cell, m; NaN where it is not known.
    version : str
        Names what was read.
    data_origin : {"live", "simulated"}
    on_demand : bool
        Whether the authority was asked for it.
    sources : tuple of mapping
        `name`, `licence` and `attribution` of each.
    """

    first: int
    swe: NDArray[np.float64]
    altitude: float
    version: str
    data_origin: Literal["live", "simulated"]
    on_demand: bool
    sources: tuple[Mapping[str, str], ...]

    @property
    def last(self) -> int:
        """Year in which the last winter begins that is known; the one before the first where none is."""
        known = np.flatnonzero(~np.isnan(self.swe))
        return self.first + (int(known[-1]) if known.size else -1)


@dataclass(frozen=True)
class Lacking:
    """Why there is nothing of a cell.

    Parameters
    ----------
    text : str
        What the caller reads.
    failure : SourceError or None
        The authority's, where it was asked in vain.
    """

    text: str
    failure: SourceError | None = None


Looked = Mapping[Point, Maxima | Lacking]


@dataclass(frozen=True)
class Version:
    """A published version.

    Parameters
    ----------
    entry : Entry
    tile : ChunkedTile
    first : int
        Year in which its first winter begins.
    sources : tuple of mapping
    """

    entry: Entry
    tile: ChunkedTile
    first: int
    sources: tuple[Mapping[str, str], ...]


def _maxima_of(data: SnowData) -> tuple[int, Mapping[str, NDArray[np.floating]]]:
    seasons = season_maxima(data.days, data.values["swe"])
    return seasons.first, {OPENED_BY: seasons.maxima, "altitude": data.altitude}


def _is_whole(cell: SnowCell, _: date) -> bool:
    """Return whether the last winter has days enough: else it may have been cut off on the way."""
    return not np.isnan(cell.values[OPENED_BY][-1])


ON_DEMAND = CellProduct(
    PRODUCT, ("swe",), whole_years, _maxima_of, nearest=False, max_bytes=300_000_000, complete=_is_whole
)


class SnowLoads:
    """The winters' maxima of cells: what is published, else what the authority says when it is asked.

    Parameters
    ----------
    followed : Followed
        The product.
    cells : SnowCells
    authority : Upstream
    clock : Clock
    """

    def __init__(self, followed: Followed, cells: SnowCells, authority: Upstream, clock: Clock) -> None:
        self._followed, self._clock = followed, clock
        self._readers = Crew(_READERS, "snowload-reader")
        self._on_demand = OnDemand(cells, ON_DEMAND, authority, self._readers)

    def last_day(self) -> date:
        """Return the 31 August with which the last whole winter ends."""
        return date_of(self._on_demand.last_day())

    async def at(self, points: Iterable[Point]) -> Looked:
        """Return what there is of each cell, in the order asked for; a cell's failure takes no other with it.

        Parameters
        ----------
        points : iterable of Point
        """
        asked = tuple(points)
        serving = self._followed.current(OPENED_BY, self._clock.now())
        version = None if serving is None else serving.prepared
        found = await self._reading(partial(_published, version, asked))
        fetched = await self._on_demand.cells([point for point in asked if point not in found])
        found |= {
            point: Lacking(texts.SNOWLOAD_CELL_NONE) if cell is None else _from_cell(cell)
            for point, cell in fetched.found.items()
        }
        return {point: found.get(point, Lacking(texts.SNOWLOAD_CELL_FAILED, fetched.failed)) for point in asked}

    async def _reading(self, work: Callable[[], T]) -> T:
        return await self._readers.run(partial(contextvars.copy_context().run, work))


def _published(version: Version | None, points: Iterable[Point]) -> dict[Point, Maxima | Lacking]:
    """Return what is published, and what lies outside of the grid; other cells would have to be asked for."""
    found: dict[Point, Maxima | Lacking] = {}
    for point in points:
        cell = _cell_of(point)
        if cell is None:
            found[point] = Lacking(texts.SNOWLOAD_CELL_OUTSIDE)
        elif version is not None and (held := _from_tile(version, cell)) is not None:
            found[point] = held
    return found


def _cell_of(point: Point) -> Cell | None:
    """Return row and column of a cell by its centre; None outside of the grid."""
    row, column = (
        int((value - origin) // SENORGE1KM.size)
        for value, origin in ((point[1], SENORGE1KM.y0), (point[0], SENORGE1KM.x0))
    )
    inside = 0 <= row < SENORGE1KM.n_y and 0 <= column < SENORGE1KM.n_x
    return (row, column) if inside else None


def _from_tile(version: Version, cell: Cell) -> Maxima | Lacking | None:
    """Read a cell; None where it is not built."""
    try:
        altitude = float(version.tile.values("altitude", cell))
        if math.isnan(altitude):
            return None
        swe = version.tile.values(OPENED_BY, cell)
    except (TileError, OSError) as error:
        log.error("damaged %s: %r", version.entry.path, error)
        return Lacking(texts.SNOWLOAD_CELL_DAMAGED)
    entry = version.entry
    origin: Literal["live", "simulated"] = "live" if entry.data_origin == "live" else "simulated"
    return Maxima(version.first, swe, altitude, entry.path, origin, on_demand=False, sources=version.sources)


def _from_cell(cell: SnowCell) -> Maxima:
    swe, altitude = cell.values[OPENED_BY], float(cell.values["altitude"])
    return Maxima(cell.first, swe, altitude, cell.version, cell.data_origin, on_demand=True, sources=cell.sources)


def _open(entry: Entry, tile: ChunkedTile) -> Version:
    told = tile.manifest.provenance
    missing = [name for name in ("sources", "days") if not told.get(name)]
    if missing:
        raise ValueError(f"the provenance of {entry.path} lacks {', '.join(missing)}: build it anew")
    first, last = (int(str(day)[:4]) for day in told["days"])
    if (held := tile.shape(OPENED_BY)[0]) != last - first:
        raise ValueError(f"{entry.path} says that it holds {last - first} winters, and holds {held}: build it anew")
    return Version(entry, tile, first, tuple(told["sources"]))


PREPARE: dict[str, Any] = {OPENED_BY: _open}
"""What is made of the product's variable when a version is opened."""
