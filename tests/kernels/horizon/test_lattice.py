"""How heights are laid out for tiles: against plain indexing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.horizon import earth
from kernels.horizon.block import BEYOND, Piece
from kernels.horizon.lattice import Lattice, Points, lattice
from kernels.horizon.levels import MISSING, Level
from kernels.horizon.look import place
from kernels.horizon.rays import profile

# of a cell; none that rounding moves to the next
SHIFTS = [-0.45, -0.2, 0.0, 0.125, 0.3, 0.45]


def _at(found: Lattice, row: int, column: int, up: int, right: int) -> float:
    """The height so many cells from the cell of a point."""
    own = (found.pad + column) * found.rows + found.pad + row
    index = place.py_func(up, right, found.per_step, found.rows * found.columns, found.rows)
    return float(found.heights[own + index])


@given(
    per_step=st.sampled_from([1, 2, 5]),
    window=st.sampled_from([1, 2, 3]),
    off=st.tuples(st.integers(-7, 7), st.integers(-7, 7)),
    shift=st.tuples(st.sampled_from(SHIFTS), st.sampled_from(SHIFTS)),
)
def test_a_lattice_holds_what_the_level_does(
    per_step: int, window: int, off: tuple[int, int], shift: tuple[float, float]
) -> None:
    cell = 100.0 / per_step
    z = np.random.default_rng(3).normal(500, 100, (23, 31)).astype(np.float32)
    level = Level(z, 1000.0, 2000.0, cell)
    row, column = 9, 11
    centre = (window - 1) / 2  # of a square of cells, from its first
    points = Points(1000 + (column + centre + shift[0]) * cell, 2000 + (row + centre + shift[1]) * cell, 100.0, (2, 3))
    found = lattice(level, points, 600.0, window)
    for r in range(2):
        for c in range(3):
            up, right = off
            first = row + r * per_step + up, column + c * per_step + right
            if window == 1:  # the cell before the point, so that the surface lies between it and the next
                first = first[0] - (shift[1] < 0), first[1] - (shift[0] < 0)
            square = z[max(first[0], 0) : first[0] + window, max(first[1], 0) : first[1] + window]
            whole = 0 <= first[0] <= 23 - window and 0 <= first[1] <= 31 - window
            assert _at(found, r, c, up, right) == (square.max() if whole else MISSING)
    if window == 1:
        assert (found.u, found.v) == pytest.approx((shift[0] % 1, shift[1] % 1), abs=1e-6)
    else:
        assert (found.u, found.v) == pytest.approx(shift, abs=1e-6)


@given(x=st.floats(0, 3000), y=st.floats(0, 3000), window=st.sampled_from([1, 2, 3]))
def test_cells_that_do_not_divide_the_step_are_read_at_the_nearest(x: float, y: float, window: int) -> None:
    z = np.random.default_rng(4).normal(500, 100, (12, 14)).astype(np.float32)
    found = lattice(Level(z, 0.0, 0.0, 250.0), Points(x, y, 100.0, (3, 2)), 500.0, window)
    half = (window - 1) / 2
    for row, column in ((0, 0), (2, 1), (-4, 3)):
        at = (y + 100 * row) / 250 - half, (x + 100 * column) / 250 - half
        i, j = (int(np.floor(a + 0.5)) for a in at)
        inside = 0 <= i <= 12 - window and 0 <= j <= 14 - window
        expected = z[i : i + window, j : j + window].max() if inside else MISSING
        assert _at(found, row, column, 0, 0) == expected


def test_the_ground_of_a_point_is_the_bilinear_surface() -> None:
    rows, columns = np.mgrid[:40, :50].astype(np.float32)
    z = (3 * rows + 2 * columns + 0.1 * rows * columns).astype(np.float32)
    piece = Piece([Level(z, 0.0, 0.0, 50.0)], Points(530.0, 640.0, 100.0, (3, 4)), reach=300.0)
    for r in range(3):
        for c in range(4):
            v, u = (640 + 100 * r) / 50, (530 + 100 * c) / 50
            assert piece.ground[r, c] == pytest.approx(3 * v + 2 * u + 0.1 * v * u, abs=1e-3)


def test_a_point_beside_a_hole_has_no_ground() -> None:
    z = np.full((40, 40), 10, np.float32)
    z[20, 20] = MISSING
    piece = Piece([Level(z, 25.0, 25.0, 50.0)], Points(950.0, 950.0, 100.0, (3, 3)), reach=300.0)
    hole = np.zeros((3, 3), bool)
    hole[1, 1] = True  # 1050, 1050: one corner of its cell, whose centre is 1025, is the hole
    assert np.array_equal(np.isnan(piece.ground), hole)


def test_cells_that_do_not_divide_the_step_are_refused_as_the_finest() -> None:
    level = Level(np.zeros((40, 40), np.float32), 0.0, 0.0, 30.0)
    with pytest.raises(ValueError, match="30 m do not divide steps of 100 m"):
        Piece([level], Points(300.0, 300.0, 100.0, (2, 2)))


def test_part_of_a_piece_has_the_directions_of_its_own_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """25.6 km to the east, the map's north is 0.4 degrees off that of the piece's first column."""
    z = np.random.default_rng(8).normal(500, 60, (120, 640)).astype(np.float32)
    level, far_east = Level(z, 25.0, 7_000_025.0, 50.0), 25_600
    west, south = 2050.0, 7_002_050.0
    piece = Piece([level], Points(west, south, 100.0, (8, 272)), reach=1500.0)
    alone = Piece([level], Points(west + far_east, south, 100.0, (8, 16)), reach=1500.0)
    part = piece.block((0, 256), (8, 16))
    assert np.array_equal(part.elevation, alone.block().elevation)
    assert not np.array_equal(part.elevation, piece.block((0, 0), (8, 16)).elevation)
    # seen from the piece's first column the same land would be turned
    first = float(earth.convergence(west, south))
    monkeypatch.setattr(earth, "convergence", lambda x, _: np.full(np.shape(x), first))
    assert np.abs(alone.block().elevation - part.elevation).max() > 0.1


def test_what_is_beyond_is_the_horizon_of_land_without_what_is_near() -> None:
    z = np.random.default_rng(9).normal(500, 60, (120, 120)).astype(np.float32)
    x, y = 3050.0, 3050.0
    found = Piece([Level(z, 25.0, 25.0, 50.0)], Points(x, y, 100.0, (2, 2)), reach=2500.0).block()
    assert (found.beyond_distance >= BEYOND).all()
    assert (found.beyond <= found.elevation).all()
    far = found.distance >= BEYOND
    assert far.any()
    assert not far.all()
    assert np.array_equal(found.beyond[far], found.elevation[far])
    assert np.array_equal(found.beyond_distance[far], found.distance[far])
    rays = profile(Level(z, 25.0, 25.0, 50.0), x, y, float(found.ground[0, 0]) + 1.5, reach=2500.0, begin=BEYOND)
    assert np.quantile(np.abs(rays.elevation - found.beyond[:, 0, 0]), 0.95) < 0.1
