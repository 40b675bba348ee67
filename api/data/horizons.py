"""The horizon of a place, from the tiles that are published."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from api.core.cache import Cache
from api.core.executors import ReaderPool
from api.data.published import Published
from api.data.versions import Version, current_of
from catalog.versions import Entry
from tiles.chunked import ChunkedTile
from tiles.grid import HORIZON, Cell, OutsideGrid
from tiles.products.horizon import BLOCK

VARIABLE = "elevation"
# A plant is asked for again and again, and its chunk takes half a millisecond to decode.
_HORIZON_BYTES, _HORIZONS_BYTES = 6_000, 3_000_000
# What is read of a disk is decoded at once, and of several such threads each keeps the event loop from the interpreter:
# beside eight clients /health took 67 ms (p50) with six, 21 with one. Of a store elsewhere they wait most of the time.
READERS, READERS_ELSEWHERE = 1, 6
_VIEW_BYTES, _VIEWS_BYTES = 24_000, 1_500_000

T = TypeVar("T")


class Horizon(NamedTuple):
    """Terrain horizon at a place.

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
    def applied(self) -> dict[str, Any]:
        """Return the fields that an answer gives of it."""
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


def why_none(version: object | None) -> str:
    """Say why a position has no horizon, in answers that go without one; by what answers now."""
    return "no horizon is published yet" if version is None else "no horizon is built for this position yet"


def tile_key(cell: Cell) -> str:
    """Return the name of the tile of 6.4 km that holds a cell, such as `H33-029-054`: row and column in UTM 33."""
    return f"H33-{cell[0] // BLOCK:03d}-{cell[1] // BLOCK:03d}"


class Horizons:
    """Reads profiles.

    Parameters
    ----------
    published : Published
    readers : int
        Threads.
    """

    def __init__(self, published: Published, readers: int = READERS) -> None:
        self._followed, self._clock = published.follow("horizon", VARIABLE, Version), published.clock
        self.readers = ReaderPool(readers, "horizon-reader")
        self._horizons: Cache[Horizon | None] = Cache(_HORIZONS_BYTES, lambda _: _HORIZON_BYTES)
        self._views: Cache[View | None] = Cache(_VIEWS_BYTES, lambda _: _VIEW_BYTES)

    @property
    def are_published(self) -> bool:
        """True where the index lists any version, also one that does not answer now."""
        return bool(self._followed.index.entries)

    async def at(self, lat: float, lon: float, avoid: str = "") -> Horizon | None:
        """Return the horizon of the cell that holds a position; None where none is published or built for it.

        Parameters
        ----------
        lat, lon : float
            Degrees north and east.
        avoid : str
            Parameter with which a request is answered without a horizon.

        Raises
        ------
        ApiError
            `DAMAGED`: it is published, and cannot be read.
        """
        return await self._find(self._horizons, _read, (lat, lon), avoid)

    async def view(self, lat: float, lon: float, avoid: str = "") -> View | None:
        """Return the horizon with distances, ground and year; else as `at`, which reads half as much."""
        return await self._find(self._views, _read_view, (lat, lon), avoid)

    def current(self) -> Version | None:
        """Return the version that answers now."""
        serving = self._followed.current(VARIABLE, self._clock.now())
        return None if serving is None else serving.prepared

    async def _find(
        self,
        cache: Cache[T | None],
        read: Callable[[Version, Cell], T | None],
        place: tuple[float, float],
        avoid: str,
    ) -> T | None:
        version: Version | None = current_of(self._followed, VARIABLE, self._clock.now(), avoid)
        if version is None:
            return None
        key = (version.name, *place)  # by position, not by cell: finding the cell takes as long as the engine
        if (known := cache.get(key)) is not None:
            return known

        async def make() -> T | None:
            try:
                cell = HORIZON.cell_at(*place)
            except OutsideGrid:
                return None
            with version.reading(avoid):
                return await self.readers.run(partial(read, version, cell))

        return await cache.get_or_make(key, make)


def _read(version: Version, cell: Cell) -> Horizon | None:
    elevation, year = _known(version.tile, VARIABLE, cell), _known(version.tile, "dtm_year", cell)
    if elevation is None or np.isnan(elevation[0]):
        return None
    return Horizon(elevation, version.entry, cell, None if year is None or np.isnan(year) else round(float(year)))


def _read_view(version: Version, cell: Cell) -> View | None:
    horizon = _read(version, cell)
    if horizon is None:
        return None
    tile = version.tile
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
    """Return a variable of a cell, which nobody can change, NaN where missing.

    None where the version is without: of schema 1, or its source does not tell.
    """
    if name not in tile.manifest.variables:
        return None
    values = tile.values(name, cell)
    values.flags.writeable = False
    return values
