"""Terrain from the national model: which windows are fetched at which resolution, faults, and no window twice."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catalog import stac
from catalog.sources.errors import NotYetAvailable, SourceError
from catalog.sources.kartverket import heights
from catalog.sources.kartverket.heights import Heights
from catalog.versions import Entry, read_index
from dags.areas import Area
from dags.build.terrain import terrain
from dags.build.terrain.kartverket import around, everywhere
from dags.build.terrain.reading import Terrain
from dags.build.terrain.resample import Part
from kernels import utm
from kernels.horizon.levels import MISSING
from tests.support.context import context_of
from tests.support.geotiff import write
from tests.support.tmy import mask, publish_land
from tiles.clock import Clock
from tiles.products.terrain import GRIDS
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
        self.origin, self.hole = "simulated", False

    def __call__(self, url: str, model: str, *box: Any, user_agent: str, deadline: float) -> Heights:
        west, south, east, north, cell = box
        assert (model, url) == ("dtm", URL)
        assert max(east - west, north - south) / cell <= heights.MOST_CELLS, "one answer of the service"
        if self.fails:
            raise self.fails.pop()
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
    # a few blocks: not in other processes, which do not know the service that is played here
    return played


def build(store: Store, *areas: Area, clock: str = CLOCK, lines: Any = None, **more: Any) -> Entry:
    report = (lines if lines is not None else []).append
    urls = {heights.NAME: URL}
    return terrain.build(context_of(store, clock, areas, report=report, addresses=urls, **more))


@pytest.mark.slow
def test_each_level_is_fetched_in_its_own_cells_as_far_as_it_reaches(tmp_path: Path, service: Service) -> None:
    store = open_store(str(tmp_path))
    entry = build(store, HERE)
    x, y = (float(v) for v in utm.forward(HERE.lat, HERE.lon))
    found = Terrain(store)
    assert found.cells == (10, 50, 250)
    for cell, reach in ((10, 11_900), (50, 31_900), (250, 156_900)):
        inside = found.tops(cell, x - reach, y - reach, x + reach, y + reach)
        assert (inside.z != MISSING).all()
        known = found.tops(cell, x - reach - 3000, y - reach - 3000, x + reach + 3000, y + reach + 3000).z != MISSING
        assert known.sum() * cell**2 < (2 * reach + 500 + 2 * cell) ** 2, "and no farther"
        xs, ys = np.meshgrid(inside.x0 + cell * np.arange(5), inside.y0 + cell * np.arange(5))
        ground = found.surface(cell, x - reach, y - reach, x + reach, y + reach).z[:5, :5]
        np.testing.assert_allclose(ground, land(xs, ys), atol=0.03)
    assert {cell for cell, _ in service.asked} == {10, 50, 250}
    assert (entry.data_origin, entry.source) == ("simulated", heights.NAME)
    (source,) = json.loads(store.get(entry.manifest))["provenance"]["sources"]
    assert source["fetched_in_cells_m"] == [10, 50, 250]
    assert source["inputs"][0]["windows"] == len(service.asked)
    assert source["years"] == [2018]
    assert source["attribution"].startswith("SIMULATED")
    assert "farther from the areas, where cells of 50 and 250 m were, they are no maxima" in source["method"]
    for fine, coarse in ((10, 50), (50, 250)):
        tops = found.tops(fine, x // 250 * 250, y // 250 * 250, x // 250 * 250 + 1000, y // 250 * 250 + 1000).z
        level = found.tops(coarse, x // 250 * 250, y // 250 * 250, x // 250 * 250 + 1000, y // 250 * 250 + 1000).z
        n = len(level)
        np.testing.assert_array_equal(level, tops.reshape(n, 5, n, 5).max(axis=(1, 3)))


def test_real_heights_say_whose_they_are(tmp_path: Path, service: Service) -> None:
    service.origin = "live"
    entry = build(open_store(str(tmp_path)), HERE)
    assert entry.data_origin == "live"
    assert [source["licence"] for source in Terrain(open_store(str(tmp_path))).sources] == ["CC BY 4.0"]
    told = json.loads(open_store(str(tmp_path)).get(stac.item_key(entry)))["properties"]
    assert [provider["name"] for provider in told["providers"]] == ["Kartverket", "Solflis"]
    assert told["license"] == "CC-BY-4.0"


@pytest.mark.slow
def test_areas_that_are_there_are_not_fetched_again(tmp_path: Path, service: Service) -> None:
    store = open_store(str(tmp_path))
    build(store, HERE)
    first = Terrain(store).tops(250, 0, 6_700_000, 300_000, 7_000_000).z
    service.asked.clear()
    lines: list[str] = []
    build(store, HERE, BESIDE, clock="2026-06-22T00:00:00Z!", lines=lines)
    x, y = (float(v) for v in utm.forward(HERE.lat, HERE.lon))
    there = [float(v) for v in utm.forward(BESIDE.lat, BESIDE.lon)]
    assert {cell for cell, _ in service.asked} == {10, 50, 250}
    for cell, reach in ((10, 11_900), (50, 31_900), (250, 156_900)):
        # windows of the new one alone, and of as much around as fills holes alike
        for west, south, east, north in (box for at, box in service.asked if at == cell):
            assert max(there[0] - west, east - there[0], there[1] - south, north - there[1]) <= reach + 250
    found = Terrain(store)
    assert [s["area"] for s in found.sources] == ["Vaga", "Lesja"]
    for place in ((x, y), there):
        assert (found.tops(10, place[0] - 100, place[1] - 100, place[0] + 100, place[1] + 100).z != MISSING).all()
    known = first != MISSING
    again = found.tops(250, 0, 6_700_000, 300_000, 7_000_000).z
    assert (again[known] != MISSING).all()
    service.asked.clear()
    assert build(store, BESIDE, HERE, clock="2026-06-23T00:00:00Z!").version == "2026-06-22T00"
    assert service.asked == []


def test_a_small_hole_is_filled_and_the_sea_is_flat(tmp_path: Path, service: Service) -> None:
    service.hole = True
    store = open_store(str(tmp_path))
    entry = build(store, HERE)
    x, y = (float(v) for v in utm.forward(HERE.lat, HERE.lon))
    found = Terrain(store)
    assert (found.tops(10, x - 3400, y - 3400, x + 3400, y + 3400).z > 500).all()
    assert np.abs(found.surface(250, 100_000, y, 130_000, y + 1000).z).max() < 0.03
    (source,) = json.loads(store.get(entry.manifest))["provenance"]["sources"]
    assert set(source["holes"]) == {"10 m", "50 m", "250 m"}
    assert sum(holes["no_data"] for holes in source["holes"].values()) > 0


def test_what_came_without_a_height_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the part that was asked for, and not of the margin around it."""
    (layer,) = around([HERE], URL)
    x, y = (float(v) // 10 * 10 for v in utm.forward(HERE.lat, HERE.lon))
    grid = GRIDS[10]
    part = Part(10, round((y - grid.y0) / 10), round((x - grid.x0) / 10), 40, 60)
    play = Service()

    def spoiled(*asked: Any, **options: Any) -> Heights:
        found = play(*asked, **options)
        row, column = round((y - found.south) / 10), round((x - found.west) / 10)
        found.z[row + 5, column : column + 3] = np.nan
        found.z[row + 20, column + 30] = 2550.0
        found.z[row + 30, column + 30] += 400.0
        found.z[row + 45, column] = np.nan
        return found

    monkeypatch.setattr(heights, "window", spoiled)
    read = layer.read(part)
    assert not np.isnan(read.found.ground).any()
    assert layer.about([read.notes, read.notes])["holes"] == {"10 m": {"cells": 4800, "no_data": 6, "absurd": 4}}


@pytest.mark.slow
def test_a_window_that_fails_is_tried_again_and_then_ends_the_build(tmp_path: Path, service: Service) -> None:
    store = open_store(str(tmp_path))
    service.fails = [SourceError("an exception with status 200")] * 2
    build(store, HERE)
    service.asked.clear()
    other = open_store(str(tmp_path / "other"))
    service.fails = [SourceError("an exception with status 200")] * 3
    with pytest.raises(SourceError, match="status 200"):
        build(other, HERE)
    assert read_index(other, "terrain_250m").entries == ()
    service.fails = [NotYetAvailable("no such coverage")]
    with pytest.raises(NotYetAvailable):
        build(other, HERE)
    assert service.fails == [], "what is not there is not asked for again"


@pytest.mark.slow
def test_after_a_failure_only_what_is_missing_is_fetched(tmp_path: Path, service: Service) -> None:
    store = open_store(str(tmp_path))
    whole = open_store(str(tmp_path / "whole"))
    build(whole, HERE)
    every = list(service.asked)
    service.asked.clear()
    played = service.__call__

    class Down(Exception):
        pass

    def ends(*args: Any, **options: Any) -> Heights:
        if len(service.asked) == 3:
            raise Down
        return played(*args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(heights, "window", ends)
        with pytest.raises(Down):
            build(store, HERE)
    build(store, HERE, clock="2026-06-21T15:00:00Z!")
    assert service.asked == every
    x, y = (float(v) for v in utm.forward(HERE.lat, HERE.lon))
    for cell in (10, 50, 250):
        box = (x - 3000, y - 3000, x + 3000, y + 3000)
        np.testing.assert_array_equal(Terrain(store).tops(cell, *box).z, Terrain(whole).tops(cell, *box).z)


@pytest.mark.slow
def test_a_file_lies_over_the_model_and_the_model_over_a_file_as_they_come(tmp_path: Path, service: Service) -> None:
    store = open_store(str(tmp_path / "tiles"))
    x, y = (float(v) // 250 * 250 for v in utm.forward(HERE.lat, HERE.lon))
    file = write(tmp_path / "a.tif", lambda x, y: np.full(x.shape, 5.0), west=x - 1000, south=y - 1000, shape=(40, 40))
    build(store, HERE)
    entry = build(store, clock="2026-06-21T11:00:00Z!", paths=(str(file),))
    found = Terrain(store)
    assert (entry.source, found.origin) == (f"{heights.NAME}+file", "simulated")
    box = (x - 1000, y - 1000, x + 1000, y + 1000)
    assert (found.tops(10, *box).z == MISSING).all()
    assert np.abs(found.surface(50, *box).z - 5).max() < 0.03
    assert (found.tops(10, x + 1000, y, x + 1500, y + 500).z > 500).all()
    service.asked.clear()
    build(store, HERE, clock="2026-06-21T12:00:00Z!")
    assert service.asked
    assert (Terrain(store).surface(50, *box).z > 500).all()


def test_an_area_beyond_the_grid_is_refused(tmp_path: Path, service: Service) -> None:
    with pytest.raises(ValueError, match="Longyearbyen lies outside Norway's grid"):
        build(open_store(str(tmp_path)), Area("Longyearbyen", 78.22, 15.6))
    assert service.asked == []


def test_the_whole_country_is_the_land_and_what_it_sees(tmp_path: Path) -> None:
    store = open_store(str(tmp_path))
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
