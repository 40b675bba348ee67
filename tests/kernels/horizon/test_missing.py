"""Where there are no heights: nothing is hidden by them, and what is known goes on to be seen."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.horizon import rays
from kernels.horizon.block import Piece
from kernels.horizon.lattice import Points
from kernels.horizon.levels import MISSING
from tests.kernels.horizon import land, reference
from tests.kernels.horizon.land import NORTH, land_around, pyramid
from tests.kernels.horizon.seeing import EYE, WAYS, look

ways = pytest.mark.parametrize("way", WAYS)
SIZE, MIDDLE, REACH = 205, 102, 4500


@ways
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), holes=st.integers(1, 30))
def test_missing_heights_never_hide(way: str, seed: int, holes: int) -> None:
    """Square holes of up to 1 km, none within 500 m of the middle."""
    whole = land.fractal((SIZE, SIZE), seed, 50.0, 0.1)
    rng, less = np.random.default_rng(seed), whole.copy()
    for row, column, size in rng.integers((0, 0, 1), (SIZE, SIZE, 21), (holes, 3)):
        less[row : row + size, column : column + size] = MISSING
    near = np.s_[MIDDLE - 10 : MIDDLE + 11, MIDDLE - 10 : MIDDLE + 11]
    less[near] = whole[near]
    part = look(way, less).elevation
    assert np.nanmax(part - look(way, whole).elevation) < 1e-3
    # Before its first hole a ray sees all that there is.
    level = land_around(less)
    truth = reference.horizon(level, 5e5, NORTH, reference.ground(level, 5e5, NORTH) + EYE, REACH)
    assert np.mean(part - truth.elevation > -0.25) >= 0.95
    assert np.mean(part - truth.elevation > -0.75) >= 0.995


@ways
@pytest.mark.parametrize("corner", [(0, 0), (0, SIZE - 1), (SIZE - 1, 0), (SIZE - 1, SIZE - 1)])
def test_land_inside_is_seen_from_a_corner_of_the_data(way: str, corner: tuple[int, int]) -> None:
    level = land_around(land.fractal((SIZE, SIZE), 9, 50.0, 0.2))
    # A step inside: the block's other points lie beyond the data.
    x, y = (o + level.cell * (1 if n == 0 else n - 1) for o, n in zip((level.x0, level.y0), corner[::-1], strict=True))
    seen = WAYS[way]([land.around(level, x, y, 5e3, whole=5), land.maxima(level, 5)], x, y, REACH)
    truth = reference.horizon(level, x, y, reference.ground(level, x, y) + EYE, REACH)
    inside = truth.looked >= REACH
    assert 150 < inside.sum() < 200
    assert np.quantile(np.abs(seen.elevation - truth.elevation)[inside], 0.95) < 0.25
    assert np.isnan(seen.distance[truth.looked == 0]).all()


def test_observer_in_a_hole_has_no_horizon_and_the_next_one_has() -> None:
    level = land_around(land.fractal((SIZE, SIZE), 11, 50.0, 0.2))
    level.z[MIDDLE - 3 : MIDDLE + 4, MIDDLE - 3 : MIDDLE + 4] = MISSING
    found = Piece(pyramid(level), Points(5e5, NORTH, 500.0, (2, 2)), reach=REACH).block()
    assert np.isnan(found.elevation[:, 0, 0]).all()
    assert np.isnan(found.distance[:, 0, 0]).all()
    assert np.isfinite(found.elevation.reshape(720, 4)[:, 1:]).all()
    ground = [[reference.ground(level, 5e5 + east, NORTH + north) for east in (0, 500)] for north in (0, 500)]
    np.testing.assert_allclose(found.ground, ground, atol=0.01)


def test_nothing_is_seen_where_nothing_is_known_around_the_eye() -> None:
    z = np.full((SIZE, SIZE), MISSING, dtype=np.float32)
    z[MIDDLE : MIDDLE + 2, MIDDLE : MIDDLE + 2] = 100
    level = land_around(z)
    assert np.isnan(rays.profile(level, 5e5 + 25, NORTH + 25, 101.5, reach=REACH, begin=60.0).distance).all()
    found = Piece(pyramid(level), Points(5e5 + 25, NORTH + 25, 100.0, (1, 1)), reach=REACH).block()
    assert found.ground[0, 0] == pytest.approx(100)
    assert not (found.elevation > 0).any()
