"""Made-up snow factors of a few municipalities, and borders, through the real writer: each factor tells of which."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from catalog.publish import Moment, publish
from catalog.versions import Entry
from tests.support.snow import EPOCH, SOURCE, number, provenance
from tests.support.tiles import MADE_UP, publish_at
from tiles.grid import NORWAY3KM, Cell
from tiles.product import FILL
from tiles.products.registry import product
from tiles.products.snow_factors import GEOMETRIES
from tiles.store import Store
from tiles.writer import Draft

DAYS = 10
OSLO = (301, "Oslo", 59.97, 10.74)
BERGEN = (4601, "Bergen", 60.38, 5.46)
TRONDHEIM = (5001, "Trondheim", 63.35, 10.4)
ALL = (OSLO, BERGEN, TRONDHEIM)
NVE = SOURCE["attribution"]
ISSUED = datetime(2026, 5, 31, 6, tzinfo=UTC)

Municipality = tuple[int, str, float, float]


def factor(row: int, geometry: int, day: int) -> float:
    """What is published of the municipality in a row, of a plane and of a day, counted from yesterday."""
    return round(0.1 + 0.3 * row + 0.01 * geometry + 0.001 * day, 4)


def made_up(rows: int) -> NDArray[np.float64]:
    """Factors that are all different, (rows, 24, 10)."""
    each = [
        [[factor(row, plane, day) for day in range(DAYS)] for plane in range(len(GEOMETRIES))] for row in range(rows)
    ]
    return np.array(each)


def publish_factors(
    store: Store,
    issued: datetime = ISSUED,
    *,
    municipalities: Sequence[Municipality] = ALL,
    table: NDArray[np.float64] | None = None,
    data_origin: str = "simulated",
    told: Mapping[str, object] | None = None,
) -> Entry:
    """Publish factors of the day before their issue, of that day and of eight more."""
    days = number(issued.date()) - 1 + np.arange(DAYS)
    declared = product("snow_factors")
    axes = {
        "municipality": np.array([one[0] for one in municipalities]),
        "geometry": np.arange(len(GEOMETRIES)),
        "day": days,
    }
    about = {
        **provenance("snow_factors", days, data_origin),
        "municipalities": [[*one, 100.0, 9] for one in municipalities],
        "geometries": [list(plane) for plane in GEOMETRIES],
        "days": [str(EPOCH + timedelta(int(day))) for day in days],
        **(told or {}),
    }
    draft = Draft(store, declared, f"{issued:%Y-%m-%d}", axes, about)
    values = made_up(len(municipalities)) if table is None else table
    draft.write_packed("factor", declared.variable("factor").pack(values))
    return publish_at(draft, issued)


def raster(lying_in: Mapping[Cell, int]) -> NDArray[np.uint16]:
    """The number of each cell on land; around the given ones is sea.

    A hundred more municipalities of a cell each, north of Varanger, make it a country.
    """
    numbers = np.full(NORWAY3KM.shape, FILL, np.uint16)
    numbers[505:515, 385:395] = 9000 + np.arange(100).reshape(10, 10)
    for cell, one in lying_in.items():
        numbers[cell] = one
    return numbers


def publish_borders(store: Store, lying_in: Mapping[Cell, int], issued: datetime = ISSUED) -> Entry:
    """Publish in which municipality cells of NORWAY3KM lie."""
    declared = product("municipality")
    packed = raster(lying_in)
    about = {
        **MADE_UP,
        "municipalities": [[int(one), f"nr. {one}"] for one in np.unique(packed[packed != FILL])],
        "missing_variables": [],
    }
    draft = Draft(store, declared, f"borders-{issued:%Y%m%d%H%M}", {}, about)
    draft.write_packed("number", packed)
    ever, for_ever = datetime(1950, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
    return publish(draft, Moment(issued, ever, for_ever), now=issued, expected=None, report=lambda _: None)
