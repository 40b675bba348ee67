"""Made-up winters' maxima of a few cells and square municipalities, published through the real writer and builder."""

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from catalog.publish import Moment, publish
from catalog.versions import Entry
from dags.build.borders import municipality_borders
from kernels import utm
from tests.support.context import context_of
from tests.support.snow import days_of, provenance
from tests.support.tiles import blocks_of, draft_of_blocks
from tiles.grid import SENORGE1KM, Cell
from tiles.products.registry import product
from tiles.store import Store

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


def publish_snowload(store: Store, cells: Mapping[tuple[int, int], Winters] | None = None) -> Entry:
    """Publish maxima by cell."""
    declared, years = product("snowload"), np.arange(FIRST_YEAR, LAST_YEAR + 1)
    about = provenance("snowload", days_of(date(FIRST_YEAR, 9, 1), date(LAST_YEAR + 1, 8, 31)), "live")
    held = usual() if cells is None else cells
    values = {cell_of(point): {"swe_max": swe, "altitude": altitude(point)} for point, swe in held.items()}
    blocks = blocks_of(declared, values)
    draft = draft_of_blocks(store, declared, f"{FIRST_YEAR}-{LAST_YEAR + 1}", {"season": years}, blocks, about)
    begun, ended = (datetime(year, 9, 1, 6, tzinfo=UTC) for year in (FIRST_YEAR, LAST_YEAR + 1))
    moment, now = Moment(begun, begun, ended), ended + timedelta(days=45)
    return publish(draft, moment, now=now, expected=None, report=lambda _: None)


def publish_squares(store: Store, folder: Path) -> Entry:
    """Publish 120 municipalities of 20 x 20 km from Oslo's north-eastwards: 0301 holds CENTRE, 0302 is east of it."""
    folder.mkdir(parents=True, exist_ok=True)
    west, south = CENTRE[0] - 10_000, CENTRE[1] - 10_000
    kommuner = []
    for k in range(120):
        number = f"{(301 if k < 99 else 1001) + k:04d}"
        corner = west + 20_000 * (k % 12), south + 20_000 * (k // 12)
        kommuner.append(_feature(*corner, 20_000, kommunenummer=number, name=f"Ruteby {k}"))
    fylker = [
        _feature(west, south, 240_000, fylkesnummer=number, fylkesnavn=name, name=name)
        for number, name in (("03", "Rutefylke"), ("11", "Annenfylke"))
    ]
    for name, features in (("Kommuner-M", kommuner), ("Fylker-M", fylker)):
        document = {"type": "FeatureCollection", "data_origin": "live", "features": features}
        (folder / f"{name}.geojson").write_text(json.dumps(document))
    return municipality_borders.build(context_of(store, "2026-01-01T00:00:00Z!", addresses={"kartverket": str(folder)}))


def _feature(west: float, south: float, side: float, **properties: str) -> dict[str, object]:
    corners = ((0, 0), (1, 0), (1, 1), (0, 1), (0, 0))
    x, y = (np.array([start + side * step[axis] for step in corners]) for axis, start in ((0, west), (1, south)))
    lat, lon = utm.inverse(x, y)
    ring = [[float(east), float(north)] for east, north in zip(lon, lat, strict=True)]
    return {"type": "Feature", "properties": properties, "geometry": {"type": "Polygon", "coordinates": [ring]}}
