"""Horizons of whole tiles: the ground they stand on, parts of a tile, and what is beyond the near field."""

import numpy as np
import pytest

from kernels.horizon.block import BEYOND, Piece
from kernels.horizon.lattice import Points
from kernels.horizon.levels import MISSING, Level
from kernels.horizon.rays import profile


def test_point_beside_a_hole_has_no_ground() -> None:
    z = np.full((40, 40), 10, np.float32)
    z[20, 20] = MISSING
    piece = Piece([Level(z, 25.0, 25.0, 50.0)], Points(950.0, 950.0, 100.0, (3, 3)), reach=300.0)
    # 1050, 1050: one corner of its cell, whose centre is 1025, is the hole
    assert np.argwhere(np.isnan(piece.ground)).tolist() == [[1, 1]]


def test_cells_that_do_not_divide_the_step_are_refused_as_the_finest() -> None:
    level = Level(np.zeros((40, 40), np.float32), 0.0, 0.0, 30.0)
    with pytest.raises(ValueError, match="30 m do not divide steps of 100 m"):
        Piece([level], Points(300.0, 300.0, 100.0, (2, 2)))


def test_part_of_a_piece_has_the_directions_of_its_own_place() -> None:
    """25.6 km to the east, the map's north is 0.4 degrees off that of the piece's first column."""
    z = np.random.default_rng(8).normal(500, 60, (120, 640)).astype(np.float32)
    level, far_east = Level(z, 25.0, 7_000_025.0, 50.0), 25_600
    west, south = 2050.0, 7_002_050.0
    piece = Piece([level], Points(west, south, 100.0, (8, 272)), reach=1500.0)
    alone = Piece([level], Points(west + far_east, south, 100.0, (8, 16)), reach=1500.0)
    np.testing.assert_array_equal(piece.block((0, 256), (8, 16)).elevation, alone.block().elevation)


def test_what_is_beyond_is_the_horizon_of_land_without_what_is_near() -> None:
    level = Level(np.random.default_rng(9).normal(500, 60, (120, 120)).astype(np.float32), 25.0, 25.0, 50.0)
    found = Piece([level], Points(3050.0, 3050.0, 100.0, (2, 2)), reach=2500.0).block()
    assert (found.beyond_distance >= BEYOND).all()
    assert (found.beyond <= found.elevation).all()
    far = found.distance >= BEYOND
    assert 0 < far.mean() < 1
    np.testing.assert_array_equal(found.beyond[far], found.elevation[far])
    np.testing.assert_array_equal(found.beyond_distance[far], found.distance[far])
    rays = profile(level, 3050.0, 3050.0, float(found.ground[0, 0]) + 1.5, reach=2500.0, begin=BEYOND)
    assert np.quantile(np.abs(rays.elevation - found.beyond[:, 0, 0]), 0.95) < 0.1
