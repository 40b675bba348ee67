"""The horizon of a place, from the tiles that are published."""

import logging
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from api import texts
from api.crew import Crew
from api.errors import Unavailable
from api.published import Followed, Serving
from catalog.versions import Entry
from tiles.chunked import ChunkedTile
from tiles.clock import Clock
from tiles.errors import TileError
from tiles.grid import HORIZON, Cell, OutsideGrid
from tiles.product import FILL
from tiles.products.horizon import BLOCK

log = logging.getLogger("solflis.api")

_VARIABLE = "elevation"
_RETRY_S = 120
# Three megabytes: a plant is asked for again and again, and its chunk takes half a millisecond to decode.
_KEPT = 512
# What is read of a disk is decoded at once, and of several such threads each keeps the event loop from the interpreter:
# beside eight clients /health took 67 ms (p50) with six, 21 with one. Of a store elsewhere they wait most of the time.
READERS, READERS_ELSEWHERE = 1, 6
# With distances: 24 kB each.
_KEPT_VIEWS = 64

_NO_TILES = np.empty((0, 2), np.int64)

T = TypeVar("T")


class Horizon(NamedTuple):
    """What terrain hides at a place.

    Parameters
    ----------
    elevation : float64 (720,)
        Degrees, by azimuth 0, 0.5 .. 359.5 clockwise from true north.
    entry : Entry
        The version that it was read from.
    cell : (int, int)
        Of HORIZON.
    dtm_year : int or None
        Of the terrain data; None where it is not known.
    """

    elevation: NDArray[np.float64]
    entry: Entry
    cell: Cell
    dtm_year: int | None

    @property
    def data_origin(self) -> str:
        """`live` or `simulated`."""
        return self.entry.data_origin

    @property
    def tile_key(self) -> str:
        """The name of the tile that holds the cell."""
        return tile_key(self.cell)

    @property
    def told(self) -> dict[str, Any]:
        """What an answer that it is applied in says of it."""
        return {
            "version": self.entry.version,
            "tile_key": self.tile_key,
            "dtm_year": self.dtm_year,
            "data_origin": self.data_origin,
        }


class View(NamedTuple):
    """A horizon, and all else that its tile knows of the place.

    Parameters
    ----------
    horizon : Horizon
    lat, lon : float
        Of the cell's centre, degrees.
    distance : float64 (720,)
        To what makes the horizon, m; NaN where nothing was seen, or the version does not tell.
    elevation_beyond, distance_beyond : float64 (720,)
        The same of what is at least BEYOND_M away, also where something nearer hides it.
    ground : float or None
        Height of the cell's centre above the sea, m.
    provenance : dict
        Of the version.
    """

    horizon: Horizon
    lat: float
    lon: float
    distance: NDArray[np.float64]
    elevation_beyond: NDArray[np.float64]
    distance_beyond: NDArray[np.float64]
    ground: float | None
    provenance: dict[str, Any]


def why_none(version: str | None) -> str:
    """Say why a position has no horizon, in answers that go without one; by `Horizons.version`."""
    return "no horizon is published yet" if version is None else "no horizon is built for this position yet"


def tile_key(cell: Cell) -> str:
    """Return the name of the tile of 6.4 km that holds a cell, such as `H33-029-054`: row and column in UTM 33."""
    return f"H33-{cell[0] // BLOCK:03d}-{cell[1] // BLOCK:03d}"


@lru_cache(maxsize=1)
def _tiles_of(tile: ChunkedTile) -> NDArray[np.int64]:
    # a country has tens of thousands of objects: once a version, not each time that somebody asks for the sea
    prefix = f"{_VARIABLE}/c/0/"
    found = [name.removeprefix(prefix).split("/") for name in tile.manifest.objects if name.startswith(prefix)]
    return np.array(found, np.int64).reshape(-1, 2)


def _prepare(_: Entry, tile: ChunkedTile) -> ChunkedTile:
    return tile


PREPARE: dict[str, Any] = {_VARIABLE: _prepare}
"""What is made of the product's variable when a version is opened."""


class Horizons:
    """Reads profiles.

    Parameters
    ----------
    followed : Followed
        The product.
    clock : Clock
    readers : int
        Threads.
    """

    def __init__(self, followed: Followed, clock: Clock, readers: int = READERS) -> None:
        self._followed, self._clock = followed, clock
        self._readers = Crew(readers, "horizon-reader")
        self._kept: OrderedDict[tuple[str, float, float], Horizon | None] = OrderedDict()
        self._views: OrderedDict[tuple[str, float, float], View | None] = OrderedDict()

    def version(self) -> str | None:
        """Return what names the tiles that answer now, for keys of caches; None where there are none."""
        serving = self._followed.current(_VARIABLE, self._clock.now())
        return serving.entry.path if serving else None

    async def at(self, lat: float, lon: float, unreadable: str = texts.NO_HORIZON) -> Horizon | None:
        """Return the horizon of the cell that holds a position; None where none is published or built for it.

        Parameters
        ----------
        lat, lon : float
            Degrees north and east.
        unreadable : str
            What the caller is told where it cannot be read.

        Raises
        ------
        Unavailable
            It is published, and cannot be read.
        """
        return await self._found(self._kept, _KEPT, _read, (lat, lon), unreadable)

    async def view(self, lat: float, lon: float, unreadable: str) -> View | None:
        """Return the horizon with distances, ground and year; else as `at`, which reads half as much."""
        return await self._found(self._views, _KEPT_VIEWS, _read_view, (lat, lon), unreadable)

    def built(self) -> NDArray[np.int64]:
        """Return row and column of the tiles that are built, (n, 2)."""
        serving = self._followed.current(_VARIABLE, self._clock.now())
        return _NO_TILES if serving is None else _tiles_of(serving.prepared)

    async def _found(
        self,
        kept: OrderedDict[tuple[str, float, float], T | None],
        most: int,
        read: Callable[[Serving, Cell], T | None],
        place: tuple[float, float],
        unreadable: str,
    ) -> T | None:
        now = self._clock.now()
        serving = self._followed.current(_VARIABLE, now)
        if serving is None:
            if self._followed.candidates(_VARIABLE, now):
                raise Unavailable(unreadable, _RETRY_S)
            return None
        # By position, not by cell: finding the cell takes as long as the engine.
        key = serving.entry.path, *place
        if key in kept:
            kept.move_to_end(key)
            return kept[key]
        try:
            cell = HORIZON.cell_at(*place)
        except OutsideGrid:
            return None
        try:
            found = await self._readers.run(partial(read, serving, cell))
        except (TileError, OSError) as error:
            log.error("damaged horizon in cell %s of %s: %r", cell, serving.entry.path, error)
            raise Unavailable(unreadable, _RETRY_S) from error
        kept[key] = found
        if len(kept) > most:
            kept.popitem(last=False)
        return found


def _read(serving: Serving, cell: Cell) -> Horizon | None:
    tile: ChunkedTile = serving.prepared
    packed = tile.series(_VARIABLE, cell)
    if packed[0] == FILL:
        return None
    year = _known(tile, "dtm_year", cell)
    known = None if year is None or np.isnan(year) else round(float(year))
    return Horizon(_unpacked(tile, _VARIABLE, packed), serving.entry, cell, known)


def _read_view(serving: Serving, cell: Cell) -> View | None:
    horizon = _read(serving, cell)
    if horizon is None:
        return None
    tile: ChunkedTile = serving.prepared
    distance, ground = _known(tile, "distance", cell), _known(tile, "ground", cell)
    if distance is None:
        distance = np.full(horizon.elevation.shape, np.nan)
    elevation_beyond, distance_beyond = horizon.elevation, distance
    behind = _known(tile, "elevation_beyond", cell)
    if behind is not None:
        hidden, away = ~np.isnan(behind), _known(tile, "distance_beyond", cell)
        elevation_beyond = np.where(hidden, behind, elevation_beyond)
        distance_beyond = np.where(hidden, np.nan if away is None else away, distance_beyond)
    return View(
        horizon,
        *HORIZON.centre(cell),
        distance,
        elevation_beyond,
        distance_beyond,
        None if ground is None or np.isnan(ground) else round(float(ground), 2),
        tile.manifest.provenance,
    )


def _known(tile: ChunkedTile, name: str, cell: Cell) -> NDArray[np.float64] | None:
    """Return a variable of a cell; None where the version is without: of schema 1, or its source does not tell."""
    return _unpacked(tile, name, tile.series(name, cell)) if name in tile.manifest.variables else None


def _unpacked(tile: ChunkedTile, name: str, packed: NDArray[np.uint16]) -> NDArray[np.float64]:
    """Return physical values that nobody can change, NaN where missing."""
    scale, offset = tile.scale(name)
    values: NDArray[np.float64] = np.where(packed == FILL, np.nan, packed.astype(np.float64) * scale + offset)
    values.flags.writeable = False
    return values
