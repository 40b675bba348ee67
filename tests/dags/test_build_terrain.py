"""The terrain from files: real land, what lies over what, and what readers see."""

from pathlib import Path
from typing import Any

import numpy as np
import pyproj
import pytest
import rasterio

from catalog.versions import Entry
from dags.build.terrain import terrain
from dags.build.terrain.reading import Terrain
from kernels.horizon.levels import MISSING
from tests.kernels.horizon.land import FINSE, OSLO, bilinear
from tests.support.context import context_of
from tests.support.geotiff import BOX, CLOCK, SOUTH, WEST, hills, hills_of, write
from tests.support.terrain import extents
from tiles.store import Store

PACKED = 0.0201
"""Half a step of the packing, and what float32 adds, m."""


def build(store: Store, *paths: Path, year: int | None = None, clock: str = CLOCK, lines: Any = None) -> Entry:
    report = (lines if lines is not None else []).append
    return terrain.build(
        context_of(store, clock, source="file", paths=tuple(map(str, paths)), year=year, report=report)
    )


def box(west: float, south: float, size: float) -> tuple[float, float, float, float]:
    return west, south, west + size, south + size


@pytest.fixture
def real(real_terrain: tuple[Store, Entry]) -> Terrain:
    return Terrain(real_terrain[0])


def test_the_ground_of_oslo_is_the_files(real: Terrain, shared_data: Path) -> None:
    model = rasterio.open(shared_data / "terrain" / OSLO)
    z = model.read(1)[::-1]
    ground = real.surface(50, *model.bounds)
    assert (ground.x0, ground.y0, ground.cell) == (231_525.0, 6_629_525.0, 50.0)
    assert ground.z.shape == z.shape
    np.testing.assert_allclose(ground.z, z, atol=PACKED)
    top = real.tops(50, *model.bounds)
    assert (top.z >= ground.z).all()
    # no surface between the centres is higher than the highest centre around
    around = np.max([np.roll(z, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)], axis=0)
    assert (top.z <= around + 0.05)[1:-1, 1:-1].all()
    assert (top.z - ground.z).max() > 20


def test_the_finest_level_of_a_coarse_source_is_its_own_bilinear_surface(real: Terrain, shared_data: Path) -> None:
    """To the packing, also where a block of 10 km ends."""
    with rasterio.open(shared_data / "terrain" / FINSE) as model:
        z, inverse, box = model.read(1), ~model.transform, model.bounds
    to_ours = pyproj.Transformer.from_crs(32632, 25833, always_xy=True)
    x, y = to_ours.transform((box.left + box.right) / 2, (box.bottom + box.top) / 2)
    ours = real.surface(10, x - 6000, y - 6000, x + 6000, y + 6000)
    assert len(extents(real, 10)) > 4
    xs, ys = np.meshgrid(
        *(first + 10 * np.arange(n) for first, n in zip((ours.x0, ours.y0), ours.z.T.shape, strict=True))
    )
    u, v = pyproj.Transformer.from_crs(25833, 32632, always_xy=True).transform(xs.ravel(), ys.ravel())
    column, row = (inverse.a * u + inverse.c - 0.5, inverse.e * v + inverse.f - 0.5)
    np.testing.assert_allclose(ours.z.ravel(), bilinear(z, row, column), atol=0.022)


def test_both_are_there_and_nothing_else(real_terrain: tuple[Store, Entry], shared_data: Path) -> None:
    (_, entry), found = real_terrain, Terrain(real_terrain[0])
    assert found.cells == (10, 50, 250)
    oslo = rasterio.open(shared_data / "terrain" / OSLO).bounds
    assert (found.tops(10, *oslo).z == MISSING).all(), "no detail is invented"
    assert (entry.version, entry.source, entry.data_origin) == ("2026-06-21T11", "file", "live")
    assert [s["attribution"] for s in found.sources] == [OSLO, FINSE]
    assert (found.surface(50, *box(400_000, 7_000_000, 500)).z == MISSING).all()
    assert (found.years(50, *box(240_000, 6_640_000, 500)).z == 2015).all()


def test_what_is_built_later_lies_over_the_earlier_and_the_rest_stays(tmp_path: Path, store: Store) -> None:
    build(store, write(tmp_path / "wide.tif", shape=(200, 200)), year=2009)
    higher = write(
        tmp_path / "higher.tif", lambda x, y: hills(x, y) + 100, shape=(40, 40), west=WEST + 2000,
        TIFFTAG_DATETIME="2021:05:01 12:00:00",
    )  # fmt: skip
    build(store, higher)
    found = Terrain(store)
    ground, years = found.surface(50, *box(WEST, SOUTH, 10_000)), found.years(50, *box(WEST, SOUTH, 10_000))
    z = hills_of(50, 200)
    newer = np.zeros((200, 200), bool)
    newer[:40, 40:80] = True
    np.testing.assert_allclose(ground.z, z + 100 * newer, atol=PACKED)
    np.testing.assert_array_equal(years.z, np.where(newer, 2021, 2009))
    coarse = found.tops(250, *box(WEST, SOUTH, 10_000)).z
    fine = found.tops(50, *box(WEST, SOUTH, 10_000)).z
    np.testing.assert_array_equal(coarse, fine.reshape(40, 5, 40, 5).max(axis=(1, 3)))
    assert [held["fingerprint"] for held in found.layers] == list(dict.fromkeys(h["fingerprint"] for h in found.layers))
    # the first again: the later one lies over it, so it is laid on top
    build(store, tmp_path / "wide.tif", year=2009)
    np.testing.assert_allclose(Terrain(store).surface(50, *box(WEST, SOUTH, 10_000)).z, z, atol=PACKED)


def test_a_fine_file_makes_all_levels_of_means_and_maxima(tmp_path: Path, store: Store) -> None:
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


def test_coarser_heights_of_later_leave_no_older_detail_in_them(tmp_path: Path, store: Store) -> None:
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


def test_with_the_clock_set_back_the_newest_heights_are_still_those_that_are_read(tmp_path: Path, store: Store) -> None:
    build(store, write(tmp_path / "a.tif"))
    later = write(tmp_path / "b.tif", lambda x, y: hills(x, y) + 100)
    entry = build(store, later, clock="2026-06-21T08:20:00Z!")
    found = Terrain(store)
    assert (found.version, entry.version) == ("2026-06-21T10", "2026-06-21T10")
    np.testing.assert_allclose(found.surface(50, *BOX).z, hills_of(50, 100) + 100, atol=PACKED)
    lines: list[str] = []
    build(store, later, clock="2026-06-21T08:20:00Z!", lines=lines)
    assert any("holds all of it already" in line for line in lines)
