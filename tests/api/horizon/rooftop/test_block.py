"""Squares of heights: what is packed is found again, and what is damaged is none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.data.heights.block import CELLS, HEADER, Block, Square, pack, unpack
from api.data.heights.mosaic import mosaic
from api.horizon.rooftop import surface
from api.horizon.rooftop.heights import NEAR_M, REACH_M, around, ground_at
from catalog.sources.errors import SourceError
from kernels.horizon.levels import MISSING
from tests.api.horizon.rooftop.made import OSLO, VADSO, blocks, heights, place
from tests.support.coverages import flat

DOM, DTM = Square("dom", 511, 12992), Square("dtm", 511, 12992)


def back(block: Block) -> np.ndarray:
    return block.heights(slice(None), slice(None))


@pytest.mark.parametrize("square", [DOM, DTM])
@pytest.mark.parametrize(("lowest", "height", "off"), [(-3, 80, 0.0051), (150, 600, 0.0051), (400, 1500, 0.0116)])
def test_a_square_is_found_again(square: Square, lowest: float, height: float, off: float) -> None:
    rng = np.random.default_rng(7)
    made = heights(square, lambda x, y: lowest + height * rng.random((y.size, x.size)))
    made.z[5:9, 3] = np.nan
    block = unpack(square, pack(made))
    assert (np.isnan(back(block)) == np.isnan(made.z)).all()
    assert np.nanmax(np.abs(back(block) - made.z)) <= off
    assert (block.west, block.south, block.year, block.data_origin) == (made.west, made.south, 2021, "live")


def test_nothing_known_takes_no_room() -> None:
    body = pack(heights(DOM, flat(np.nan), year=None, origin="simulated"))
    block = unpack(DOM, body)
    assert len(body) == HEADER.size
    assert (block.known, block.year, block.data_origin) == (False, None, "simulated")


@given(st.integers(0, HEADER.size + 2 * CELLS * CELLS - 1), st.integers(1, 255))
def test_a_changed_byte_is_seen(at: int, by: int) -> None:
    body = bytearray(BODY)
    body[at] ^= by
    with pytest.raises(SourceError):
        unpack(DOM, bytes(body))


BODY = pack(heights(DOM, lambda x, y: x % 7 + y % 5))


@pytest.mark.parametrize("body", [b"", BODY[:-1], BODY[: HEADER.size], BODY[:10], BODY + b"\0", b"\0" * len(BODY)])
def test_what_is_cut_short_is_seen(body: bytes) -> None:
    with pytest.raises(SourceError):
        unpack(DOM, body)


def test_a_square_of_another_model_is_none() -> None:
    with pytest.raises(SourceError, match="none of ours"):
        unpack(DTM, BODY)


@given(st.floats(-70_000, 1_100_000), st.floats(6_460_000, 7_990_000))
def test_the_squares_around_hold_all_that_is_near(x: float, y: float) -> None:
    wanted = around(x, y)
    assert wanted[0] == ground_at(x, y)
    assert 5 <= len(wanted) <= 10
    for azimuth in np.arange(0, 360, 15):
        for reach in (0.0, NEAR_M / 2, REACH_M - 1e-3):
            east, north = x + reach * np.sin(np.radians(azimuth)), y + reach * np.cos(np.radians(azimuth))
            assert ground_at(east, north)._replace(model="dom") in wanted


@pytest.mark.parametrize("where", [OSLO, VADSO, (58.0, 7.0)])
def test_the_surface_is_what_the_squares_hold(where: tuple[float, float]) -> None:
    x, y = place(*where)
    level = mosaic(blocks(x, y, lambda mx, my: 100 + (mx - x) * 0.01 + (my - y) * 0.02), "dom", x, y, REACH_M)
    for dx, dy in ((0, 0), (500, 0), (-500, 0), (0, 500), (0, -500), (353, -353)):
        column, row = round((x + dx - level.x0) / level.cell), round((y + dy - level.y0) / level.cell)
        there = (level.x0 + column - x) * 0.01 + (level.y0 + row - y) * 0.02
        assert level.z[row, column] == pytest.approx(100 + there, abs=0.006)
    assert level.margin(x - NEAR_M, y - NEAR_M, x + NEAR_M, y + NEAR_M) >= 0


@given(st.floats(0, CELLS - 1e-6), st.floats(0, CELLS - 1e-6))
def test_the_ground_is_bilinear_up_to_the_edge_of_a_square(dx: float, dy: float) -> None:
    x, y = DTM.column * CELLS + dx, DTM.row * CELLS + dy
    assert surface.ground({DTM: SLOPE}, x, y) == pytest.approx(100 + 0.3 * dx - 0.2 * dy, abs=0.006)


SLOPE = unpack(DTM, pack(heights(DTM, lambda x, y: 100 + 0.3 * (x - DTM.column * CELLS) - 0.2 * (y - DTM.row * CELLS))))


def test_ground_beside_a_hole_is_that_of_its_own_cell() -> None:
    x, y = DTM.column * CELLS + 100.5, DTM.row * CELLS + 100.5
    made = heights(DTM, flat(50.0))
    made.z[101, 102] = np.nan  # the cell to the east, behind the margin of one cell
    land = {DTM: unpack(DTM, pack(made))}
    assert surface.ground(land, x + 0.3, y) == pytest.approx(50, abs=0.006)
    assert surface.ground(land, x + 0.7, y) is None


def test_where_nothing_is_known_nothing_hides() -> None:
    x, y = place(*OSLO)
    level = mosaic(blocks(x, y, flat(np.nan)), "dom", x, y, REACH_M)
    assert (level.z == MISSING).all()
    assert level.height_at(x, y) is None
    assert level.missing_within(x, y, NEAR_M) == 1
