"""Terrain from the national model: which windows are fetched at which resolution, faults, and no window twice."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catalog.sources.errors import NotYetAvailable, SourceError
from catalog.sources.kartverket import heights
from catalog.sources.kartverket.heights import Heights
from catalog.versions import Entry, read_index
from dags.areas import Area
from dags.build.terrain import kartverket, terrain
from dags.build.terrain.kartverket import around, everywhere
from dags.build.terrain.reading import Terrain
from kernels import utm
from kernels.horizon.levels import MISSING
from tests.support.context import context_of
from tests.support.tmy import mask, publish_land
from tiles.clock import Clock
from tiles.store import Store, open_store

CLOCK = "2026-06-21T10:20:00Z!"
# so that the widest windows lie within one block of 250 km
HERE, BESIDE = Area("Vaga", 61.95, 9.2, 1.0), Area("Lesja", 62.0, 9.25, 1.0)
URL = "http://127.0.0.1:9/wcs"


def land(x: Any, y: Any) -> Any:
    """Hills above the sea, which is everything west of a line."""
    return np.where(x < 140_000, 0.0, 800 + 0.002 * (y - 6_800_000) + 90 * np.sin(x / 700) * np.cos(y / 900))


class Service:
    """Plays the coverage service, and remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[float, tuple[float, ...]]] = []
        self.fails: list[Exception] = []
        self.lasts: int | None = None
        self.origin, self.hole = "simulated", False

    def __call__(self, url: str, model: str, *box: Any, user_agent: str, deadline: float) -> Heights:
        west, south, east, north, cell = box
        assert (model, url) == ("dtm", URL)
        assert max(east - west, north - south) / cell <= heights.MOST_CELLS, "one answer of the service"
        if self.fails or len(self.asked) == self.lasts:
            raise self.fails.pop() if self.fails else SourceError("an exception with status 200")
        self.asked.append((cell, (west, south, east, north)))
        x, y = np.meshgrid(np.arange(west + cell / 2, east, cell), np.arange(south + cell / 2, north, cell))
        z = land(x, y).astype(np.float32)
        if self.hole:
            z[40:43, 40:43] = np.nan
        about = {"url": url, "bytes": z.nbytes, "sha256": str(hash(z.tobytes()))}
        return Heights(z, west, south, cell, 2018, self.origin, about)  # type: ignore[arg-type]


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Service:
    played = Service()
    monkeypatch.setattr(heights, "window", played)
    return played


def build(store: Store, *areas: Area, clock: str = CLOCK, lines: Any = None, **more: Any) -> Entry:
    report = (lines if lines is not None else []).append
    urls = {heights.NAME: URL}
    return terrain.build(context_of(store, clock, areas, report=report, addresses=urls, **more))


REACHES = ((10, 11_900), (50, 31_900), (250, 156_900))


def middle(area: Area) -> tuple[float, float]:
    x, y = utm.forward(area.lat, area.lon)
    return float(x), float(y)


def around_of(area: Area, reach: float) -> tuple[float, float, float, float]:
    x, y = middle(area)
    return x - reach, y - reach, x + reach, y + reach


@pytest.mark.slow
def test_each_level_is_fetched_in_its_own_cells_as_far_as_it_reaches_and_once(store: Store, service: Service) -> None:
    entry = build(store, HERE)
    found = Terrain(store)
    assert found.cells == (10, 50, 250)
    for cell, reach in REACHES:
        inside = found.tops(cell, *around_of(HERE, reach))
        assert (inside.z != MISSING).all()
        known = found.tops(cell, *around_of(HERE, reach + 3000)).z != MISSING
        assert known.sum() * cell**2 < (2 * reach + 500 + 2 * cell) ** 2, "and no farther"
        xs, ys = np.meshgrid(inside.x0 + cell * np.arange(5), inside.y0 + cell * np.arange(5))
        ground = found.surface(cell, *around_of(HERE, reach)).z[:5, :5]
        np.testing.assert_allclose(ground, land(xs, ys), atol=0.03)
    assert (entry.data_origin, entry.source) == ("simulated", heights.NAME)
    (source,) = found.sources
    assert (source["fetched_in_cells_m"], source["years"]) == ([10, 50, 250], [2018])
    assert source["inputs"][0]["windows"] == len(service.asked)
    assert source["attribution"].startswith("SIMULATED")
    service.asked.clear()
    build(store, HERE, BESIDE, clock="2026-06-22T00:00:00Z!")
    x, y = middle(BESIDE)
    for cell, reach in REACHES:
        # windows of the new one alone, and of as much around as fills holes alike
        for west, south, east, north in (box for at, box in service.asked if at == cell):
            assert max(x - west, east - x, y - south, north - y) <= reach + 250
    found = Terrain(store)
    assert [s["area"] for s in found.sources] == ["Vaga", "Lesja"]
    for area, (cell, reach) in product((HERE, BESIDE), REACHES):
        assert (found.tops(cell, *around_of(area, reach)).z != MISSING).all()
    service.asked.clear()
    assert build(store, BESIDE, HERE, clock="2026-06-23T00:00:00Z!").version == "2026-06-22T00"
    assert service.asked == []


@pytest.mark.slow
def test_a_window_that_fails_is_tried_again_and_then_ends_the_build_which_goes_on_later(
    store: Store, service: Service
) -> None:
    service.fails = [NotYetAvailable("no such coverage")]
    with pytest.raises(NotYetAvailable):
        build(store, HERE)
    assert service.fails == [], "what is not there is not asked for again"
    service.fails = [SourceError("an exception with status 200")] * 2
    service.lasts = 3
    with pytest.raises(SourceError, match="status 200"):
        build(store, HERE)
    assert read_index(store, "terrain_250m").entries == ()
    service.lasts = None
    build(store, HERE, clock="2026-06-21T15:00:00Z!")
    assert len(set(service.asked)) == len(service.asked), "no window twice"
    for cell, reach in REACHES:
        assert (Terrain(store).tops(cell, *around_of(HERE, reach)).z != MISSING).all()


def test_real_heights_say_whose_they_are_small_holes_are_filled_and_the_sea_is_flat(
    store: Store, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kartverket, "REACH_M", {10: 4_000.0, 50: 8_000.0, 250: 100_000.0})
    service.hole, service.origin = True, "live"
    entry = build(store, HERE)
    found, (_, y) = Terrain(store), middle(HERE)
    assert (found.tops(10, *around_of(HERE, 3400)).z > 500).all()
    assert np.abs(found.surface(250, 100_000, y, 130_000, y + 1000).z).max() < 0.03
    (source,) = found.sources
    assert (entry.data_origin, source["licence"]) == ("live", "CC BY 4.0")
    assert set(source["holes"]) == {"10 m", "50 m", "250 m"}
    assert sum(holes["no_data"] for holes in source["holes"].values()) > 0


def test_an_area_beyond_the_grid_is_refused(tmp_path: Path, service: Service) -> None:
    with pytest.raises(ValueError, match="Longyearbyen lies outside Norway's grid"):
        build(open_store(str(tmp_path)), Area("Longyearbyen", 78.22, 15.6))
    assert service.asked == []


def test_the_whole_country_is_the_land_and_what_it_sees(store: Store) -> None:
    publish_land(store)
    layer = everywhere(URL, store, Clock.parse(CLOCK))
    rows, columns = np.nonzero(mask())
    for cell, reach in ((10, 11_400), (50, 31_400), (250, 156_400)):
        side = 1000 * cell
        blocks = {(row // 1000, column // 1000) for row, column in layer.blocks(cell)}
        centres = zip(rows * 3000 + 1500, columns * 3000 + 1500, strict=True)
        assert {(int(y) // side, int(x) // side) for y, x in centres} <= blocks
        for row, column in sorted(blocks)[::7]:
            away_y = np.maximum(row * side - rows * 3000 - 3000, rows * 3000 - (row + 1) * side)
            away_x = np.maximum(column * side - columns * 3000 - 3000, columns * 3000 - (column + 1) * side)
            assert np.maximum(away_x, away_y).min() <= reach
    (oslo,) = around([Area("Oslo", 59.91, 10.75)], URL)
    assert oslo.blocks(10) <= layer.blocks(10)
