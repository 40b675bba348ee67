"""The maxima of seasons by the authority's own protocol, from the simulator: asked, counted, published, read."""

import asyncio
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytest_asyncio
from aiohttp.test_utils import TestClient, TestServer

from catalog.verify import verify
from dags.areas import Area
from dags.build.snow import snowload
from infra.simulator.server import create_app
from infra.simulator.snow.cells import land
from tests.support.context import context_of
from tests.support.snowload_build import OSLO_CELL, built, maxima, point_of, said_of
from tests.support.tmy import OSLO
from tiles.clock import Clock
from tiles.store import open_store

NOW = "2026-10-16T02:00:00Z!"
VERSION = "1957-2026"
AREAS = (Area("Oslo", *OSLO, side_km=4.0), Area("west of Bergen", 60.30, 5.0, side_km=6.0))


@pytest_asyncio.fixture
async def client(tmp_path: Path) -> AsyncIterator[Any]:
    async with TestClient(TestServer(create_app(Clock.parse(NOW), tmp_path / "simulator", 100))) as client:
        yield client


async def told(client: Any, point: tuple[int, int]) -> dict[int, list[int]]:
    """What the simulator says of a cell, by the season that the day before a stamp is of."""
    path = f"/nve_gts/api/GridTimeSeries/{point[0]}/{point[1]}/1957-09-02/2026-09-01/swe.json"
    answer = await (await client.get(path)).json()
    assert answer["Unit"] == "mm"
    seasons: dict[int, list[int]] = {}
    for number, value in enumerate(answer["Data"]):
        day = date.fromordinal(date(1957, 9, 1).toordinal() + number)
        seasons.setdefault(day.year - (day.month < 9), []).append(value)
    return seasons


@pytest.mark.slow
async def test_two_years(client: Any, tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "tiles"))
    names = "nve_gts", "kartverket"
    urls = str(client.make_url("/nve_gts")), str(client.make_url("/kartverket"))
    said: list[str] = []
    for year in (2025, 2026):
        clock = NOW.replace("2026", str(year))
        context = context_of(store, clock, AREAS, addresses=dict(zip(names, urls, strict=True)), report=said.append)
        entry = await asyncio.to_thread(snowload.build, context)
        assert (entry.version, entry.data_origin) == (f"1957-{year}", "simulated")
    # of each block one to know which cells there are, and one more for each that there is not; then one for ten cells
    first, second = said_of(store, "1957-2025"), said_of(store, VERSION)
    assert (first["cells"], first["cells_without_data"]) == (second["cells"], second["cells_without_data"]) == (69, 3)
    assert first["requests"] == (1 + 3) + (1 + 3 + 5)
    assert second["requests"] == 1 + 1, "the new season of all cells of a block, and no cell is looked for again"
    assert any("2 blocks, 72 cells; 2 requests to nve_gts; 3 of 49 cells are left out" in line for line in said)
    assert verify(store, "snowload", VERSION, report=lambda _: None) == []
    cells = built(store, VERSION)
    assert len(cells) == 69
    assert OSLO_CELL in cells
    assert all(land()[cell] for cell in cells)
    for cell in (OSLO_CELL, min(cells), max(cells)):
        seasons = await told(client, point_of(cell))
        assert set(map(len, seasons.values())) == {365, 366}
        np.testing.assert_array_equal(maxima(store, cell, VERSION), [max(days) for days in seasons.values()])
    assert 20 < float(np.median(maxima(store, OSLO_CELL, VERSION))) < 1000
