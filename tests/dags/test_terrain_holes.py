"""What of a terrain model is no land: filled where it is small, the sea where its rim says so, else unknown."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import catalog
from dags.build.terrain import hole_map as terrain_chart
from dags.build.terrain import terrain
from dags.build.terrain.file import files_of
from dags.build.terrain.holes import cleaned, without_absurd
from dags.build.terrain.reading import Terrain
from kernels.horizon.levels import MISSING
from tests.support.geotiff import SOUTH, WEST, hills, write
from tiles.store import open_store

CLOCK = "2026-06-21T10:20:00Z!"
CELL = 10.0
HALF_STEP = 0.021


def slope() -> NDArray[np.float32]:
    """100 x 100 cells that rise to the east, 100 to 199 m."""
    return np.tile(np.arange(100, 200, dtype=np.float32), (100, 1))


def built(folder: Path, size: int, cell: int = 50, **options: Any) -> tuple[Any, Any, dict[str, Any]]:
    """Ground and top of a file of `size` cells of 50 m, row 0 in the north, and what its provenance says of holes."""
    file = write(folder / "a.tif", shape=(size, size), **options)
    terrain.build(terrain.Ask(str(folder / "tiles"), CLOCK, files_of([str(file)], None)), lambda _: None)
    found = Terrain(open_store(str(folder / "tiles")))
    box = (WEST, SOUTH, WEST + 50 * size, SOUTH + 50 * size)
    return found.surface(cell, *box).z[::-1], found.tops(cell, *box).z[::-1], found.sources[0]["holes"]


@pytest.mark.parametrize("bad", [9999.0, -9999.0, np.nan, np.inf, 2600.0, -70.0, 700.0])
def test_what_can_be_no_height_is_filled_from_around(bad: float) -> None:
    z = slope()
    z[50, 40] = bad
    clean = cleaned(z, CELL, (True,) * 4)
    assert clean.z[50, 40] == pytest.approx(140, abs=1)
    z[50, 40] = clean.z[50, 40]
    np.testing.assert_array_equal(clean.z, z)
    assert not clean.sea.any()


def test_a_steep_mountain_is_no_spike() -> None:
    z = slope()
    rows, columns = np.mgrid[:100, :100]
    z += np.maximum(0, 1500 - 29 * np.hypot(rows - 50, columns - 50)).astype(np.float32)
    _, found = without_absurd(z, CELL)
    assert found == {"no_data": 0, "absurd": 0, "spikes": 0}


@pytest.mark.parametrize(("cells", "filled"), [(19, True), (23, False)])
def test_holes_are_filled_up_to_some_200_m(cells: int, filled: bool) -> None:
    z = slope()
    z[30 : 30 + cells, 20:90] = np.nan
    clean = cleaned(z, CELL, (True,) * 4)
    assert np.isnan(clean.z).any() != filled
    if filled:
        np.testing.assert_allclose(clean.z, slope(), atol=8)


def test_beyond_the_edge_there_is_nothing_to_fill_from() -> None:
    z = slope()
    z[:3] = np.nan
    assert np.isnan(cleaned(z, CELL, (True, False, False, False)).z[:3]).all()
    assert not np.isnan(cleaned(z, CELL, (False,) * 4).z).any(), "inside a model its neighbours would be"


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


def test_a_sea_wider_than_what_is_read_at_once_is_known_from_its_far_shore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def strait(z: NDArray[np.float32]) -> None:
        z[:] = 1.5
        z[:, 5:235] = np.nan

    monkeypatch.setattr("dags.build.terrain.file._CELLS_AT_ONCE", 20)
    monkeypatch.setattr(terrain_chart, "MOST_CELLS", 2000)  # so that the chart is a coarse one
    monkeypatch.setattr(terrain_chart, "_STRIP_CELLS", 5000)
    _, top, holes = built(tmp_path, 240, change=strait)
    assert np.abs(top[:, 6:234]).max() < 1e-4
    assert holes["sea"] == pytest.approx(230 * 240, rel=0.1)
    assert holes["no_data"] == 230 * 240


def test_inferred_sea_hides_no_ground_of_before(tmp_path: Path) -> None:
    files = [
        write(tmp_path / "land.tif", lambda x, y: np.full(x.shape, 30.0)),
        write(tmp_path / "coast.tif", lambda x, y: np.where(x < WEST + 2500, np.nan, 1.0)),
    ]
    for order in (files, files[::-1]):
        folder = tmp_path / order[0].stem
        for file in order:
            terrain.build(terrain.Ask(str(folder), CLOCK, files_of([str(file)], None)), lambda _: None)
        ground = Terrain(open_store(str(folder))).surface(50, WEST, SOUTH, WEST + 5000, SOUTH + 5000).z
        np.testing.assert_allclose(ground[:, :50], 30, atol=HALF_STEP)
        np.testing.assert_allclose(ground[:, 50:], 1 if order is files else 30, atol=HALF_STEP)
