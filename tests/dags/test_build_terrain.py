"""The terrain from files: real land, what lies over what, going on with a killed build, and what readers see."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyproj
import pytest
import rasterio

import catalog
from catalog.verify import verify
from catalog.versions import Entry, read_index
from dags.build import blocks
from dags.build.terrain import terrain
from dags.build.terrain.reading import Terrain
from kernels.horizon.levels import MISSING
from tests.support.context import context_of
from tests.support.geotiff import SOUTH, WEST, hills, write
from tests.support.terrain import extents
from tiles.errors import DraftInvalid, TileCorrupt
from tiles.store import Store, open_store

CLOCK = "2026-06-21T10:20:00Z!"
OSLO, FINSE = "oslo_tin_50m_utm33.tif", "ASTER_Finse.tif"
PACKED = 0.0201
"""Half a step of the packing, and what float32 adds, m."""


def build(store: Store, *paths: Path, year: int | None = None, clock: str = CLOCK, lines: Any = None) -> Entry:
    report = (lines if lines is not None else []).append
    return terrain.build(
        context_of(store, clock, source="file", paths=tuple(map(str, paths)), year=year, report=report)
    )


def box(west: float, south: float, size: float) -> tuple[float, float, float, float]:
    return west, south, west + size, south + size


@pytest.fixture(scope="module")
def real(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Oslo, and later Finse."""
    store = open_store(str(tmp_path_factory.mktemp("tiles")))
    build(store, shared_data / "terrain" / OSLO)
    entry = build(store, shared_data / "terrain" / FINSE, clock="2026-06-21T11:00:00Z!")
    return store, entry, Terrain(store)


def test_the_ground_of_oslo_is_the_files(real: Any, shared_data: Path) -> None:
    model = rasterio.open(shared_data / "terrain" / OSLO)
    z = model.read(1)[::-1]
    ground = real[2].surface(50, *model.bounds)
    assert (ground.x0, ground.y0, ground.cell) == (231_525.0, 6_629_525.0, 50.0)
    assert ground.z.shape == z.shape
    np.testing.assert_allclose(ground.z, z, atol=PACKED)
    top = real[2].tops(50, *model.bounds)
    assert (top.z >= ground.z).all()
    # no surface between the centres is higher than the highest centre around
    around = np.max([np.roll(z, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)], axis=0)
    assert (top.z <= around + 0.05)[1:-1, 1:-1].all()
    assert (top.z - ground.z).max() > 20


def test_finse_lies_where_its_own_projection_says(real: Any, shared_data: Path) -> None:
    model = rasterio.open(shared_data / "terrain" / FINSE)
    z = model.read(1)
    to_ours = pyproj.Transformer.from_crs(32632, 25833, always_xy=True)
    rows, columns = np.mgrid[3 : model.height - 3 : 7, 3 : model.width - 3 : 7]
    x, y = to_ours.transform(*(model.transform @ (columns + 0.5, rows + 0.5)))
    found = np.array([real[2].surface(50, *box(px, py, 1)).z[0, 0] for px, py in zip(x.flat, y.flat, strict=True)])
    off = found - z[rows, columns].ravel()
    # the cell's centre is up to 35 m from the node, and the land is steep
    assert np.abs(off).max() < 45
    assert np.median(np.abs(off)) < 3
    assert abs(off.mean()) < 0.5
    node = z[rows, columns].ravel()
    tops = np.array([real[2].tops(50, *box(px, py, 1)).z[0, 0] for px, py in zip(x.flat, y.flat, strict=True)])
    assert (tops >= node - PACKED).all(), "the highest of a cell holds every node in it"


def test_known_heights_of_the_land(real: Any) -> None:
    to_ours = pyproj.Transformer.from_crs(4326, 25833, always_xy=True)

    def near(lat: float, lon: float) -> float:
        x, y = to_ours.transform(lon, lat)
        return float(real[2].surface(50, x - 150, y - 150, x + 150, y + 150).z.mean())

    assert near(59.9835, 10.6680) == pytest.approx(480, abs=60)  # Tryvannshøgda, 529 m
    assert near(59.9070, 10.7300) < 15  # the fjord before the town hall
    assert near(60.6020, 7.5040) == pytest.approx(1222, abs=30)  # Finse station


def test_both_are_there_and_nothing_else(real: Any, shared_data: Path) -> None:
    store, entry, found = real
    assert found.cells == (10, 50, 250)
    oslo = rasterio.open(shared_data / "terrain" / OSLO).bounds
    assert (found.tops(10, *oslo).z == MISSING).all(), "no detail is invented"
    assert (entry.version, entry.source, entry.data_origin) == ("2026-06-21T11", "file", "live")
    assert [s["attribution"] for s in found.sources] == [OSLO, FINSE]
    assert (found.surface(50, *box(400_000, 7_000_000, 500)).z == MISSING).all()
    assert (found.tops(250, *box(-400_000, 6_000_000, 500)).z == MISSING).all(), "beyond the grid"
    assert verify(store, report=lambda _: None) == []
    assert "year" in json.loads(store.get(entry.manifest))["provenance"]["missing_variables"]
    assert (found.years(50, *box(240_000, 6_640_000, 500)).z == MISSING).all()


def test_a_level_opens_by_its_family(real: Any) -> None:
    store, _, found = real
    opened = catalog.open("terrain", product="terrain_250m", store=store)
    level = found.tops(250, *box(235_000, 6_640_000, 5_000))
    window = opened.top.sel(x=slice(235_000, 240_000), y=slice(6_640_000, 6_645_000))
    np.testing.assert_allclose(window, level.z, atol=1e-3)
    assert window.x[0] == level.x0
    assert window.y[0] == level.y0


def test_a_file_that_is_built_makes_nothing_again(real: Any, shared_data: Path) -> None:
    store, entry, _ = real
    lines: list[str] = []
    again = build(store, shared_data / "terrain" / OSLO, clock="2026-07-01T00:00:00Z!", lines=lines)
    assert again == entry
    assert lines == ["terrain_250m 2026-06-21T11 holds all of it already"]


def test_what_is_built_later_lies_over_the_earlier_and_the_rest_stays(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "tiles"))
    build(store, write(tmp_path / "wide.tif", shape=(200, 200)), year=2009)
    higher = write(
        tmp_path / "higher.tif", lambda x, y: hills(x, y) + 100, shape=(40, 40), west=WEST + 2000,
        TIFFTAG_DATETIME="2021:05:01 12:00:00",
    )  # fmt: skip
    build(store, higher)
    found = Terrain(store)
    ground, years = found.surface(50, *box(WEST, SOUTH, 10_000)), found.years(50, *box(WEST, SOUTH, 10_000))
    x, y = np.meshgrid(WEST + 25 + 50 * np.arange(200), SOUTH + 25 + 50 * np.arange(200))
    newer = np.zeros((200, 200), bool)
    newer[:40, 40:80] = True
    np.testing.assert_allclose(ground.z, hills(x, y) + 100 * newer, atol=PACKED)
    np.testing.assert_array_equal(years.z, np.where(newer, 2021, 2009))
    coarse = found.tops(250, *box(WEST, SOUTH, 10_000)).z
    fine = found.tops(50, *box(WEST, SOUTH, 10_000)).z
    np.testing.assert_array_equal(coarse, fine.reshape(40, 5, 40, 5).max(axis=(1, 3)))
    assert [held["fingerprint"] for held in found.layers] == list(dict.fromkeys(h["fingerprint"] for h in found.layers))
    # the first again: the later one lies over it, so it is laid on top
    build(store, tmp_path / "wide.tif", year=2009)
    np.testing.assert_allclose(Terrain(store).surface(50, *box(WEST, SOUTH, 10_000)).z, hills(x, y), atol=PACKED)


def test_a_fine_file_makes_all_levels_of_means_and_maxima(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "tiles"))
    rough = np.random.default_rng(7).normal(0, 3, (400, 400)).astype(np.float32)
    file = write(tmp_path / "fine.tif", shape=(400, 400), cell=2.5, change=lambda z: z.__iadd__(rough))
    build(store, file)
    z = rasterio.open(file).read(1)[::-1]
    found = Terrain(store)
    assert found.cells == (10, 50, 250)
    cells = z.reshape(100, 4, 100, 4)
    np.testing.assert_allclose(found.surface(10, *box(WEST, SOUTH, 1000)).z, cells.mean(axis=(1, 3)), atol=PACKED)
    top = found.tops(10, *box(WEST, SOUTH, 1000)).z
    assert (top >= cells.max(axis=(1, 3)) - 1e-3).all()
    # beyond the source's own highest only where the surface to a higher neighbour rises
    assert np.median(top - cells.max(axis=(1, 3))) < 0.05
    for fine, coarse in ((10, 50), (50, 250)):
        n = 1000 // coarse
        of_fine = found.tops(fine, *box(WEST, SOUTH, 1000)).z.reshape(n, 5, n, 5).max(axis=(1, 3))
        np.testing.assert_array_equal(found.tops(coarse, *box(WEST, SOUTH, 1000)).z, of_fine)
        means = found.surface(fine, *box(WEST, SOUTH, 1000)).z.reshape(n, 5, n, 5).mean(axis=(1, 3))
        np.testing.assert_allclose(found.surface(coarse, *box(WEST, SOUTH, 1000)).z, means, atol=PACKED)


def test_coarser_heights_of_later_leave_no_older_detail_in_them(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "tiles"))
    build(store, write(tmp_path / "fine.tif", shape=(200, 200), cell=10))
    lines: list[str] = []
    file = write(tmp_path / "coarse.tif", lambda x, y: hills(x, y) - 200, shape=(20, 20), west=WEST + 1000)
    build(store, file, lines=lines)
    assert any("cells of 10 m give way" in line for line in lines)
    found = Terrain(store)
    fine = found.tops(10, *box(WEST, SOUTH, 2000)).z
    assert (fine[:100, 100:] == MISSING).all()
    assert (fine[:, :100] > 0).all()
    assert (fine[100:] > 0).all()
    x, y = np.meshgrid(WEST + 1025 + 50 * np.arange(20), SOUTH + 25 + 50 * np.arange(20))
    np.testing.assert_allclose(found.surface(50, *box(WEST + 1000, SOUTH, 1000)).z, hills(x, y) - 200, atol=PACKED)


def test_with_the_clock_set_back_the_newest_heights_are_still_those_that_are_read(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "tiles"))
    build(store, write(tmp_path / "a.tif"))
    later = write(tmp_path / "b.tif", lambda x, y: hills(x, y) + 100)
    entry = build(store, later, clock="2026-06-21T08:20:00Z!")
    found = Terrain(store)
    assert (found.version, entry.version) == ("2026-06-21T10", "2026-06-21T10")
    x, y = np.meshgrid(WEST + 25 + 50 * np.arange(100), SOUTH + 25 + 50 * np.arange(100))
    np.testing.assert_allclose(found.surface(50, *box(WEST, SOUTH, 5000)).z, hills(x, y) + 100, atol=PACKED)
    lines: list[str] = []
    build(store, later, clock="2026-06-21T08:20:00Z!", lines=lines)
    assert any("holds all of it already" in line for line in lines)


def test_a_killed_build_goes_on_and_makes_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(str(tmp_path / "tiles"))
    # over the corner of four blocks of 50 km
    file = write(tmp_path / "a.tif", west=270_000, south=6_845_000, shape=(400, 400))
    made: list[Any] = []
    make_block = terrain.make_block

    def dies(*at: Any) -> Any:
        if len(made) == 2:
            raise KeyboardInterrupt
        made.append(at[:2])
        return make_block(*at)

    monkeypatch.setattr(terrain, "make_block", dies)
    with pytest.raises(KeyboardInterrupt):
        build(store, file)
    assert read_index(store, "terrain_50m").entries == ()
    rest: list[Any] = []
    monkeypatch.setattr(terrain, "make_block", lambda *at: rest.append(at[:2]) or make_block(*at))
    entry = build(store, file, clock="2026-06-22T08:00:00Z!")
    assert entry.version == "2026-06-21T10", "the hour at which it began"
    assert not set(made) & set(rest)
    assert {cell for cell, _ in [*made, *rest]} == {50, 250}
    found = Terrain(store)
    assert len(extents(found, 50)) == 4
    assert (found.surface(50, *box(270_000, 6_845_000, 20_000)).z > 0).all()
    assert verify(store, report=lambda _: None) == []


@pytest.mark.slow
def test_two_processes_make_what_one_does(tmp_path: Path) -> None:
    file = write(tmp_path / "a.tif", west=270_000, south=6_845_000, shape=(400, 400))
    found = []
    for processes in (1, 2):
        folder = str(tmp_path / f"tiles{processes}")
        terrain.build(context_of(folder, CLOCK, paths=(str(file),), processes=processes))
        found.append(Terrain(open_store(folder)).tops(50, *box(270_000, 6_845_000, 20_000)).z)
    np.testing.assert_array_equal(*found)


def test_terrain_published_meanwhile_is_not_lost(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "tiles"))
    one, other = (write(tmp_path / f"{n}.tif", west=WEST + 20_000 * n) for n in (0, 1))
    context = context_of(store, CLOCK, paths=(str(one),))
    terrain.build.begin(context)
    build(store, other, clock="2026-06-21T11:00:00Z!")
    with pytest.raises(ValueError, match="has changed since this build began"):
        terrain.build.publish(context)
    assert len(Terrain(store).sources) == 1


def test_terrain_published_while_another_is_written_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the first look at what is published and the swap all is written and validated: that takes minutes."""
    store = open_store(str(tmp_path / "tiles"))
    one, other = (write(tmp_path / f"{n}.tif", west=WEST + 20_000 * n) for n in (0, 1))
    prepare, first = blocks.prepare, [True]

    def slow(*draft: Any, **more: Any) -> Any:
        if first and first.pop():
            build(store, other, clock="2026-06-21T11:00:00Z!")
        return prepare(*draft, **more)

    monkeypatch.setattr(blocks, "prepare", slow)
    with pytest.raises(ValueError, match="has changed since this build began: begin it again"):
        build(store, one, clock="2026-06-21T12:00:00Z!")
    assert [len(read_index(store, f"terrain_{cell}m").entries) for cell in (50, 250)] == [1, 1]
    build(store, one, clock="2026-06-21T12:00:00Z!")
    for n in (0, 1):
        assert (Terrain(store).surface(50, *box(WEST + 20_000 * n, SOUTH, 5000)).z > 0).all()


def test_a_damaged_block_is_an_error_and_no_missing_land(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "tiles"))
    entry = build(store, write(tmp_path / "a.tif"))
    store.path(f"{entry.path}/top/c").rename(tmp_path / "gone")
    with pytest.raises(TileCorrupt):
        Terrain(store).tops(250, *box(WEST, SOUTH, 1000))


def test_a_file_without_any_height_is_not_published(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "tiles"))
    file = write(tmp_path / "empty.tif", lambda x, y: np.full(x.shape, -9999.0), nodata=-9999)
    with pytest.raises(DraftInvalid, match="no block holds any value"):
        build(store, file)
    with pytest.raises(ValueError, match="no terrain is published: build it with 'solflis build terrain'"):
        Terrain(store)
