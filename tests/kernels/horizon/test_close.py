"""The near field over a source's own turned grid, against plain rays over it."""

import numpy as np
import pytest
from numpy.typing import NDArray

from kernels.horizon.block import Block, Piece
from kernels.horizon.close import CLOSE, OwnSurface
from kernels.horizon.earth import DROP
from kernels.horizon.lattice import Points
from kernels.horizon.levels import MISSING, Level
from tests.kernels.horizon.land import NORTH, bilinear, fractal
from tests.kernels.horizon.reference import AZIMUTHS, UTM33

POINTS = Points(499_050.0, NORTH, 100.0, (2, 19))  # more columns than a strip has
WEST = POINTS._replace(x=-50_050.0, y=6_700_050.0)
"""In UTM 33 the map's north is 9 degrees off there, and a metre 1.003 of the map."""
NODES = 90
LOW = -9000.0
"""Of the finest level, which has to count for nothing close to points on a surface of a source."""
slow = pytest.mark.slow


def own_surface(turn: float, wide: float = 100.0, high: float = 100.0) -> OwnSurface:
    """Rough land in cells of a size that are turned by degrees, under all points."""
    z = fractal((NODES, NODES), 5, 100.0, 0.5) + np.float32(300)
    x, y = np.meshgrid(100.0 * np.arange(POINTS.shape[1]), 100.0 * np.arange(POINTS.shape[0]))
    cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    per_metre = np.array([cos / wide, -sin / high, sin / wide, cos / high])
    off_x, off_y = x - x.mean(), y - y.mean()
    column = NODES / 2 - 0.4 + off_x * per_metre[0] + off_y * per_metre[2]
    row = NODES / 2 + 0.2 + off_x * per_metre[1] + off_y * per_metre[3]
    slopes = np.broadcast_to(per_metre, (*x.shape, 4))
    return OwnSurface(z, np.concatenate([column[..., None], row[..., None], slopes], axis=2))


def with_a_hole(own: OwnSurface, row: int, column: int, west: float = 0.0) -> OwnSurface:
    """The surface without the node nearest to a point, or so many cells west of it."""
    cut = own._replace(z=own.z.copy())
    cut.z[round(own.at[row, column, 1]), round(own.at[row, column, 0] - west)] = MISSING
    return cut


def truth(own: OwnSurface, points: Points, row: int, column: int) -> NDArray[np.float64]:
    """Samples of the surface around a point in every fourth direction, degrees, each 2 mm at first."""
    lon, lat = UTM33(points.x + 100 * column, points.y + 100 * row, inverse=True)
    factors = UTM33.get_factors(lon, lat)
    azimuths = np.radians(AZIMUTHS[::4] - factors.meridian_convergence)[:, None]
    at, to_east, to_north = own.at[row, column].reshape(3, 2)
    d = np.concatenate([np.arange(1.5, 10, 0.002), np.arange(10, CLOSE, 0.05), [CLOSE]])
    east, north = np.sin(azimuths) * d * factors.meridional_scale, np.cos(azimuths) * d * factors.meridional_scale
    j, i = at[0] + east * to_east[0] + north * to_north[0], at[1] + east * to_east[1] + north * to_north[1]
    eye = bilinear(own.z, at[1], at[0]) + 1.5
    return np.degrees(np.arctan(((bilinear(own.z, i, j) - eye) / d - DROP * d).max(axis=1)))


def looked(*close: OwnSurface, reach: float = 1000.0, points: Points = POINTS, height: float = LOW) -> Block:
    """What the points see with flat land as their finest level."""
    flat = Level(np.full((500, 600), height, np.float32), points.x - 2545, points.y - 2545, 10.0)
    return Piece([flat], points, reach=reach, close=close).block()


@pytest.mark.parametrize(
    ("points", "grid", "usual"),
    [
        (POINTS, (170, 37, 80), 0.03),
        (WEST, (12, 100, 100), 0.01),
        pytest.param(POINTS, (0, 100, 100), 0.01, marks=slow),
        pytest.param(POINTS, (23, 100, 100), 0.01, marks=slow),
        pytest.param(POINTS, (-61, 90, 40), 0.03, marks=slow),
    ],
)
def test_source_counts_on_its_own_grid_close_to_points(points: Points, grid: tuple[float, ...], usual: float) -> None:
    """But for the middle of a strip, 700 m away: 0.006 degrees."""
    own = own_surface(*grid)
    block = looked(own, points=points)
    for row, column in ((0, 0), (1, 7), (0, 17)):
        off = np.abs(block.elevation[::4, row, column] - truth(own, points, row, column))
        assert np.quantile(off, 0.95) < usual
        assert off.max() < 0.15
        assert block.ground[row, column] == pytest.approx(bilinear(own.z, *own.at[row, column, 1::-1]), abs=1e-3)
        assert (block.distance[:, row, column] <= CLOSE).all()
        # what is beyond is seen from the eye over the source's ground
        lowest = np.degrees(np.arctan((LOW - block.ground[row, column] - 1.5) / 1000 - DROP * 1000))
        np.testing.assert_allclose(block.beyond[:, row, column], lowest, atol=1e-3)


def test_finest_level_counts_for_nothing_close_to_a_point_on_a_surface() -> None:
    """It is a plateau high over all: whoever looked at it saw it straight above."""
    own = own_surface(10)
    cut = with_a_hole(own, 0, 3)
    alone, mixed, both = (looked(*close, reach=240.0, height=5000) for close in ([own], [cut], [cut, own]))
    on = ~np.isnan(cut.ground())
    assert alone.elevation.max() < 60
    assert 0 < on.mean() < 1
    np.testing.assert_array_equal(mixed.elevation[:, on], alone.elevation[:, on])
    assert np.abs(mixed.elevation[:, ~on]).max() < 0.5  # an eye over a plain
    np.testing.assert_array_equal(both.elevation, alone.elevation)


def test_points_around_which_a_surface_is_not_whole_see_the_finest_level() -> None:
    own = own_surface(10)
    cut = with_a_hole(own, 1, 9, west=2.2)  # within reach of its neighbours too
    off = np.isnan(cut.ground())
    assert off[1, 9]
    assert 4 < off.sum() < off.size / 2
    block, whole, without = looked(cut), looked(own), looked()
    np.testing.assert_allclose(block.elevation, np.where(off, without.elevation, whole.elevation), atol=1e-4)
    np.testing.assert_array_equal(block.distance, np.where(off, without.distance, whole.distance))
    np.testing.assert_array_equal(block.ground, np.where(off, without.ground, whole.ground))


@pytest.mark.parametrize("grid", [pytest.param((0, 100, 100), marks=slow), (30, 40, 100), (-30, 100, 40)])
def test_grid_that_ends_near_a_point_is_not_whole_around_it(grid: tuple[float, float, float]) -> None:
    """Neither in its west, south, east nor north; 252.5 m of each are looked at."""
    own = own_surface(*grid)
    for axis, cell in enumerate(grid[1:]):
        for metres, there in ((262.0, True), (245.0, False)):
            # where the first node lies so far before the point, or the last one so far behind it
            for node in (metres / cell, NODES - 1 - metres / cell):
                shift = np.zeros(6)
                shift[axis] = own.at[0, 4, axis] - node
                assert np.isnan(own._replace(at=own.at - shift).ground()[0, 4]) != there


def test_reach_shorter_than_the_near_field_ends_it() -> None:
    assert np.nanmax(looked(own_surface(31), reach=60.0).distance) <= 60
