"""Season maxima that are built for a test: of which cells, what the authority says, and what came of it."""

from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

import catalog
from catalog.versions import read_index
from dags.areas import Area
from dags.build.snow.nearest_cells import point_of
from tests.support.snow_authority import Days, day, no_snow
from tests.support.tmy import OSLO, TROMSO
from tiles.arrays import read_whole
from tiles.grid import SENORGE1KM, Cell
from tiles.manifest import Manifest
from tiles.product import FILL
from tiles.store import Store

OSLO_AREA, TROMSO_AREA = Area("Oslo", *OSLO, side_km=2.0), Area("Tromso", *TROMSO, side_km=2.0)
"""Nine cells each."""
OSLO_CELL = SENORGE1KM.cell_at(*OSLO)
BESIDE = (OSLO_CELL[0], OSLO_CELL[1] + 1)
FIRST = date(1957, 9, 1)


def winters(days: Days, point: Any) -> dict[str, Any]:
    """Snow that tells its day and its place."""
    return no_snow(days, point) | {"swe": days * 7 % 1009 + point[0] // 1000 % 11 + point[1] // 1000 % 13}


def until(last: str) -> Any:
    """An authority whose days end early."""

    def values(days: Days, point: Any) -> dict[str, Any]:
        told = winters(days, point)
        return told | {"swe": np.where(days > day(last), np.nan, told["swe"])}

    return values


def expected(cell: Cell, last_year: int = 2026) -> NDArray[np.float64]:
    """The maxima of a cell, season by season, by the calendar alone."""
    found = []
    for year in range(1957, last_year):
        days = np.arange(day(f"{year}-09-01"), day(f"{year + 1}-09-01"))
        found.append(winters(days, point_of(cell))["swe"].max())
    return np.array(found, float)


def opened(store: Store, version: str = "1957-2026") -> Any:
    return catalog.open("snowload", version=version, store=store.url)


def maxima(store: Store, cell: Cell, version: str = "1957-2026") -> NDArray[np.float64]:
    """What is published of a cell."""
    values: NDArray[np.float64] = opened(store, version).swe_max[:, cell[0], cell[1]].values
    return values


def built(store: Store, version: str = "1957-2026") -> set[Cell]:
    """The cells that are published."""
    entry = read_index(store, "snowload").get(version)
    assert entry is not None
    altitude = read_whole(store, Manifest.read(store, entry.manifest), "altitude")
    return {(int(r), int(c)) for r, c in np.argwhere(altitude != FILL)}
