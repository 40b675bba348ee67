"""What of a terrain model is no land, and the laws of the pyramid that is made of it."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.interpolate import RegularGridInterpolator

import catalog
from dags.build.terrain.holes import HEIGHT, OUTSIDE, kinds_of, mended, raw_of
from dags.build.terrain.pyramid import NAMES, Block, fold, packed
from dags.build.terrain.resample import Found
from kernels.horizon.levels import MISSING
from tests.support.geotiff import BOX, SOUTH, WEST, hills_of, laid, write
from tests.support.terrain import extents
from tiles.product import FILL
from tiles.products.terrain import BY_CELL

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

    found = laid(tmp_path / "tiles", write(tmp_path / "a.tif", nodata=-9999, change=sea_and_hole))
    ground, top, holes = found.surface(50, *BOX).z[::-1], found.tops(50, *BOX).z[::-1], found.sources[0]["holes"]
    assert np.abs(top[:, :39]).max() < 1e-4
    assert (ground[:, :40] == 0).all(), "the surface of the sea"
    assert (ground[:, 40:60] > 0.9).all()
    assert (top[61:79, 71:89] == MISSING).all()
    assert (holes["sea"], holes["left_missing"], holes["filled"]) == (4000, 400, 0)
    data = catalog.open("terrain", product="terrain_50m", store=str(tmp_path / "tiles"))
    window = data.sel(x=slice(BOX[0], BOX[2]), y=slice(BOX[1], BOX[3]))
    assert np.isnan(window.ground[:, :40]).all(), "who opens the product sees that the sea has no ground"
    assert float(window.top[10, 39]) == pytest.approx(0.5, abs=0.05), "the surface to the shore"


def test_a_spike_of_9999_and_small_holes_are_counted_and_leave_no_trace(tmp_path: Path) -> None:
    def spoil(z: NDArray[np.float32]) -> None:
        z[20, 30] = 9999
        z[50:53, 50] = np.nan
        z[70, 10] += 400

    said: list[str] = []
    found = laid(tmp_path / "tiles", write(tmp_path / "a.tif", change=spoil), said=said)
    (line,) = [line for line in said if "a.tif" in line]
    assert re.fullmatch(
        r"a.tif: heights 5\d\d to 7\d\d m; 1 spikes, 1 absurd heights, 3 cells without data; of these cells 5 are "
        r"filled from around, 0 sea, 0 left missing",
        line,
    ), line
    np.testing.assert_allclose(found.surface(50, *BOX).z, hills_of(50, 100), atol=8)
    assert found.tops(50, *BOX).z.max() < hills_of(50, 100).max() + 5


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
    found = laid(tmp_path / "tiles", file)
    holes = found.sources[0]["holes"]
    assert holes == {"no_data": 39_800, "absurd": 0, "spikes": 0, "filled": 0} | (
        {"sea": 39_800, "left_missing": 0} if is_sea else {"sea": 0, "left_missing": 39_800}
    )
    top = found.tops(50, WEST + 6 * 50, SOUTH, WEST + 1994 * 50, SOUTH + 1000).z
    assert (np.abs(top) < 1e-4).all() if is_sea else (top == MISSING).all()


def test_the_edge_of_a_turned_file_is_no_hole_to_be_filled(tmp_path: Path) -> None:
    """Beyond it there is nothing, whatever the corners of its rectangle in our projection."""
    file = write(tmp_path / "a.tif", lambda x, y: np.full(x.shape, 30.0), west=560_000, crs="EPSG:32632", cell=40.0)
    found = laid(tmp_path / "tiles", file)
    known = sum(int((found.tops(10, *box).z != MISSING).sum()) for box in extents(found, 10))
    assert known * 100 == pytest.approx(4000**2, rel=2e-3)
    assert set(found.sources[0]["holes"].values()) == {0}


def test_a_bad_cell_of_a_fine_file_goes_with_the_cell_it_spoils(tmp_path: Path) -> None:
    """The mean of a cell with a height of -9999 in it is none, even if the file has no marker of it."""

    def spoil(z: NDArray[np.float32]) -> None:
        z[101, 203], z[301, 102] = -9999, 3e38

    file = write(tmp_path / "a.tif", shape=(400, 400), cell=2.5, change=spoil)
    found = laid(tmp_path / "tiles", file)
    ground = found.surface(10, WEST, SOUTH, WEST + 1000, SOUTH + 1000).z
    np.testing.assert_allclose(ground, hills_of(10, 100), atol=0.2)
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
            found = laid(folder, file)
        ground = found.surface(50, *BOX).z
        np.testing.assert_allclose(ground[:, :50], 30, atol=HALF_STEP)
        np.testing.assert_allclose(ground[:, 50:], 1 if order is files else 30, atol=HALF_STEP)


GROUND = BY_CELL[50].variable("ground")
TOP = BY_CELL[50].variable("top")


@st.composite
def founds(draw: st.DrawFn, rows: int = 10, columns: int = 15) -> Found:
    """Heights with holes and sea; the top of the source lies at or above the ground."""
    shape = rows, columns
    ground = draw(arrays(np.float32, shape, elements=st.floats(-50, 2400, width=32)))
    more = draw(arrays(np.float32, shape, elements=st.floats(0, 90, width=32)))
    kind = draw(arrays(np.int8, shape, elements=st.sampled_from([0, 0, 0, 1, 2])))
    ground = np.where(kind == 0, ground, np.nan).astype(np.float32)
    return Found(ground, (ground + more).astype(np.float32), kind == 1)


def blocks(rows: int = 10, columns: int = 15) -> st.SearchStrategy[Block]:
    return founds(rows + 2, columns + 2).map(lambda f: packed(f, np.full(f.ground.shape, 2019, np.uint16)))


def ordered(block: Block) -> bool:
    known = block["ground"] != FILL
    return bool(((block["top"] != FILL) & (block["top"] >= block["ground"]))[known].all())


def of_each(values: np.ndarray) -> np.ndarray:
    rows, columns = (n // 5 for n in values.shape)
    return values.reshape(rows, 5, columns, 5).transpose(0, 2, 1, 3).reshape(rows, columns, 25).astype(float)


@settings(max_examples=60)
@given(blocks(), blocks(2, 3))
def test_the_highest_of_a_coarse_cell_is_never_below_its_finer_ones(finer: Block, base: Block) -> None:
    made = fold(base, finer)
    assert ordered(made)
    tops, grounds = of_each(finer["top"]), of_each(finer["ground"])
    tops[tops == FILL], grounds[grounds == FILL] = -1, np.nan
    coarse = np.where(made["top"] == FILL, -1.0, made["top"].astype(float))
    assert (coarse >= tops.max(axis=2)).all()
    whole = (tops >= 0).all(axis=2)
    np.testing.assert_array_equal(coarse[whole], tops.max(axis=2)[whole])
    dry = whole & ~np.isnan(grounds).all(axis=2)
    np.testing.assert_allclose(made["ground"][dry], np.nanmean(grounds[dry], axis=1), atol=0.51)
    assert (made["ground"][whole & ~dry] == FILL).all(), "a cell of sea has no ground"
    nothing = (tops < 0).all(axis=2)
    for name in NAMES:
        np.testing.assert_array_equal(made[name][nothing], base[name][nothing])


@settings(max_examples=60)
@given(founds())
def test_the_highest_of_a_cell_is_above_the_surface_through_the_centres(found: Found) -> None:
    block = packed(found, np.full(found.ground.shape, 2019, np.uint16))
    assert ordered(block)
    ground = GROUND.unpack(GROUND.pack(found.ground))
    surface = np.where(found.sea, 0, ground)
    rows, columns = surface.shape
    between = RegularGridInterpolator((np.arange(rows), np.arange(columns)), surface)
    tops = TOP.unpack(block["top"])
    for dy in np.linspace(-0.5, 0.5, 5):
        for dx in np.linspace(-0.5, 0.5, 5):
            y, x = np.meshgrid(np.arange(1, rows - 1) + dy, np.arange(1, columns - 1) + dx, indexing="ij")
            seen = between((y, x))
            known = ~np.isnan(seen) & ~np.isnan(tops)
            assert (tops[known] >= seen[known] - 2e-3).all()
    inside = found.top[1:-1, 1:-1]
    known = ~np.isnan(inside)
    assert (tops[known] >= inside[known] - 2e-3).all()
