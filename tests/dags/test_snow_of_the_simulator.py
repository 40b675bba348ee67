"""The snow of two mornings by the authority's own protocol, from the simulator: asked, counted, published, read."""

import asyncio
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytest_asyncio
from aiohttp.test_utils import TestClient, TestServer

import catalog
from catalog.sources import nve_gts
from catalog.versions import read_index
from dags.areas import Area
from dags.build.snow import snow_daily
from infra.simulator.server import create_app
from infra.simulator.snow.cells import land
from tests.support.context import context_of
from tests.support.nve_gts import asked_by
from tests.support.tmy import OSLO, OSLO_CELL
from tiles.clock import Clock
from tiles.grid import NORWAY3KM, SENORGE1KM
from tiles.manifest import Manifest
from tiles.store import open_store

CLOCK = Clock.parse("2026-02-10T08:00:00Z!")


@pytest_asyncio.fixture
async def client(tmp_path: Path) -> AsyncIterator[Any]:
    async with TestClient(TestServer(create_app(CLOCK, tmp_path / "simulator", 100))) as client:
        yield client


@pytest.mark.slow
async def test_two_mornings(client: Any, tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "tiles"))
    urls = {name: str(client.make_url(f"/{name}")) for name in ("nve_gts", "kartverket")}
    told = []
    for morning in ("2026-02-09", "2026-02-10"):
        said: list[str] = []
        oslo = (Area("Oslo", *OSLO),)
        context = context_of(store, CLOCK, oslo, partition=morning, addresses=urls, report=said.append)
        entry = await asyncio.to_thread(snow_daily.build, context)
        assert (entry.version, entry.data_origin) == (morning, "simulated")
        told.append(Manifest.read(store, entry.manifest).provenance)
        assert f"snow_daily: {told[-1]['requests']} requests to nve_gts" in said
    # all cells at once, each of five themes; the first morning also looked for the cells
    assert told[1]["requests"] == 5
    assert 5 < told[0]["requests"] <= 30
    assert (told[1]["observed_until"], told[1]["days"]) == ("2026-02-09", ["2025-09-01", "2026-02-18"])

    data = catalog.open("snow_outlook", version="2026-02-10", store=store.url).load()
    held = np.isfinite(data.snow_row.values)
    assert held[OSLO_CELL]
    rows, columns = data.snow_row.values[held].astype(int), data.snow_column.values[held].astype(int)
    assert land()[rows, columns].all()
    away = np.hypot(*(snow - (3 * grid + 1) for snow, grid in zip((rows, columns), np.nonzero(held), strict=True)))
    assert away.max() <= 4
    assert np.median(away) == 0

    cell = int(data.snow_row.values[OSLO_CELL]), int(data.snow_column.values[OSLO_CELL])
    point = (int(SENORGE1KM.x0 + 1000 * cell[1] + 500), int(SENORGE1KM.y0 + 1000 * cell[0] + 500))
    alone = await asyncio.to_thread(
        asked_by(urls["nve_gts"], 60).at_points, [point], date(2025, 9, 1), date(2026, 2, 18), today=date(2026, 2, 10)
    )
    oslo = data.isel(y=OSLO_CELL[0], x=OSLO_CELL[1])
    assert float(oslo.altitude) == alone.altitude[0]
    for name in nve_gts.QUANTITIES:
        # days before the last ten observed ones were asked for on the morning before, which knew them as well
        np.testing.assert_allclose(oslo[name], alone.values[name][:, 0], atol=0.51 if name != "temp_air" else 0.06)
    assert float(oslo.swe.max()) > 0

    factors = catalog.open("snow_factors", version="2026-02-10", store=store.url).load()
    assert factors.sizes["municipality"] > 80
    assert 0 <= float(factors.factor.min()) < 0.5 < float(factors.factor.max()) <= 1
    listed = Manifest.read(store, read_index(store, "snow_factors").entries[-1].manifest).provenance["municipalities"]
    oslo_row = next(row for row in listed if row[0] == 301)
    assert NORWAY3KM.nearest(oslo_row[2], oslo_row[3], None, 3.0) is not None
    assert abs(oslo_row[2] - OSLO[0]) < 0.3
