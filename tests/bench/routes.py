"""Routes over HTTP, by one worker and one connection; and `/health` while eight clients ask.

`horizon_http`: `GET /api/horizon/terrain`; `warm`: of places that were asked for before; `new places`: of more cells in
turn than are kept, so that each is made anew, from chunks that are decoded already.

`pv_http`: `GET /api/pv/calc`, of a cell that is ready, with a made-up horizon; `new cells`: of more cells in turn than
are kept ready, so that each is read and prepared.

`tmy_http`: `GET /api/tmy`, uncompressed but for `gzip`; `kept`: of a cell whose chunks are decoded already; `from the
store`: of more cells in turn than are kept decoded.

`snow_http`: `GET /api/snowsoiling/calc` and `/api/snow/outlook`; `made`: of a cell that is ready, no two questions
alike, so that no answer is kept; `kept`: the same again and again.

`snowload_http`: `GET /api/snowload/calc`, read, fitted and written anew each time; `on demand`: nine cells that are not
published but kept on this machine's disk, asked of an authority that answers at once.
"""

import itertools
from datetime import date
from pathlib import Path

from tests.bench.asking import Paths, Routes, ask_routes
from tests.bench.serving import BLOCK_OF_CELLS, CENTRES, PLACE, publish_block
from tests.bench.timing import service
from tests.support.horizon import BODO, OSLO, SIZE, corner, publish_horizon
from tests.support.snow import publish_snow
from tests.support.snowload import CENTRE, publish_snowload, publish_squares, winters
from tiles.grid import HORIZON
from tiles.products.tmy import MADE_OF
from tiles.products.tmy_stats import ANNUAL
from tiles.store import open_store

LOAD = "/api/snowload/calc"
TERRAIN = "/api/horizon/terrain?lat={0:.5f}&lon={1:.5f}&format="
CALC, MONTHS, DAYS = f"/api/pv/calc?{PLACE}", f"/api/snowsoiling/calc?{PLACE}", f"/api/snow/outlook?{PLACE}"
EPW, JSON = f"/api/tmy?{PLACE}", f"/api/tmy?{PLACE}&format=json"
KEPT = {"epw, kept (bar 8)": EPW, "json, kept (bar 4)": JSON}
GZIPPED = f"GET {EPW} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n"
VARIANTS = [f"&product={name}&confidence={which}" for name in MADE_OF for which in ANNUAL]
STORED = Paths(tuple(f"/api/tmy?lat={lat:.5f}&lon={lon:.5f}" for lat, lon in CENTRES))
FOUR = "&arrays=5:{tilt}:-90,3:20:90,{tilt}:35:0,2:90:10"
_FIRST = corner(*BODO)
# Of all chunks of a block in turn: 4096 cells, of which the application keeps 64.
CELLS = [
    TERRAIN.format(*HORIZON.centre((_FIRST[0] + 8 * i + row, _FIRST[1] + 8 * j + column)))
    for row in range(8)
    for column in range(8)
    for i in range(SIZE // 8)
    for j in range(SIZE // 8)
]


_SIDE = 64
"""Cells to a side that are published: four shards."""
_SQUARE = [(CENTRE[0] + 1000 * (k % _SIDE), CENTRE[1] + 1000 * (k // _SIDE)) for k in range(_SIDE**2)]
_POINTS = [f"{LOAD}?x={x + 137}&y={y - 211}" for x, y in _SQUARE if x % 3000 < 1000 and y % 3000 < 1000]
_BY_HAND = ",".join(f"{x}_{y}" for x, y in (_SQUARE[_SIDE * (k // 6) + k % 6] for k in range(36)))
"""They lie in the corner, and so over several chunks."""


def _horizons(folder: Path) -> None:
    publish_horizon(open_store(str(folder / "tiles")))


def _typical_years(folder: Path) -> None:
    publish_block(folder)
    _horizons(folder)


def _snow(folder: Path) -> None:
    _typical_years(folder)
    publish_snow(open_store(str(folder / "tiles")), date(2026, 5, 31), BLOCK_OF_CELLS)


def _snow_loads(folder: Path) -> None:
    store = open_store(str(folder / "tiles"))
    publish_snowload(store, {point: winters(point) for point in _SQUARE})
    publish_squares(store, folder / "borders")


def _loads(query: str) -> Paths:
    return Paths(tuple(f"{LOAD}?{query}&variability={1 + k / 1000}" for k in range(1000)))


def _tilts(query: str) -> Paths:
    """No two of a round are the same: nothing could be kept but the cell."""
    varied = ({"tilt": tilt, "aspect": 3 * tilt - 120, "loss": tilt / 2} for tilt in range(5, 85, 5))
    return Paths(tuple(CALC + query.format(**values) for values in varied))


def _planes(path: str) -> Paths:
    """More planes than are asked for: an answer that was made is kept."""
    planes = itertools.product(range(50, 900), range(-170, 180, 10))
    return Paths(tuple(f"{path}&angle={tilt / 10}&aspect={aspect}" for tilt, aspect in planes))


ROUTES = {
    "horizon_http": Routes(
        _horizons,
        {
            "binary, warm (bar 1.5)": Paths(tuple(f"{path}binary" for path in CELLS[:16]), warm=True),
            "json, warm (bar 3)": Paths(tuple(f"{path}json" for path in CELLS[:16]), warm=True),
            **{
                f"{form}, new places": Paths(tuple(path + form for path in CELLS))
                for form in ("binary", "json", "csv", "geojson", "export_e", "png")
            },
            **{f"{form}, warm": Paths((TERRAIN.format(*OSLO) + form,), warm=True) for form in ("csv", "png")},
        },
        ("json, new places", "export_e, new places"),
    ),
    "pv_http": Routes(
        _typical_years,
        {
            "one surface, warm (bar 3)": _tilts("&angle={tilt}"),
            "four surfaces, warm (bar 8)": _tilts(FOUR),
            "four, with a limit": _tilts(f"{FOUR}&maxpower=9"),
            "optimize=slope": _tilts("&optimize=slope&aspect={aspect}"),
            "optimize=both (bar 25)": _tilts("&optimize=both&loss={loss}"),
            "optimize=both, with a limit": _tilts("&optimize=both&maxpower=0.6&loss={loss}"),
            "csv": _tilts("&angle={tilt}&format=csv"),
            "new cells": Paths(tuple(f"/api/pv/calc?lat={lat:.5f}&lon={lon:.5f}" for lat, lon in CENTRES)),
            "picture": Paths((f"{CALC}&format=png",)),
        },
        ("one surface, warm (bar 3)", "four surfaces, warm (bar 8)", "optimize=both (bar 25)", "new cells"),
    ),
    "tmy_http": Routes(
        publish_block,
        {
            **{name: Paths(tuple(path + more for more in VARIANTS)) for name, path in KEPT.items()},
            "epw, gzip, kept (bar 2)": Paths((GZIPPED,), warm=True),
            "epw, from the store": STORED,
            "json, from the store": Paths(tuple(f"{path}&format=json" for path in STORED.paths), turn=STORED.turn),
            "csv": Paths((f"{EPW}&format=csv",)),
            "tool_h": Paths((f"{EPW}&format=tool_h",)),
            "stats": Paths((f"/api/tmy/stats?{PLACE}",)),
        },
        ("epw, kept (bar 8)", "epw, from the store"),
        KEPT,
    ),
    "snowload_http": Routes(
        _snow_loads,
        {
            "3 x 3 (bar 10)": Paths(tuple(_POINTS)),
            "5 x 5": Paths(tuple(f"{point}&grid=5" for point in _POINTS)),
            "36 cells (bar 25)": _loads(f"x={CENTRE[0]}&y={CENTRE[1]}&cells={_BY_HAND}"),
            "3 x 3, csv": Paths(tuple(f"{point}&format=csv" for point in _POINTS)),
            "3 x 3, on demand, kept": _loads(f"x={CENTRE[0] - 10_000}&y={CENTRE[1]}"),
        },
        ("36 cells (bar 25)",),
    ),
    "snow_http": Routes(
        _snow,
        {
            "months since 1991, made (bar 10)": _planes(MONTHS),
            "months since 1957, made": _planes(f"{MONTHS}&start=1957"),
            "months, kept": Paths((MONTHS,)),
            "months, csv, made": _planes(f"{MONTHS}&format=csv"),
            "ten days, made (bar 8)": _planes(DAYS),
            "ten days, kept": Paths((DAYS,)),
            "months, new cells": Paths(
                tuple(
                    f"/api/snowsoiling/calc?lat={lat:.5f}&lon={lon:.5f}&soiling={i / 100}"
                    for i in range(500)
                    for lat, lon in CENTRES
                )
            ),
        },
        ("months since 1991, made (bar 10)", "ten days, made (bar 8)"),
    ),
}


def measure(name: str, folder: Path, seconds: float = 3.0, old: str = "") -> None:
    """Publish, serve, and print the figures."""
    with service("-m", "tests.bench.snow_server") as url:
        ask_routes(folder, ROUTES[name], seconds, old, NVE_GTS_URL=url)
