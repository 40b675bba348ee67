"""The winters' maxima of cells, wherever they come from: a tile, what is kept, or the snow authority itself."""

import contextvars
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, Literal, TypeVar

import google_crc32c
import numpy as np
from numpy.typing import NDArray

from api import texts
from api.crew import Crew
from api.published import Followed
from api.upstream import Upstream
from catalog.snow_water import Fetched, SnowWater, Water
from catalog.sources.errors import SourceError
from catalog.sources.http import Deadline
from catalog.sources.nve_gts import ATTRIBUTION, LICENCE, NAME, Point
from catalog.sources.terms import terms
from catalog.versions import Entry
from kernels.snowload.seasons import season_maxima
from tiles.chunked import ChunkedTile
from tiles.clock import Clock
from tiles.errors import TileError
from tiles.grid import SENORGE1KM, Cell
from tiles.product import FILL

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


class SnowLoads:
    """The winters' maxima of cells: what is published, else what the authority says when it is asked.

    Parameters
    ----------
    followed : Followed
        The product.
    water : SnowWater
        Asks for cells, and keeps them.
    authority : Upstream
    clock : Clock
    """

    def __init__(self, followed: Followed, water: SnowWater, authority: Upstream, clock: Clock) -> None:
        self._followed, self._water, self._authority, self._clock = followed, water, authority, clock
        self._readers = Crew(_READERS, "snowload-reader")

    def last_day(self) -> date:
        """Return the 31 August with which the last whole winter ends."""
        return self._water.last_summer()

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
        waiting = [point for point in asked if point not in found]
        if waiting:
            found |= await self._reading(partial(self._kept, waiting))
        if waiting := [point for point in waiting if point not in found]:
            found |= await self._asked(waiting)
        return {point: found[point] for point in asked}

    def _kept(self, points: Iterable[Point], *, older: bool = False) -> dict[Point, Maxima | Lacking]:
        kept = self._water.kept(tuple(points), older=older)
        return {point: _of_water(point, water) for point, water in kept.items()}

    async def _asked(self, points: list[Point]) -> dict[Point, Maxima | Lacking]:
        """Ask the authority, unless it is to be spared; of what fails, what was kept last year is better than none."""

        def ask(deadline: Deadline) -> tuple[Fetched, dict[Point, Maxima | Lacking]]:
            fetched = self._water.fetch(points, deadline)
            if fetched.failed is not None:
                self._authority.failed(fetched.failed, deadline)
            return fetched, {point: _of_water(point, water) for point, water in fetched.found.items()}

        failure: SourceError | None
        try:
            fetched, found = await self._authority.ask(ask)
            if (failure := fetched.failed) is not None:
                log.warning("%s", failure)
        except SourceError as error:
            found, failure = {}, error
        lacking = [point for point in points if point not in found]
        if lacking:
            found |= await self._reading(partial(self._kept, lacking, older=True))
        return {point: found.get(point, Lacking(texts.SNOWLOAD_CELL_FAILED, failure)) for point in points}

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
        altitude = version.tile.series("altitude", cell)
        if altitude == FILL:
            return None
        packed = version.tile.series(OPENED_BY, cell)
    except (TileError, OSError) as error:
        log.error("damaged %s: %r", version.entry.path, error)
        return Lacking(texts.SNOWLOAD_CELL_DAMAGED)
    entry = version.entry
    return Maxima(
        first=version.first,
        swe=_unpacked(packed, *version.tile.scale(OPENED_BY)),
        altitude=float(_unpacked(altitude, *version.tile.scale("altitude"))),
        version=entry.path,
        data_origin="live" if entry.data_origin == "live" else "simulated",
        on_demand=False,
        sources=version.sources,
    )


def _of_water(point: Point, water: Water | None) -> Maxima | Lacking:
    """Return the maxima of days that were fetched; pure, for a thread."""
    if water is None:
        return Lacking(texts.SNOWLOAD_CELL_NONE)
    seasons = season_maxima(water.days, water.swe[:, None])
    swe = seasons.maxima[:, 0].astype(np.float64)
    checksum = google_crc32c.value(swe.tobytes())
    simulated = water.data_origin == "simulated"
    return Maxima(
        first=seasons.first,
        swe=swe,
        altitude=water.altitude,
        version=f"{NAME}/{point[0]},{point[1]}/{water.days[-1]}/{checksum:08x}/{water.altitude}/{water.data_origin}",
        data_origin=water.data_origin,
        on_demand=True,
        sources=({"name": NAME, **terms(NAME, LICENCE, ATTRIBUTION, simulated=simulated)},),
    )


def _unpacked(packed: NDArray[np.uint16], scale: float, offset: float) -> NDArray[np.float64]:
    """Return physical values, NaN where missing."""
    return np.where(packed == FILL, np.nan, packed * scale + offset)


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
