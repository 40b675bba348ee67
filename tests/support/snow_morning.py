"""Mornings of snow that are built for a test: where, when, what the authority says, and what came of it."""

from typing import Any

import catalog
from dags.areas import Area
from tests.support.snow_authority import Days, day, no_snow
from tests.support.tmy import OSLO, OSLO_CELL
from tiles.grid import NORWAY3KM
from tiles.store import Store

OSLO_AREA = Area("Oslo", *OSLO)
BERGEN_CELL = NORWAY3KM.cell_at(60.39, 5.33)
BESIDE_BERGEN = (BERGEN_CELL[0], BERGEN_CELL[1] + 1)
REFERENCES = {301: [OSLO_CELL], 4601: [BERGEN_CELL, BESIDE_BERGEN]}
CLOCK = "2026-11-23T10:00:00Z!"


def by_day(shift: float = 0.0) -> Any:
    """Snow that tells its day, and which answer it is of."""

    def values(days: Days, point: Any) -> dict[str, Any]:
        since = days - day("2026-09-01") + shift
        return no_snow(days, point) | {"swe": since, "snow_depth": 3 * since, "temp_air": since % 300 / 10}

    return values


def outlook(store: Store, morning: str = "2026-11-23") -> Any:
    return catalog.open("snow_outlook", version=morning, store=store.url)


def factors(store: Store, morning: str = "2026-11-23") -> Any:
    return catalog.open("snow_factors", version=morning, store=store.url).load()
