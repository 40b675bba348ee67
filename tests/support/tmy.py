"""A made-up climate line of a few cells: land, four typical years and their statistics, through the real writer.

Land is a rectangle whose western edge lies one cell east of a quay in Bergen, and a square around Tromsø.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache

import numpy as np
from numpy.typing import NDArray

from catalog.versions import Entry
from kernels import sun
from tests.support.tiles import MADE_UP, blocks_of, draft_of_blocks, publish_at
from tiles.grid import NORWAY3KM, Cell
from tiles.products.registry import product
from tiles.products.tmy import HOURS, MADE_OF
from tiles.products.tmy_stats import ANNUAL, NAMES
from tiles.store import Store
from tiles.writer import Draft

OSLO, QUAY, TROMSO = (59.91, 10.75), (60.395, 5.32), (69.65, 18.96)
NOT_BUILT, OPEN_SEA = (63.43, 10.39), (59.0, 4.2)
OSLO_CELL, QUAY_CELL, TROMSO_CELL = (66, 112), (94, 15), (427, 242)
# Beside Oslo: one that has statistics and no hours, one without long-term mean, and one that is not built.
NO_HOURS, NO_MEAN, NOT_IN_BLOCK = (66, 113), (66, 114), (66, 115)
LEVELS: dict[Cell, float] = {OSLO_CELL: 1.0, QUAY_CELL: 0.8, TROMSO_CELL: 0.7, NO_HOURS: 1.0, NO_MEAN: 1.0}
SHARES = {"tmy": 1.0, "mean": 1.03, "p50": 1.12, "p75": 0.97, "p90": 0.92, "p95": 0.9}
SOURCES = [
    {"name": "A reanalysis", "licence": "CC BY 4.0", "attribution": "An institute"},
    {"name": "A solar model", "licence": "free", "attribution": "Another institute"},
]
METHOD = "made up"
BUILD = "made up in March"
BUILT = datetime(2026, 3, 1, tzinfo=UTC)
NORTH_OF_SATELLITE = 65.0

Series = dict[str, NDArray[np.float64]]


def products_of(cell: Cell) -> list[str]:
    """The products that exist in a cell."""
    beyond = NORWAY3KM.centre(cell)[0] > NORTH_OF_SATELLITE
    return [name for name in MADE_OF if not (beyond and name == "solarmodel_tmy30")]


@cache
def _height(cell: Cell) -> NDArray[np.float64]:
    moments = int(datetime(2001, 1, 1, tzinfo=UTC).timestamp()) + 3600 * np.arange(HOURS) + 1800
    lat, lon = NORWAY3KM.centre(cell)
    up = sun.vertical(np.array([lat]), np.array([lon]))
    return np.clip(sun.cos_zenith(up, sun.sun_table(moments))[:, 0], 0, None)


def hours_of(name: str, cell: Cell) -> Series:
    """The year of a product in a cell: a fair sky whose beam is near its limit now and then."""
    height, hour = _height(cell), np.arange(HOURS)
    clear = 0.35 + 0.6 * np.sin(hour / 31.7) ** 8
    ghi = 1300 * LEVELS[cell] * (1 + 0.01 * NAMES.index(name)) * clear * height**1.05
    beam = np.where(height > 0.05, np.minimum(0.93 * ghi / np.maximum(height, 0.05), 1180), 0.0)
    return {
        "ghi": ghi,
        "dni": beam,
        "dhi": ghi - beam * height,
        "temp_air": 6 - 12 * np.cos(2 * np.pi * hour / HOURS) + 3 * np.sin(2 * np.pi * (hour - 9) / 24),
        "rel_hum": 75 + 15 * np.cos(2 * np.pi * hour / 24),
        "wind_speed": 4 + 3 * np.sin(hour / 13.3),
        "mslp": 1012 + 15 * np.sin(hour / 71.0),
    }


def annual_of(name: str, cell: Cell) -> dict[str, float]:
    """What the statistics say of a year's GHI, kWh/m2."""
    tmy = float(hours_of(name, cell)["ghi"].round(1).sum()) / 1000
    known = {which: tmy * share for which, share in SHARES.items()}
    if cell == NO_MEAN:
        del known["mean"]
    return known


def _statistics(cell: Cell) -> Series:
    """The variables of `tmy_stats` in a cell, NaN where missing."""
    known = {name: annual_of(name, cell) for name in products_of(cell)}
    exists = np.array([name in known for name in NAMES])
    months = np.where(exists[:, None], np.linspace(5, 160, 12)[None, :], np.nan)
    years = np.where(exists[:, None], np.arange(1995, 2007)[None, :], np.nan)
    return {
        **{
            f"annual_ghi_{which}": np.array([known.get(name, {}).get(which, np.nan) for name in NAMES])
            for which in ANNUAL
        },
        "annual_ghi_std": np.where(exists, 41.5, np.nan),
        "annual_dni_tmy": np.where(exists, 950.0, np.nan),
        "monthly_ghi_p50": months,
        "monthly_ghi_p90": months * 0.9,
        "selected_year": years,
        "bias_correction": np.linspace(-3, 2.5, 12),
        "bias_stations": np.array(5.0),
        "weight_solarmodel": np.array(0.6 if "solarmodel_tmy30" in known else 0.0),
        "altitude": np.array(123.4),
    }


def mask() -> NDArray[np.bool_]:
    """The cells that are land."""
    land = np.zeros(NORWAY3KM.shape, bool)
    land[50:200, 15:265] = True
    land[416:432, 240:256] = True
    return land


def provenance(name: str, build: str) -> dict[str, object]:
    """What a version says of itself; without `build` as older ones do."""
    return {
        **MADE_UP,
        "sources": SOURCES,
        "method": METHOD,
        "generator": f"made-up {name}",
        "archive": {"first_year": 1991, "last_year": 2025},
        "missing_variables": [],
        **({"build": build} if build else {}),
    }


def _publish_cells(store: Store, name: str, cells: Mapping[Cell, Series], version: str, build: str) -> Entry:
    declared = product(name)
    axes = {d.name: np.arange(d.size) + (d.name == "month") for d in declared.dimensions}
    about = provenance(name, build)
    return publish_at(draft_of_blocks(store, declared, version, axes, blocks_of(declared, cells), about), BUILT)


def publish_year(store: Store, name: str, version: str = "1991-2025", build: str = BUILD) -> Entry:
    """Publish one of the four typical years; only the ensemble is built elsewhere than around Oslo."""
    built = [cell for cell in LEVELS if cell != NO_HOURS and (name == "ens_tmy30" or cell[0] == OSLO_CELL[0])]
    cells = {cell: hours_of(name, cell) for cell in built}
    return _publish_cells(store, name, cells, version, build)


def publish_stats(store: Store, version: str = "1991-2025", build: str = BUILD) -> Entry:
    """Publish the statistics."""
    return _publish_cells(store, "tmy_stats", {cell: _statistics(cell) for cell in LEVELS}, version, build)


def publish_land(store: Store, since: datetime = BUILT) -> Entry:
    """Publish the land."""
    draft = Draft(store, product("land"), "borders-made-up", {}, MADE_UP)
    for variable in product("land").variables:
        draft.write_packed(variable.name, variable.pack(mask().astype(np.float64)))
    return publish_at(draft, since)


def publish_climate(store: Store) -> None:
    """Publish all of it."""
    publish_land(store)
    publish_stats(store)
    for name in MADE_OF:
        publish_year(store, name)
