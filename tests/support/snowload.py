"""Made-up winters' maxima of a few cells and square municipalities, published through the real writer and builder."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from catalog.publish import Moment, publish
from catalog.versions import Entry
from dags.build.borders import municipality_borders
from kernels import utm
from tests.support.context import context_of
from tests.support.snow import SOURCE
from tiles.grid import SENORGE1KM, Cell
from tiles.products.registry import product
from tiles.products.snowload import BLOCK
from tiles.store import Store
from tiles.writer import Draft

FIRST_YEAR, LAST_YEAR = 1957, 2025
"""In which the first and the last winter begin."""
CENTRE = (262_500, 6_649_500)
"""Of the cell in the middle of those that are built, UTM 33, m."""
LAT, LON = 59.9113, 10.7553
"""In that cell."""
REACH = 3
"""So many cells around it are built."""
ALL_ZERO, ALL_MISSING, FIVE_YEARS = (300_500, 6_700_500), (301_500, 6_700_500), (302_500, 6_700_500)
GAPS, ONE_BIG = (303_500, 6_700_500), (304_500, 6_700_500)
BIG_MM = 2500.0
"""Of one winter of ONE_BIG: three times its others."""
LEFT_OUT = (1980, 1999)

Winters = NDArray[np.float64]


def cell_of(point: tuple[int, int]) -> Cell:
    """Row and column of a cell by its centre."""
    return (point[1] - int(SENORGE1KM.y0)) // 1000, (point[0] - int(SENORGE1KM.x0)) // 1000


def winters(point: tuple[int, int]) -> Winters:
    """The usual maxima of a cell, mm: more to the north and to the west."""
    rng = np.random.default_rng(sum(point))
    return np.round(rng.gamma(6.0, 20.0 + (point[1] - CENTRE[1]) / 1000, LAST_YEAR - FIRST_YEAR + 1))


def altitude(point: tuple[int, int]) -> float:
    """The height of a cell, m."""
    return 100.0 + 10 * (point[1] - CENTRE[1]) / 1000


def usual() -> dict[tuple[int, int], Winters]:
    """What is built: a square of cells, and odd ones."""
    steps = range(-REACH * 1000, REACH * 1000 + 1, 1000)
    square = {(CENTRE[0] + east, CENTRE[1] + north): None for east in steps for north in steps}
    cells = {point: winters(point) for point in square}
    few = np.full(LAST_YEAR - FIRST_YEAR + 1, np.nan)
    some = few.copy()
    some[-5:] = (40, 50, 60, 70, 80)
    with_gaps = winters(GAPS)
    with_gaps[[year - FIRST_YEAR for year in LEFT_OUT]] = np.nan
    with_one_big = winters(ONE_BIG)
    with_one_big[2010 - FIRST_YEAR] = BIG_MM
    odd = {ALL_ZERO: np.zeros(few.size), ALL_MISSING: few, FIVE_YEARS: some, GAPS: with_gaps, ONE_BIG: with_one_big}
    return cells | odd


def publish_snowload(
    store: Store,
    cells: Mapping[tuple[int, int], Winters] | None = None,
    *,
    last_year: int = LAST_YEAR,
    data_origin: str = "live",
) -> Entry:
    """Publish maxima by cell."""
    declared, version = product("snowload"), f"{FIRST_YEAR}-{last_year + 1}"
    years = np.arange(FIRST_YEAR, last_year + 1)
    provenance = {
        "source": "nve_gts",
        "data_origin": data_origin,
        "sources": [SOURCE],
        "licence": SOURCE["licence"],
        "attribution": SOURCE["attribution"],
        "method": "made up",
        "generator": "made-up snowload",
        "missing_variables": [],
        "days": [f"{FIRST_YEAR}-09-01", f"{last_year + 1}-08-31"],
    }
    draft = Draft(store, declared, version, {"season": years}, provenance)
    held = usual() if cells is None else cells
    for corner in {tuple(index // BLOCK * BLOCK for index in cell_of(point)) for point in held}:
        for variable in declared.variables:
            shape, _, _ = declared.layout(variable, {"season": years.size})
            rows, columns = (min(BLOCK, n - at) for n, at in zip(SENORGE1KM.shape, corner, strict=True))
            values = np.full((*shape[:-2], rows, columns), np.nan)
            for point, swe in held.items():
                row, column = (index - at for index, at in zip(cell_of(point), corner, strict=True))
                if 0 <= row < rows and 0 <= column < columns:
                    values[..., row, column] = swe[: years.size] if variable.name == "swe_max" else altitude(point)
            draft.write_block(variable.name, (int(corner[0]), int(corner[1])), variable.pack(values))
    begun = datetime(FIRST_YEAR, 9, 1, 6, tzinfo=UTC)
    moment = Moment(begun, begun, datetime(last_year + 1, 9, 1, 6, tzinfo=UTC))
    now = datetime(last_year + 1, 10, 16, tzinfo=UTC)
    return publish(draft, moment, now=now, expected=None, report=lambda _: None)


def publish_squares(store: Store, folder: Path, *, data_origin: str = "live") -> Entry:
    """Publish 120 municipalities of 20 x 20 km from Oslo's north-eastwards: 0301 holds CENTRE, 0302 is east of it."""
    folder.mkdir(parents=True, exist_ok=True)
    west, south = CENTRE[0] - 10_000, CENTRE[1] - 10_000
    kommuner = [
        _feature(west + 20_000 * (k % 12), south + 20_000 * (k // 12), 20_000, kommunenummer=f"{301 + k:04d}",
                 name=f"Ruteby {k}")
        for k in range(99)
    ] + [
        _feature(west + 20_000 * (k % 12), south + 20_000 * (k // 12), 20_000, kommunenummer=f"{1001 + k:04d}",
                 name=f"Ruteby {k}")
        for k in range(99, 120)
    ]  # fmt: skip
    fylker = [
        _feature(west, south, 240_000, fylkesnummer="03", fylkesnavn="Rutefylke", name="Rutefylke"),
        _feature(west, south, 240_000, fylkesnummer="11", fylkesnavn="Annenfylke", name="Annenfylke"),
    ]
    for name, features in (("Kommuner-M", kommuner), ("Fylker-M", fylker)):
        document = {"type": "FeatureCollection", "data_origin": data_origin, "features": features}
        (folder / f"{name}.geojson").write_text(json.dumps(document))
    return municipality_borders.build(context_of(store, "2026-01-01T00:00:00Z!", addresses={"kartverket": str(folder)}))


def _feature(west: float, south: float, side: float, **properties: str) -> dict[str, object]:
    corners = ((0, 0), (1, 0), (1, 1), (0, 1), (0, 0))
    lat, lon = utm.inverse(*(np.array([start + side * step[axis] for step in corners])
                             for axis, start in ((0, west), (1, south))))  # fmt: skip
    ring = [[float(east), float(north)] for east, north in zip(lon, lat, strict=True)]
    return {"type": "Feature", "properties": properties, "geometry": {"type": "Polygon", "coordinates": [ring]}}
