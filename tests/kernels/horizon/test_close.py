"""The near field over a source's own turned grid, against plain rays over it."""

import numpy as np
import pytest
from numpy.typing import NDArray

from kernels.horizon import earth
from kernels.horizon.block import Block, Piece
from kernels.horizon.close import CLOSE, OwnSurface
from kernels.horizon.earth import DROP
from kernels.horizon.lattice import Points
from kernels.horizon.levels import MISSING, Level
from tests.kernels.horizon import reference
from tests.kernels.horizon.land import fractal

POINTS = Points(1050.0, 1050.0, 100.0, (2, 19))  # more columns than a strip has
NODES = 90
LOW = -9000.0
"""Of the finest level, which has to count for nothing close to points on a surface of a source."""


@pytest.fixture
def plane(monkeypatch: pytest.MonkeyPatch) -> None:
    """A map on which north is up and a metre a metre."""
    monkeypatch.setattr(earth, "convergence", lambda x, _: np.zeros(np.shape(x)))
    monkeypatch.setattr(earth, "scale", lambda x, _: np.ones(np.shape(x)))


def own_surface(turn: float, wide: float, high: float) -> OwnSurface:
    """Rough land in cells of a size that are turned by degrees, under all points."""
    z = fractal((NODES, NODES), 5, 100.0, 0.5) + np.float32(300)
    x, y = np.meshgrid(100.0 * np.arange(POINTS.shape[1]), 100.0 * np.arange(POINTS.shape[0]))
    cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    per_metre = np.array([cos / wide, -sin / high, sin / wide, cos / high])
    off_x, off_y = x - x.mean(), y - y.mean()
    column = NODES / 2 - 0.4 + off_x * per_metre[0] + off_y * per_metre[2]
    row = NODES / 2 + 0.2 + off_x * per_metre[1] + off_y * per_metre[3]
    slopes = np.broadcast_to(per_metre, (*x.shape, 4))
    return OwnSurface(z, np.ascontiguousarray(np.concatenate([column[..., None], row[..., None], slopes], axis=2)))


def truth(
    own: OwnSurface, row: int, column: int, azimuths: NDArray[np.float64], stretch: float = 1.0
) -> NDArray[np.float64]:
    """Samples of the surface around a point, degrees, each 2 mm at first.

    Azimuths count from the map's north; `stretch` are metres of the map to a metre.
    """
    at, to_east, to_north = own.at[row, column].reshape(3, 2)
    d = np.concatenate([np.arange(1.5, 10, 0.002), np.arange(10, CLOSE, 0.05), [CLOSE]])
    along = d * stretch
    east, north = np.sin(np.radians(azimuths))[:, None] * along, np.cos(np.radians(azimuths))[:, None] * along
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
    piece = Piece([flat], POINTS, reach=reach, close=close)
    return piece, piece.block()


@pytest.mark.parametrize(("turn", "wide", "high"), [(0, 100, 100), (23, 100, 100), (-61, 90, 40), (170, 37, 80)])
@pytest.mark.usefixtures("plane")
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


def test_directions_count_from_true_north_also_far_in_the_west() -> None:
    """Of each strip of columns: in UTM 33 the map's north is 9 degrees off there, and 1,600 m farther others."""
    x, y = -50_050.0, 6_700_050.0
    own = own_surface(12, 100, 100)
    flat = Level(np.full((300, 500), LOW, np.float32), x - 1495, y - 1495, 10.0)
    block = Piece([flat], POINTS._replace(x=x, y=y), reach=1000.0, close=[own]).block()
    for column in (0, 8, 17):
        turned = reference.convergence(x + 100 * column, y)
        assert turned < -8
        lon, lat = reference.UTM33(x + 100 * column, y, inverse=True)
        stretch = reference.UTM33.get_factors(lon, lat).meridional_scale
        assert stretch > 1.003
        azimuths = np.arange(720) / 2
        exact = truth(own, 0, column, azimuths - turned, stretch)
        off = np.abs(block.elevation[:, 0, column] - exact)
        # the middle of a strip is 700 m away: 0.006 degrees
        assert np.quantile(off, 0.95) < 0.01
        assert off.max() < 0.15
        wrong = np.abs(block.elevation[:, 0, column] - truth(own, 0, column, azimuths - turned, 1.0))
        assert np.quantile(wrong, 0.95) > 2 * np.quantile(off, 0.95)


@pytest.mark.usefixtures("plane")
def test_the_finest_level_counts_for_nothing_close_to_a_point_on_a_surface() -> None:
    """It is a plateau high over all: whoever looked at it saw it straight above."""
    own = own_surface(10, 100, 100)
    cut = own._replace(z=own.z.copy())
    cut.z[round(own.at[0, 3, 1]), round(own.at[0, 3, 0])] = MISSING
    high = Level(np.full((500, 600), 5000, np.float32), -1495.0, -1495.0, 10.0)

    def seen(*close: OwnSurface) -> Block:
        return Piece([high], POINTS, reach=240.0, close=close).block()

    alone, mixed, both = seen(own), seen(cut), seen(cut, own)
    on = ~np.isnan(cut.ground())
    assert alone.elevation.max() < 60
    assert 0 < on.sum() < on.size
    np.testing.assert_array_equal(mixed.elevation[:, on], alone.elevation[:, on])
    assert np.abs(mixed.elevation[:, ~on]).max() < 0.5  # an eye over a plain
    np.testing.assert_array_equal(both.elevation, alone.elevation)


@pytest.mark.usefixtures("plane")
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


@pytest.mark.parametrize(("turn", "wide", "high"), [(0, 100, 100), (30, 40, 100), (-30, 100, 40)])
def test_a_grid_that_ends_near_a_point_is_not_whole_around_it(turn: float, wide: float, high: float) -> None:
    """Neither in its west, south, east nor north; 252.5 m of each are looked at."""
    own = own_surface(turn, wide, high)
    point = own.at[0, 4]
    for axis, cell in ((0, wide), (1, high)):
        for metres, there in ((262.0, True), (245.0, False)):
            shift = np.zeros(6)
            shift[axis] = point[axis] - metres / cell  # where the first node lies so far before the point
            assert np.isnan(own._replace(at=own.at - shift).ground()[0, 4]) != there
            shift[axis] = point[axis] - (NODES - 1 - metres / cell)  # or the last one so far behind it
            assert np.isnan(own._replace(at=own.at - shift).ground()[0, 4]) != there


@pytest.mark.usefixtures("plane")
def test_the_first_of_two_surfaces_counts() -> None:
    one = own_surface(10, 100, 100)
    other = one._replace(z=one.z + np.float32(40))
    _, both = looked(one, other)
    _, alone = looked(one)
    np.testing.assert_array_equal(both.elevation, alone.elevation)
    np.testing.assert_array_equal(both.ground, alone.ground)


@pytest.mark.usefixtures("plane")
def test_a_part_of_a_piece_sees_the_same() -> None:
    own = own_surface(31, 100, 100)
    piece, block = looked(own)
    part = piece.block((1, 16), (1, 3))
    np.testing.assert_allclose(part.elevation, block.elevation[:, 1:2, 16:19], atol=1e-4)


@pytest.mark.usefixtures("plane")
def test_a_short_reach_ends_it() -> None:
    own = own_surface(31, 100, 100)
    _, block = looked(own, reach=60.0)
    assert np.nanmax(block.distance) <= 60
