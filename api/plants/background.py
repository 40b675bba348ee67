"""Published data around a plant: its clear sky, and the weather of past years."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.data.plants.measurements import HOUR_S, Longs
from api.plants.model import TYPICAL_TURBIDITY
from catalog.versions import Entry, read_index
from kernels import utm
from tiles.chunked import ChunkedTile
from tiles.errors import TileError
from tiles.grid import FORECAST, NORWAY3KM, OutsideGrid
from tiles.products.registry import PRODUCTS
from tiles.store import Store
from tiles.terrain import TerrainLevels

log = logging.getLogger("solflis.plants")

Floats = NDArray[np.float64]
_COARSEST = "terrain_250m"
_YEAR = timedelta(days=366)
# In the order in which they count: the satellites' see less far north.
_GHI = ("ghi_solarmodel", "ghi_reanalysis")


class Sky(NamedTuple):
    """What a plant's clear sky is calculated with: m above sea level, and Linke turbidity by month, (12,)."""

    altitude: float
    turbidity: Floats


class Background:
    """Published data, opened once for many plants.

    Parameters
    ----------
    store : Store
    now : datetime
        Of versions the newest until then.
    """

    def __init__(self, store: Store, now: datetime) -> None:
        self._store, self._now = store, now
        self._opened = lru_cache(maxsize=4)(self._open)

    def sky(self, lat: float, lon: float) -> Sky:
        """Return the clear sky of a place: at sea level, of a usual turbidity, where nothing better can be read."""
        months, altitude = np.array(TYPICAL_TURBIDITY), 0.0
        with self._reading("turbidity"):
            if (entry := read_index(self._store, "turbidity").newest(self._now)) is not None:
                found = self._opened(entry).values("linke_turbidity", FORECAST.cell_at(lat, lon))
                months = np.where(np.isfinite(found), found, months)
        with self._reading(_COARSEST):
            altitude = self._altitude(lat, lon)
        return Sky(altitude, months)

    def past_weather(self, lat: float, lon: float, starts: Longs) -> tuple[Floats, Floats]:
        """Return irradiance (W/m2) and temperature (degrees C) of hours, (n,), from the climate archive; else NaN."""
        found = np.full((2, starts.size), np.nan)
        try:
            cell = NORWAY3KM.cell_at(lat, lon)
        except OutsideGrid:
            return found[0], found[1]
        for entry in self._years(starts):
            with self._reading(entry.path):
                weather = self._year(self._opened(entry), cell)
                place = (starts - int(entry.valid_from.timestamp())) // HOUR_S
                inside = (place >= 0) & (place < weather.shape[1])
                found[:, inside] = weather[:, place[inside]]
        return found[0], found[1]

    @staticmethod
    @contextmanager
    def _reading(what: str) -> Iterator[None]:
        """Leave out what cannot be read: a plant is judged and calibrated without it too."""
        try:
            yield
        except (TileError, OSError) as error:
            log.warning("%s is left out: %s", what, type(error).__name__)

    @cached_property
    def _archive(self) -> tuple[Entry, ...]:
        return read_index(self._store, "climate_archive").entries

    def _years(self, starts: Longs) -> Iterator[Entry]:
        if not starts.size:
            return
        first, last = (datetime.fromtimestamp(int(one), UTC) for one in (starts.min(), starts.max()))
        for entry in self._archive:
            if entry.valid_from <= last and first < entry.valid_from + _YEAR:
                yield entry

    @staticmethod
    def _year(tile: ChunkedTile, cell: tuple[int, int]) -> Floats:
        """Return irradiance and temperature of a cell's hours, (2, n)."""
        variables = tile.manifest.variables
        ghi = np.full(tile.shape(_GHI[1])[0], np.nan)
        for name in _GHI:
            if name in variables and np.isnan(ghi).all():
                ghi = tile.values(name, cell)
        instants = tile.values("temp_air", cell) if "temp_air" in variables else np.full(ghi.size, np.nan)
        later = np.append(instants[1:], instants[-1:])
        return np.stack([ghi, (instants + later) / 2])

    def _altitude(self, lat: float, lon: float) -> float:
        if self._terrain is None:
            return 0.0
        x, y = map(float, utm.forward(lat, lon))
        height = self._terrain.surface(self._terrain.cells[-1], x, y, x + 1, y + 1).height_at(x, y)
        return round(height or 0.0, 1)

    @cached_property
    def _terrain(self) -> TerrainLevels | None:
        entry = read_index(self._store, _COARSEST).newest(self._now)
        return None if entry is None else TerrainLevels(self._store, entry.manifest)

    def _open(self, entry: Entry) -> ChunkedTile:
        return ChunkedTile(self._store, PRODUCTS[entry.product], entry.manifest)
