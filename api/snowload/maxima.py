"""The winters' maxima of cells: from a published version, else on demand from the snow authority."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.core.errors import ApiError, Language
from api.core.executors import ReaderPool
from api.core.upstream import Upstream
from api.data.published import Published
from api.data.snow.reader import FAILED, OnDemand
from api.data.snow.series import CellVersion, date_of
from api.data.versions import current_of, require_provenance
from api.snowload import problems
from catalog.snow_cells import SnowCells
from catalog.snow_products import CellProduct, SnowCell, whole_years
from catalog.sources.errors import SourceError
from catalog.sources.nve_gts import Point, SnowData, day_of
from catalog.versions import Entry
from kernels.snowload.seasons import season_maxima
from kernels.snowload.site import CellSnow
from tiles.chunked import ChunkedTile
from tiles.grid import SENORGE1KM
from tiles.products.snowload import PRODUCT

MAXIMA = "swe_max"
_READERS = 4


@dataclass(frozen=True)
class Failed:
    """A cell that cannot be computed.

    Parameters
    ----------
    point : Point
    error : ApiError
    failure : SourceError or None
        The authority's, where it was asked in vain.
    """

    point: Point
    error: ApiError
    failure: SourceError | None = None

    def entry(self, language: Language) -> dict[str, Any]:
        """Return it as `cell_errors` lists it."""
        return {"x": self.point[0], "y": self.point[1], **self.error.body(language)}


class CellLoad(NamedTuple):
    """A cell that can be computed, and its snow."""

    cell: SnowCell
    snow: CellSnow


Cells = Mapping[Point, SnowCell | Failed]


def last_winter(cell: SnowCell) -> int:
    """Return the year in which the last winter begins that is known; the one before the first where none is."""
    known = np.flatnonzero(~np.isnan(cell.values[MAXIMA]))
    return cell.first + (int(known[-1]) if known.size else -1)


def _maxima_of(data: SnowData) -> tuple[int, Mapping[str, NDArray[np.floating]]]:
    seasons = season_maxima(data.days, data.values["swe"])
    return seasons.first, {MAXIMA: seasons.maxima, "altitude": data.altitude}


def _is_whole(cell: SnowCell, _: date) -> bool:
    """Return whether the last winter has days enough: else it may have been cut off on the way."""
    return not np.isnan(cell.values[MAXIMA][-1])


SNOWLOAD = CellProduct(
    PRODUCT, ("swe",), whole_years, _maxima_of, nearest=False, max_bytes=300_000_000, complete=_is_whole
)


class SnowLoads:
    """Reads the winters' maxima of cells.

    Parameters
    ----------
    published : Published
    cells : SnowCells
    authority : Upstream
    """

    def __init__(self, published: Published, cells: SnowCells, authority: Upstream) -> None:
        self._followed, self._clock = published.follow(PRODUCT.name, MAXIMA, _open), published.clock
        self._readers = ReaderPool(_READERS, "snowload-reader")
        cells.add(SNOWLOAD)
        self._on_demand = OnDemand(cells, SNOWLOAD, authority, self._readers)

    def last_day(self) -> date:
        """Return the 31 August with which the last whole winter ends."""
        return date_of(self._on_demand.last_day())

    async def at(self, points: Sequence[Point]) -> Cells:
        """Return the maxima of each cell, in the given order; a cell's failure takes no other with it."""
        version = current_of(self._followed, MAXIMA, self._clock.now())
        found = await self._readers.run(partial(_published, version, points))
        fetched = await self._on_demand.cells([point for point in points if point not in found])
        for point, cell in fetched.found.items():
            found[point] = cell or Failed(point, problems.CELL_AT_SEA())
        return {point: found.get(point) or Failed(point, FAILED(), fetched.failed) for point in points}


def _published(version: CellVersion | None, points: Sequence[Point]) -> dict[Point, SnowCell | Failed]:
    """Return what is published, and what lies outside of the grid; other cells are fetched on demand."""
    found: dict[Point, SnowCell | Failed] = {}
    for point in points:
        cell = SENORGE1KM.cell_around(*point)
        try:
            if not SENORGE1KM.holds(cell):
                raise problems.CELL_OUTSIDE()
            if version is not None and (read := version.cell(cell, "altitude", [MAXIMA])) is not None:
                found[point] = read
        except ApiError as error:
            found[point] = Failed(point, error)
    return found


def _open(entry: Entry, tile: ChunkedTile) -> CellVersion:
    require_provenance(entry, tile, "sources", "days")
    begun, ended = map(date.fromisoformat, tile.manifest.provenance["days"])
    said, held = ended.year - begun.year, tile.shape(MAXIMA)[0]
    if said != held:
        raise ValueError(f"{entry.path} says that it holds {said} winters, and holds {held}: build it anew")
    return CellVersion(entry, tile, begun.year, day_of(ended))
