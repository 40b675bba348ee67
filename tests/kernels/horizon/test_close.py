"""The near field over a source's own turned grid, against plain rays over it."""

import numpy as np
import pytest
from numpy.typing import NDArray

from kernels.horizon.block import Block, Piece
from kernels.horizon.close import CLOSE, OwnSurface
from kernels.horizon.earth import DROP
from kernels.horizon.lattice import Points
from kernels.horizon.levels import MISSING, Level
from tests.kernels.horizon.land import fractal

POINTS = Points(1050.0, 1050.0, 100.0, (2, 19))  # more columns than a strip has
NODES = 90
LOW = -9000.0
"""Of the finest level, which has to count for nothing close to points on a surface of a source."""


def own_surface(turn: float, wide: float, high: float) -> OwnSurface:
    """Rough land in cells of a size that are turned by degrees, under all points."""
    z = fractal((NODES, NODES), 5, 100.0, 0.5) + np.float32(300)
    x, y = np.meshgrid(POINTS.x + 100 * np.arange(POINTS.shape[1]), POINTS.y + 100 * np.arange(POINTS.shape[0]))
    cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    per_metre = np.array([cos / wide, -sin / high, sin / wide, cos / high])
    off_x, off_y = x - x.mean(), y - y.mean()
    column = NODES / 2 - 0.4 + off_x * per_metre[0] + off_y * per_metre[2]
    row = NODES / 2 + 0.2 + off_x * per_metre[1] + off_y * per_metre[3]
    slopes = np.broadcast_to(per_metre, (*x.shape, 4))
    return OwnSurface(z, np.ascontiguousarray(np.concatenate([column[..., None], row[..., None], slopes], axis=2)))


def truth(own: OwnSurface, row: int, column: int, azimuths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Samples of the surface around a point, degrees; each 2 mm at first, and the map's north is true north."""
    at, to_east, to_north = own.at[row, column].reshape(3, 2)
    d = np.concatenate([np.arange(1.5, 10, 0.002), np.arange(10, CLOSE, 0.05), [CLOSE]])
    east, north = np.sin(np.radians(azimuths))[:, None] * d, np.cos(np.radians(azimuths))[:, None] * d
    j, i = at[0] + east * to_east[0] + north * to_north[0], at[1] + east * to_east[1] + north * to_north[1]
    eye = bilinear(own.z, at[1], at[0]) + 1.5
    return np.degrees(np.arctan(((bilinear(own.z, i, j) - eye) / d - DROP * d).max(axis=1)))


def bilinear(z: NDArray[np.float32], row: NDArray[np.float64], column: NDArray[np.float64]) -> NDArray[np.float64]:
    i, j = np.floor(row).astype(int), np.floor(column).astype(int)
    p, q = row - i, column - j
    return (z[i, j] * (1 - q) + z[i, j + 1] * q) * (1 - p) + (z[i + 1, j] * (1 - q) + z[i + 1, j + 1] * q) * p


def looked(*close: OwnSurface, reach: float = 1000.0) -> tuple[Piece, Block]:
    """What the points see with low flat land as their finest level."""
    flat = Level(np.full((500, 600), LOW, np.float32), -1495.0, -1495.0, 10.0)
    piece = Piece([flat], POINTS, reach=reach, close=close, convergence=0.0, scale=1.0)
    return piece, piece.block()


@pytest.mark.parametrize(("turn", "wide", "high"), [(0, 100, 100), (23, 100, 100), (-61, 90, 40), (170, 37, 80)])
def test_close_to_points_a_source_counts_on_its_own_grid(turn: float, wide: float, high: float) -> None:
    own = own_surface(turn, wide, high)
    _, block = looked(own)
    azimuths = np.arange(720) / 2
    for row, column in ((0, 0), (1, 7), (0, 18)):
        exact = truth(own, row, column, azimuths)
        off = np.abs(block.elevation[:, row, column] - exact)
        assert block.ground[row, column] == pytest.approx(bilinear(own.z, *own.at[row, column, 1::-1]), abs=1e-3)
        assert off.max() < 0.03  # the steps of the truth
        assert (block.distance[:, row, column] <= CLOSE).all()
        # what is beyond is seen from the eye over the source's ground
        eye = block.ground[row, column] + 1.5
        at_least = np.degrees(np.arctan((LOW - eye) / 1000 - DROP * 1000))
        np.testing.assert_allclose(block.beyond[:, row, column], at_least, atol=1e-3)


def test_points_around_which_it_is_not_whole_see_the_finest_level() -> None:
    own = own_surface(10, 100, 100)
    cut = own._replace(z=own.z.copy())
    # 2.2 cells west of a point, and within reach of its neighbours
    column, row = own.at[1, 9, 0] - 2.2, own.at[1, 9, 1]
    cut.z[round(row), round(column)] = MISSING
    piece, block = looked(cut)
    _, whole = looked(own)
    _, without = looked()
    mine = cut.ground()
    assert np.isnan(mine[1, 9])
    assert 4 < np.isnan(mine).sum() < mine.size / 2
    for at in np.ndindex(*POINTS.shape):
        other = without if np.isnan(mine[at]) else whole
        np.testing.assert_allclose(block.elevation[:, *at], other.elevation[:, *at], atol=1e-4)
        np.testing.assert_array_equal(block.distance[:, *at], other.distance[:, *at])
        assert piece.ground[at] == other.ground[at]


def test_a_grid_that_ends_near_a_point_is_not_whole_around_it() -> None:
    own = own_surface(0, 100, 100)
    column = own.at[0, 4, 0]
    for shift, there in ((2.6, True), (2.4, False)):
        # the first node lies so many cells west of the point
        moved = own._replace(at=own.at - [np.floor(column - shift) + (column - shift) % 1, 0, 0, 0, 0, 0])
        assert np.isnan(moved.ground()[0, 4]) != there


def test_the_first_of_two_surfaces_counts() -> None:
    one = own_surface(10, 100, 100)
    other = one._replace(z=one.z + np.float32(40))
    _, both = looked(one, other)
    _, alone = looked(one)
    np.testing.assert_array_equal(both.elevation, alone.elevation)
    np.testing.assert_array_equal(both.ground, alone.ground)


def test_a_part_of_a_piece_sees_the_same() -> None:
    own = own_surface(31, 100, 100)
    piece, block = looked(own)
    part = piece.block((1, 16), (1, 3))
    np.testing.assert_allclose(part.elevation, block.elevation[:, 1:2, 16:19], atol=1e-4)


def test_a_short_reach_ends_it() -> None:
    own = own_surface(31, 100, 100)
    _, block = looked(own, reach=60.0)
    assert np.nanmax(block.distance) <= 60
