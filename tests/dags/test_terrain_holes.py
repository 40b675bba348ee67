"""What of a terrain model is no land: filled where it is small, the sea where its rim says so, else unknown."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import catalog
from dags.build.terrain import terrain
from dags.build.terrain.holes import HEIGHT, OUTSIDE, kinds_of, mended, raw_of
from dags.build.terrain.reading import Terrain
from dags.build.terrain.resample import Found
from kernels.horizon.levels import MISSING
from tests.support.context import context_of
from tests.support.geotiff import SOUTH, WEST, hills, write
from tests.support.terrain import extents
from tiles.store import open_store

CLOCK = "2026-06-21T10:20:00Z!"
CELL = 10.0
HALF_STEP = 0.021


def slope() -> NDArray[np.float32]:
    """100 x 100 cells that rise to the east, 100 to 199 m."""
    return np.tile(np.arange(100, 200, dtype=np.float32), (100, 1))


def cleaned(z: NDArray[np.float32], rows_outside: int = 0) -> Found:
    """Heights as they are laid down, the first rows of them beyond the model."""
    raw = raw_of(z, z, z, CELL)
    raw.kind[:rows_outside] = OUTSIDE
    return mended(raw, CELL)


def built(folder: Path, size: int, cell: int = 50, **options: Any) -> tuple[Any, Any, dict[str, Any]]:
    """Ground and top of a file of `size` cells of 50 m, row 0 in the north, and what its provenance says of holes."""
    file = write(folder / "a.tif", shape=(size, size), **options)
    terrain.build(context_of(folder / "tiles", CLOCK, paths=(str(file),)))
    found = Terrain(open_store(str(folder / "tiles")))
    box = (WEST, SOUTH, WEST + 50 * size, SOUTH + 50 * size)
    return found.surface(cell, *box).z[::-1], found.tops(cell, *box).z[::-1], found.sources[0]["holes"]


@pytest.mark.parametrize("bad", [9999.0, -9999.0, np.nan, np.inf, 2600.0, -70.0, 700.0])
def test_what_can_be_no_height_is_filled_from_around(bad: float) -> None:
    z = slope()
    z[50, 40] = bad
    clean = cleaned(z)
    assert clean.ground[50, 40] == pytest.approx(140, abs=1)
    z[50, 40] = clean.ground[50, 40]
    np.testing.assert_array_equal(clean.ground, z)
    np.testing.assert_array_equal(clean.top, z)
    assert not clean.sea.any()


def test_a_steep_mountain_is_no_spike() -> None:
    z = slope()
    rows, columns = np.mgrid[:100, :100]
    z += np.maximum(0, 1500 - 29 * np.hypot(rows - 50, columns - 50)).astype(np.float32)
    assert (kinds_of(z, z, CELL) == HEIGHT).all()


@pytest.mark.parametrize(("cells", "filled"), [(19, True), (23, False)])
def test_holes_are_filled_up_to_some_200_m(cells: int, filled: bool) -> None:
    z = slope()
    z[30 : 30 + cells, 20:90] = np.nan
    ground = cleaned(z).ground
    assert np.isnan(ground).any() != filled
    if filled:
        np.testing.assert_allclose(ground, slope(), atol=8)


def test_beyond_the_edge_there_is_nothing_to_fill_from() -> None:
    z = slope()
    z[:3] = np.nan
    assert np.isnan(cleaned(z, rows_outside=1).ground[:3]).all()
    assert not np.isnan(cleaned(z).ground).any(), "inside a model its neighbours would be"


def test_the_sea_as_nodata_is_sea_and_a_large_hole_in_the_land_is_unknown(tmp_path: Path) -> None:
    def sea_and_hole(z: NDArray[np.float32]) -> None:
        columns = np.mgrid[:100, :100][1]
        z[:] = 1.0 + 2 * np.abs(columns - 40)  # a shore that rises from 1 m
        z[:, :40] = -9999
        z[60:80, 70:90] = -9999

    ground, top, holes = built(tmp_path, 100, nodata=-9999, change=sea_and_hole)
    assert np.abs(top[:, :39]).max() < 1e-4
    assert (ground[:, :40] == 0).all(), "the surface of the sea"
    assert (ground[:, 40:60] > 0.9).all()
    assert (top[61:79, 71:89] == MISSING).all()
    assert holes["sea"] == 4000
    assert holes["left_missing"] == 400
    assert holes["filled"] == 0


def test_the_sea_has_no_ground_and_is_known(tmp_path: Path) -> None:
    def sea(z: NDArray[np.float32]) -> None:
        z[:] = 1.0
        z[:, :40] = np.nan

    built(tmp_path, 60, change=sea)
    opened = catalog.open("terrain", product="terrain_50m", store=str(tmp_path / "tiles"))
    window = opened.isel(
        x=slice(int((WEST + 75_000) / 50), int((WEST + 75_000) / 50) + 60),
        y=slice(int((SOUTH - 6_450_000) / 50), int((SOUTH - 6_450_000) / 50) + 60),
    )
    assert np.isnan(window.ground[:, :40]).all()
    assert (np.abs(window.top[:, :39]) < 1e-4).all()
    assert float(window.top[30, 39]) == pytest.approx(0.5, abs=0.05), "the surface to the shore"
    assert not np.isnan(window.ground[:, 40:]).any()


def test_a_spike_of_9999_and_small_holes_are_counted_and_leave_no_trace(tmp_path: Path) -> None:
    def spoil(z: NDArray[np.float32]) -> None:
        z[20, 30] = 9999
        z[50:53, 50] = np.nan
        z[70, 10] += 400

    ground, top, holes = built(tmp_path, 100, change=spoil)
    assert holes == {"no_data": 3, "absurd": 1, "spikes": 1, "filled": 5, "sea": 0, "left_missing": 0}
    x, y = np.meshgrid(WEST + 25 + 50 * np.arange(100), SOUTH + 25 + 50 * np.arange(100))
    np.testing.assert_allclose(ground[::-1], hills(x, y), atol=8)
    assert top.max() < hills(x, y).max() + 5


@pytest.mark.parametrize(("shore", "is_sea"), [(1.5, True), (80.0, False)])
def test_a_hole_wider_than_a_block_is_known_from_its_far_shores(
    shore: float, is_sea: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block of 50 km lies in the middle of it, from where no shore is seen."""
    monkeypatch.setattr("dags.build.terrain.file.MOST_CELLS", 9000)  # so that the map of all holes is a coarse one

    def strait(z: NDArray[np.float32]) -> None:
        z[:] = shore
        z[:, 5:1995] = np.nan

    file = write(tmp_path / "a.tif", shape=(20, 2000), west=WEST, change=strait)
    terrain.build(context_of(tmp_path / "tiles", CLOCK, paths=(str(file),)))
    found = Terrain(open_store(str(tmp_path / "tiles")))
    holes = found.sources[0]["holes"]
    assert holes == {"no_data": 39_800, "absurd": 0, "spikes": 0, "filled": 0} | (
        {"sea": 39_800, "left_missing": 0} if is_sea else {"sea": 0, "left_missing": 39_800}
    )
    top = found.tops(50, WEST + 6 * 50, SOUTH, WEST + 1994 * 50, SOUTH + 1000).z
    assert (np.abs(top) < 1e-4).all() if is_sea else (top == MISSING).all()


def test_the_edge_of_a_turned_file_is_no_hole_to_be_filled(tmp_path: Path) -> None:
    """Beyond it there is nothing, whatever the corners of its rectangle in our projection."""
    file = write(tmp_path / "a.tif", lambda x, y: np.full(x.shape, 30.0), west=560_000, crs="EPSG:32632", cell=40.0)
    terrain.build(context_of(tmp_path / "tiles", CLOCK, paths=(str(file),)))
    found = Terrain(open_store(str(tmp_path / "tiles")))
    known = sum(int((found.tops(10, *box).z != MISSING).sum()) for box in extents(found, 10))
    assert known * 100 == pytest.approx(4000**2, rel=2e-3)
    assert set(found.sources[0]["holes"].values()) == {0}


def test_a_bad_cell_of_a_fine_file_goes_with_the_cell_it_spoils(tmp_path: Path) -> None:
    """The mean of a cell with a height of -9999 in it is none, even if the file has no marker of it."""

    def spoil(z: NDArray[np.float32]) -> None:
        z[101, 203], z[301, 102] = -9999, 3e38

    file = write(tmp_path / "a.tif", shape=(400, 400), cell=2.5, change=spoil)
    terrain.build(context_of(tmp_path / "tiles", CLOCK, paths=(str(file),)))
    found = Terrain(open_store(str(tmp_path / "tiles")))
    x, y = np.meshgrid(WEST + 5 + 10 * np.arange(100), SOUTH + 5 + 10 * np.arange(100))
    np.testing.assert_allclose(found.surface(10, WEST, SOUTH, WEST + 1000, SOUTH + 1000).z, hills(x, y), atol=0.2)
    assert found.sources[0]["holes"] == dict.fromkeys(("no_data", "spikes", "sea", "left_missing"), 0) | {
        "absurd": 2, "filled": 2,
    }  # fmt: skip


def test_inferred_sea_hides_no_ground_of_before(tmp_path: Path) -> None:
    files = [
        write(tmp_path / "land.tif", lambda x, y: np.full(x.shape, 30.0)),
        write(tmp_path / "coast.tif", lambda x, y: np.where(x < WEST + 2500, np.nan, 1.0)),
    ]
    for order in (files, files[::-1]):
        folder = tmp_path / order[0].stem
        for file in order:
            terrain.build(context_of(folder, CLOCK, paths=(str(file),)))
        ground = Terrain(open_store(str(folder))).surface(50, WEST, SOUTH, WEST + 5000, SOUTH + 5000).z
        np.testing.assert_allclose(ground[:, :50], 30, atol=HALF_STEP)
        np.testing.assert_allclose(ground[:, 50:], 1 if order is files else 30, atol=HALF_STEP)
