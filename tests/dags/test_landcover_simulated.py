"""Land cover built of what the simulator answers by its protocols, nothing in their place."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer
from numpy.typing import NDArray

from catalog.sources import http
from catalog.sources.errors import SourceError
from catalog.versions import Entry, read_index
from dags.areas import Area
from dags.build.landcover import landcover
from infra.simulator.heights import ground, surface
from infra.simulator.keys import RULES
from infra.simulator.landcover.codes import codes
from infra.simulator.misbehave import Rule
from infra.simulator.server import create_app
from kernels import utm
from tests.support.context import context_of
from tiles.clock import Clock
from tiles.products.landcover import CHUNK, PRODUCT, SIDE, bounds_of
from tiles.store import open_store
from tiles.windows import Windows

# With the sea in it, and three squares of 2 km with a town.
CORNER = (52_000, 17_000)
BOX = WEST, SOUTH, EAST, NORTH = bounds_of(*CORNER, SIDE)
AREA = Area("by the sea", *(float(one) for one in utm.inverse(WEST + 5000, SOUTH + 5000)), side_km=1)
CLOCK, LATER = "2026-05-01T06:20:00Z!", "2026-05-03T00:00:00Z!"
NAMES = ("ar50", "corine", "kartverket_wcs")
BUILT_UP, SEA = 11, 82


class Built(NamedTuple):
    """What was published."""

    entry: Entry
    cover: NDArray[np.uint16]
    share: NDArray[np.floating[Any]]
    height: NDArray[np.floating[Any]]
    said: Any


class Simulator:
    """The services, what they were asked, and a store."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.asked = folder / "tiles", list[str]()
        self.server = TestServer(create_app(Clock.parse(CLOCK), folder, 60))

        @web.middleware
        async def note(request: web.Request, handler: Any) -> web.StreamResponse:
            self.asked.append(request.path.split("/")[1])
            answer: web.StreamResponse = await handler(request)
            return answer

        self.server.app.middlewares.append(note)

    def misbehave(self, path: str, mode: str) -> None:
        self.server.app[RULES].append(Rule.model_validate({"path": path, "mode": mode}))

    async def build(self, clock: str = CLOCK) -> Built:
        urls = {name: str(self.server.make_url(f"/{name}")) for name in NAMES}
        context = context_of(self.folder, clock, (AREA,), addresses=urls)
        entry = await asyncio.to_thread(landcover.build, context)
        tiles = Windows(open_store(str(self.folder)), PRODUCT, entry.manifest)
        assert tiles.corners == {CORNER}
        packed = {name: tiles.window(name, *CORNER, SIDE, SIDE) for name in ("cover", "built", "height")}
        share, height = (PRODUCT.variable(name).unpack(packed[name]) for name in ("built", "height"))
        return Built(entry, packed["cover"], share, height, tiles.manifest.provenance)


@pytest_asyncio.fixture
async def simulator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Simulator]:
    monkeypatch.setattr(landcover, "REACH_M", 100.0)
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.001)
    playing = Simulator(tmp_path)
    async with playing.server:
        yield playing


def truth(cell: int) -> NDArray[np.uint8]:
    """The block's land cover on a lattice of coarser cells, in ours."""
    x, y = (np.arange(first + cell / 2, last, cell) for first, last in ((WEST, EAST), (SOUTH, NORTH)))
    return np.kron(codes(x, y), np.ones((cell // 10, cell // 10), np.uint8))


def houses(row: int, column: int) -> tuple[NDArray[np.floating[Any]], float]:
    """Return the share of each cell of a square of 2 km under houses, and the mean height of these, m."""
    west, south, east, north = bounds_of(CORNER[0] + row, CORNER[1] + column, CHUNK)
    x, y = np.arange(west + 1, east, 2), np.arange(south + 1, north, 2)
    tall = surface.roofs(x, y)[0] - ground.heights(x, y, 2)
    stands = tall > 2.5
    return stands.reshape(CHUNK, 5, CHUNK, 5).mean(axis=(1, 3)), float(tall[stands].mean())


async def test_a_block_is_what_the_services_show_and_is_not_made_twice(simulator: Simulator) -> None:
    built = await simulator.build()
    np.testing.assert_array_equal(built.cover, truth(50))
    assert {BUILT_UP, SEA} <= set(np.unique(built.cover))
    squares = (built.cover == BUILT_UP).reshape(5, CHUNK, 5, CHUNK).any(axis=(1, 3))
    assert 0 < squares.sum() < 25
    looked = np.kron(squares, np.ones((CHUNK, CHUNK), bool))
    np.testing.assert_array_equal(np.isfinite(built.share), looked)
    np.testing.assert_array_equal(np.isfinite(built.height), looked)
    assert built.share[looked & (built.cover == SEA)].mean() < 1, "where squares of 50 m are sea at their middle alone"
    for row, column in np.argwhere(squares) * CHUNK:
        part = np.s_[row : row + CHUNK, column : column + CHUNK]
        town = built.cover[part] == BUILT_UP
        there, tall = houses(row, column)
        share, height = built.share[part][town] / 100, built.height[part][town]
        assert share.mean() == pytest.approx(there[town].mean(), rel=0.07)
        assert np.corrcoef(share, there[town])[0, 1] > 0.97
        assert np.average(height, weights=share) == pytest.approx(tall, rel=0.05)
    assert [one["name"] for one in built.said["sources"]] == ["ar50", "kartverket_wcs"]
    assert {one["data_origin"] for one in built.said["sources"]} == {built.said["data_origin"]} == {"simulated"}
    assert all(one["attribution"].startswith("SIMULATED") for one in built.said["sources"])
    assert (built.entry.version, built.entry.data_origin) == ("2026-05-01T06", "simulated")
    simulator.asked.clear()
    assert (await simulator.build(LATER)).entry == built.entry
    assert simulator.asked == []


async def test_corine_is_in_the_block_where_ar50_lacks_a_sheet_and_among_its_sources(
    simulator: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(landcover, "_BUILT_UP", -1)
    simulator.misbehave("/ar50", "holes")
    built = await simulator.build()
    half = np.s_[: SIDE // 2, : SIDE // 2]
    expected = truth(50)
    expected[half] = truth(100)[half]
    known = built.cover != 0
    np.testing.assert_array_equal(built.cover[known], expected[known])
    assert known.mean() > 0.99
    assert [one["name"] for one in built.said["sources"]] == ["ar50", "corine"]


@pytest.mark.parametrize("path", ["/ar50", "/kartverket_wcs/*"])
async def test_with_a_source_that_fails_nothing_is_published(simulator: Simulator, path: str) -> None:
    simulator.misbehave(path, "exception")
    with pytest.raises(SourceError, match=f"^{path.split('/')[1]}: "):
        await simulator.build()
    assert read_index(open_store(str(simulator.folder)), PRODUCT.name).entries == ()
