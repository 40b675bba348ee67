"""Where there are no heights: nothing is hidden by them, and what is known goes on to be seen."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.horizon import rays
from kernels.horizon.block import Piece
from kernels.horizon.lattice import Points
from kernels.horizon.levels import MISSING, Level
from tests.kernels.horizon import land, reference
from tests.kernels.horizon.reference import AZIMUTHS
from tests.kernels.horizon.seeing import WAYS
from tests.kernels.horizon.test_laws import NORTH, land_around, pyramid

ways = pytest.mark.parametrize("way", WAYS)
few = settings(max_examples=6)
SIZE, MIDDLE, REACH = 205, 102, 4500


def holed(level: Level, seed: int, holes: int) -> Level:
    """The level with square holes of up to 1 km, none within 500 m of the middle."""
    rng, z = np.random.default_rng(seed), level.z.copy()
    for _ in range(holes):
        row, column = rng.integers(0, SIZE, 2)
        size = int(rng.integers(1, 21))
        z[row : row + size, column : column + size] = MISSING
    near = slice(MIDDLE - 10, MIDDLE + 11)
    z[near, near] = level.z[near, near]
    return level._replace(z=z)


@ways
@few
@given(seed=st.integers(0, 10**6), holes=st.integers(1, 30))
def test_what_is_missing_never_hides(way: str, seed: int, holes: int) -> None:
    whole = land_around(land.fractal((SIZE, SIZE), seed, 50.0, 0.1))
    less = holed(whole, seed, holes)
    full, part = (WAYS[way](pyramid(level), 5e5, NORTH, REACH).elevation for level in (whole, less))
    assert np.nanmax(part - full) < 1e-3
    # Before its first hole a ray sees all that there is.
    truth = reference.horizon(less, 5e5, NORTH, reference.ground(less, 5e5, NORTH) + 1.5, REACH)
    assert np.mean(part - truth.elevation > -0.25) >= 0.95
    assert np.mean(part - truth.elevation > -0.75) >= 0.995


@ways
def test_missing_sea_is_looked_over_or_ends_the_ray_and_is_no_wall(way: str) -> None:
    z = land.fractal((SIZE, SIZE), 5, 50.0, 0.1)
    z += 50 - z.min()
    z[:, MIDDLE + 20 :] = MISSING
    seen = WAYS[way](pyramid(land_around(z)), 5e5, NORTH, REACH)
    filled = z.copy()
    filled[:, MIDDLE + 20 :] = 0
    shore = WAYS[way](pyramid(land_around(filled)), 5e5, NORTH, REACH)
    landward = (AZIMUTHS > 190) & (AZIMUTHS < 350)
    np.testing.assert_allclose(seen.elevation[landward], shore.elevation[landward], atol=1e-3)
    assert np.nanmax(seen.elevation - shore.elevation) < 1e-3


@ways
def test_a_spike_is_seen_in_its_direction_alone(way: str) -> None:
    z = land.fractal((SIZE, SIZE), 7, 50.0, 0.1)
    before = WAYS[way](pyramid(land_around(z)), 5e5, NORTH, REACH).elevation
    z[MIDDLE + 40, MIDDLE] = 9999
    after = WAYS[way](pyramid(land_around(z)), 5e5, NORTH, REACH).elevation
    changed = np.abs(after - before) > 1e-3
    assert changed[0]
    assert np.abs((AZIMUTHS[changed] + 180) % 360 - 180).max() < np.degrees(2 * 50 / 2000) + 5


@ways
@pytest.mark.parametrize("corner", [(0, 0), (0, SIZE - 1), (SIZE - 1, 0), (SIZE - 1, SIZE - 1)])
def test_at_a_corner_of_the_data_the_land_inside_is_seen(way: str, corner: tuple[int, int]) -> None:
    level = land_around(land.fractal((SIZE, SIZE), 9, 50.0, 0.2))
    # A step inside: the block's other points lie beyond the data.
    x, y = (o + level.cell * (1 if n == 0 else n - 1) for o, n in zip((level.x0, level.y0), corner[::-1], strict=True))
    seen = WAYS[way]([land.around(level, x, y, 5e3, whole=5), land.maxima(level, 5)], x, y, REACH)
    truth = reference.horizon(level, x, y, reference.ground(level, x, y) + 1.5, REACH)
    inside = truth.looked >= REACH
    assert 150 < inside.sum() < 200
    assert np.quantile(np.abs(seen.elevation - truth.elevation)[inside], 0.95) < 0.25
    assert np.isnan(seen.distance[truth.looked == 0]).all()


def test_an_observer_in_a_hole_has_no_horizon_and_the_next_one_has() -> None:
    level = land_around(land.fractal((SIZE, SIZE), 11, 50.0, 0.2))
    level.z[MIDDLE - 3 : MIDDLE + 4, MIDDLE - 3 : MIDDLE + 4] = MISSING
    found = Piece(pyramid(level), Points(5e5, NORTH, 500.0, (2, 2)), reach=REACH).block()
    assert np.isnan(found.ground[0, 0])
    assert np.isnan(found.elevation[:, 0, 0]).all()
    assert np.isnan(found.distance[:, 0, 0]).all()
    assert np.isfinite(found.elevation.reshape(720, 4)[:, 1:]).all()
    for n, (x, y) in enumerate(((5e5 + 500, NORTH), (5e5, NORTH + 500), (5e5 + 500, NORTH + 500)), start=1):
        assert found.ground.reshape(4)[n] == pytest.approx(reference.ground(level, x, y), abs=0.01)


@ways
def test_where_nothing_at_all_is_known_around_the_eye_nothing_is_seen(way: str) -> None:
    z = np.full((SIZE, SIZE), MISSING, dtype=np.float32)
    z[MIDDLE : MIDDLE + 2, MIDDLE : MIDDLE + 2] = 100
    level = land_around(z)
    if way == "ray":
        seen = rays.profile(level, 5e5 + 25, NORTH + 25, 101.5, reach=REACH, begin=60.0)
        assert np.isnan(seen.distance).all()
    else:
        found = Piece(pyramid(level), Points(5e5 + 25, NORTH + 25, 100.0, (1, 1)), reach=REACH).block()
        assert found.ground[0, 0] == pytest.approx(100)
        assert not (found.elevation > 0).any()
