"""Laws of the pyramid: nothing coarser is lower than what it is made of, and the newer heights win."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.interpolate import RegularGridInterpolator

from dags.build.terrain.pyramid import NAMES, Block, empty, fold, overlay, packed
from dags.build.terrain.resample import Found, above_surface
from tiles.product import FILL
from tiles.products.terrain import BY_CELL

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


@given(blocks(), blocks())
def test_the_newer_wins_but_for_inferred_sea_over_ground(old: Block, new: Block) -> None:
    made = overlay(old, new)
    assert ordered(made)
    ground, sea = new["ground"] != FILL, (new["ground"] == FILL) & (new["top"] != FILL)
    for name in NAMES:
        np.testing.assert_array_equal(made[name][ground], new[name][ground])
        np.testing.assert_array_equal(made[name][~ground & ~sea], old[name][~ground & ~sea])
        known = sea & (old["top"] != FILL)
        np.testing.assert_array_equal(made[name][known], old[name][known])
        np.testing.assert_array_equal(made[name][sea & ~known], new[name][sea & ~known])
        np.testing.assert_array_equal(overlay(made, new)[name], made[name])


def test_of_nothing_nothing_comes() -> None:
    nothing = empty((2, 3))
    made = fold(nothing, empty((10, 15)))
    for name in NAMES:
        assert (made[name] == FILL).all()


def test_a_cell_known_in_part_keeps_the_higher_top_and_what_a_source_said_of_the_whole() -> None:
    finer = {name: np.full((5, 5), FILL, np.uint16) for name in NAMES}
    finer["top"][0, 0], finer["ground"][0, 0], finer["year"][0, 0] = 3000, 2900, 2020
    base = {"top": np.full((1, 1), 2800, np.uint16), "ground": np.full((1, 1), 2700, np.uint16)}
    base["year"] = np.full((1, 1), 2011, np.uint16)
    made = fold(base, finer)
    assert [int(made[name][0, 0]) for name in NAMES] == [3000, 2700, 2020]
    made = fold(empty((1, 1)), finer)
    assert [int(made[name][0, 0]) for name in NAMES] == [3000, 2900, 2020]


def test_a_plane_is_highest_at_its_upper_corner() -> None:
    y, x = np.mgrid[:6, :6].astype(np.float32)
    found = Found(3 * x + 5 * y, 3 * x + 5 * y, np.zeros(x.shape, bool))
    np.testing.assert_allclose(above_surface(found), (3 * x + 5 * y)[1:-1, 1:-1] + 4)


def test_packing_is_refused_beyond_what_it_holds() -> None:
    found = Found(*(np.full((3, 3), 9999, np.float32),) * 2, np.zeros((3, 3), bool))
    with pytest.raises(ValueError, match="cannot be packed"):
        packed(found, np.full((3, 3), FILL, np.uint16))
