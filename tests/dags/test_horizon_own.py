"""The surface of a coarse source in its own cells, where the level of 10 m was looked up on it."""

import numpy as np
import pyproj
import pytest
from numpy.typing import NDArray
from rasterio import Affine
from rasterio.crs import CRS

from dags.build.horizon.coarse_source import own_surfaces
from dags.build.terrain.own_grid import OwnGrid
from kernels.horizon.lattice import Points
from kernels.horizon.levels import MISSING, Level
from tests.kernels.horizon.land import fractal

POINTS = Points(90_050.0, 6_740_050.0, 100.0, (20, 20))
SCALE = 0.04


def source(transform: Affine, epsg: int, z: NDArray[np.float32]) -> OwnGrid:
    return OwnGrid(z, transform, CRS.from_epsg(epsg))


def utm32(size: float) -> tuple[Affine, NDArray[np.float32]]:
    """A model in UTM 32 around the points, row 0 in the north."""
    u, v = pyproj.Transformer.from_crs(25833, 25832, always_xy=True).transform(91_000, 6_741_000)
    z = fractal((80, 90), 8, size, 0.4) + np.float32(900)
    return Affine(size, 0, u - 45.3 * size, 0, -size, v + 40.2 * size), z


def level_of(transform: Affine, z: NDArray[np.float32], epsg: int) -> Level:
    """Its bilinear surface each 10 m, as it is packed."""
    x, y = np.meshgrid(88_505 + 10.0 * np.arange(520), 6_738_505 + 10.0 * np.arange(520))
    u, v = pyproj.Transformer.from_crs(25833, epsg, always_xy=True).transform(x, y)
    inverse = ~transform
    column = inverse.a * u + inverse.b * v + inverse.c - 0.5
    row = inverse.d * u + inverse.e * v + inverse.f - 0.5
    i, j = np.floor(row).astype(int), np.floor(column).astype(int)
    p, q = row - i, column - j
    there = (i >= 0) & (j >= 0) & (i < z.shape[0] - 1) & (j < z.shape[1] - 1)
    i, j = np.where(there, i, 0), np.where(there, j, 0)
    found = (z[i, j] * (1 - q) + z[i, j + 1] * q) * (1 - p) + (z[i + 1, j] * (1 - q) + z[i + 1, j + 1] * q) * p
    packed = (np.rint(found / SCALE) * SCALE).astype(np.float32)
    return Level(np.where(there, packed, MISSING), 88_505.0, 6_738_505.0, 10.0)


@pytest.mark.parametrize("size", [50.0, 100.0, 137.0])
def test_points_stand_where_they_should_among_the_sources_own_heights(size: float) -> None:
    transform, z = utm32(size)
    (own,) = own_surfaces([source(transform, 25832, z)], level_of(transform, z, 25832), POINTS)
    to_theirs = pyproj.Transformer.from_crs(25833, 25832, always_xy=True)
    inverse = ~transform
    for row, column in ((0, 0), (7, 19), (19, 3)):
        x, y = POINTS.x + 100 * column, POINTS.y + 100 * row
        u, v = to_theirs.transform([x, x + 200, x], [y, y, y + 200])
        at = inverse.a * np.array(u) + inverse.c - 0.5, inverse.e * np.array(v) + inverse.f - 0.5
        found = own.at[row, column]
        i, j = (int(np.floor(a[0])) for a in at[::-1])
        # of the same node the same height: the part that was read has its own first column and row
        first = round(at[0][0] - found[0]), round(at[1][0] - found[1])
        np.testing.assert_allclose(found[:2] + first, [a[0] for a in at], atol=1e-4)
        np.testing.assert_allclose(found[2:4] * 200, [a[1] - a[0] for a in at], atol=1e-3)
        np.testing.assert_allclose(found[4:6] * 200, [a[2] - a[0] for a in at], atol=1e-3)
        mine = own.z[i - first[1] - 2 : i - first[1] + 4, j - first[0] - 2 : j - first[0] + 4]
        np.testing.assert_allclose(mine, z[i - 2 : i + 4, j - 2 : j + 4], atol=0)
    assert not np.isnan(own.ground()).any()


def test_degrees_of_longitude_and_latitude() -> None:
    lon, lat = pyproj.Transformer.from_crs(25833, 4326, always_xy=True).transform(91_000, 6_741_000)
    z = fractal((70, 70), 9, 90.0, 0.3) + np.float32(900)
    transform = Affine(1 / 700, 0, lon - 35 / 700, 0, -1 / 1200, lat + 35 / 1200)
    (own,) = own_surfaces([source(transform, 4326, z)], level_of(transform, z, 4326), POINTS)
    known = own.z != MISSING
    assert known.sum() > 400
    first = [np.argwhere(known)[0], np.argwhere(known)[-1]]
    assert not np.isnan(own.ground()).any()
    row, column = 10, 10
    u, v = pyproj.Transformer.from_crs(25833, 4326, always_xy=True).transform(POINTS.x + 1000, POINTS.y + 1000)
    at = (~transform) @ (u, v)
    off = round(at[1] - 0.5 - own.at[row, column, 1]), round(at[0] - 0.5 - own.at[row, column, 0])
    for i, j in first:
        assert own.z[i, j] == pytest.approx(z[i + off[0], j + off[1]], abs=0.02)


@pytest.mark.parametrize(("size", "turn"), [(40.0, 0.0), (40.0, 45.0), (47.0, 3.0), (50.0, 60.0), (100.0, 25.0)])
def test_all_points_of_a_piece_stand_on_it_however_it_is_turned(size: float, turn: float) -> None:
    """Else a point would see something else from the piece beside."""
    u, v = pyproj.Transformer.from_crs(25833, 25832, always_xy=True).transform(91_000, 6_741_000)
    z = fractal((110, 130), 8, size, 0.4) + np.float32(900)
    transform = Affine.translation(u, v) @ Affine.rotation(turn) @ Affine.scale(size, -size)
    transform = transform @ Affine.translation(-65.3, -55.2)
    (own,) = own_surfaces([source(transform, 25832, z)], level_of(transform, z, 25832), POINTS)
    assert not np.isnan(own.ground()).any()


def test_the_far_corner_of_a_long_grid() -> None:
    u, v = pyproj.Transformer.from_crs(25833, 25832, always_xy=True).transform(91_000, 6_741_000)
    z = fractal((50, 220), 8, 100.0, 0.4) + np.float32(900)
    transform = Affine(100, 0, u - 19_000, 0, -100, v + 2_500)
    (own,) = own_surfaces([source(transform, 25832, z)], level_of(transform, z, 25832), POINTS)
    assert not np.isnan(own.ground()).any()


def test_a_little_noise_over_it_is_something_else() -> None:
    transform, z = utm32(100.0)
    level = level_of(transform, z, 25832)
    rough = level.z + np.random.default_rng(2).normal(0, 0.03, level.z.shape).astype(np.float32)
    assert own_surfaces([source(transform, 25832, z)], level._replace(z=rough), POINTS) == []


def test_what_lies_over_it_is_left_to_the_level() -> None:
    transform, z = utm32(100.0)
    level = level_of(transform, z, 25832)
    # half of the points stand on heights of another source, one metre off and rough
    row, column = 255, 255
    z10 = level.z.copy()
    z10[row:, column:] += np.random.default_rng(1).normal(1, 0.3, z10[row:, column:].shape).astype(np.float32)
    (own,) = own_surfaces([source(transform, 25832, z)], level._replace(z=z10), POINTS)
    ground = own.ground()
    # the first point east and north of it stands in row and column 10
    assert np.isnan(ground[8:, 8:]).all()
    assert not np.isnan(ground[:6]).any()
    assert not np.isnan(ground[:, :6]).any()


def test_a_hole_is_left_to_the_level() -> None:
    transform, z = utm32(100.0)
    level = level_of(transform, z, 25832)
    z10 = level.z.copy()
    z10[250:262, 250:262] = MISSING
    (own,) = own_surfaces([source(transform, 25832, z)], level._replace(z=z10), POINTS)
    ground = own.ground()
    assert np.isnan(ground[9:12, 9:12]).all()
    assert np.isnan(ground).sum() < 120


def test_what_is_not_there_or_lies_otherwise_is_left_out() -> None:
    transform, z = utm32(100.0)
    level = level_of(transform, z, 25832)
    mine = source(transform, 25832, z)
    elsewhere = source(transform @ Affine.translation(500, 0), 25832, z)
    # nothing fits cells that are shifted
    shifted = source(transform @ Affine.translation(0.3, 0), 25832, z)
    assert len(own_surfaces([mine, elsewhere, shifted], level, POINTS)) == 1


def test_the_newest_source_comes_first() -> None:
    """Over flat land two grids fit, and which of them counts shows in its cells."""
    transform, z = utm32(100.0)
    flat = np.full_like(z, 900)
    level = level_of(transform, flat, 25832)
    older, newer = (source(transform @ Affine.translation(*by), 25832, flat) for by in ((0, 0), (0.3, 0.4)))
    first, second = own_surfaces([newer, older], level, POINTS)
    assert first.at[0, 0, 0] % 1 == pytest.approx((second.at[0, 0, 0] - 0.3) % 1, abs=1e-6)


def test_a_coarser_level_has_none() -> None:
    transform, z = utm32(100.0)
    level = level_of(transform, z, 25832)
    mine = source(transform, 25832, z)
    assert own_surfaces([mine], level._replace(cell=50.0), POINTS) == []
