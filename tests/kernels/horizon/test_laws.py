"""What must hold of any horizon, whichever algorithm computes it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.horizon import rays
from kernels.horizon.levels import Level
from tests.kernels.horizon import land
from tests.kernels.horizon.reference import AZIMUTHS
from tests.kernels.horizon.seeing import WAYS

NORTH = 6_650_000.0
"""On the central meridian (x = 500 km) at this y the grid's north is true."""
ROUGH = {"seed": st.integers(0, 10**6), "slope": st.floats(0.03, 0.5), "hurst": st.floats(0.6, 1.0)}
ways = pytest.mark.parametrize("way", WAYS)
few = settings(max_examples=6)


def land_around(z: np.ndarray, cell: float = 50.0) -> Level:
    """Heights of which the middle cell lies where the grid's north is true."""
    rows, columns = z.shape
    return Level(np.ascontiguousarray(z, dtype=np.float32), 5e5 - columns // 2 * cell, NORTH - rows // 2 * cell, cell)


def pyramid(finest: Level, factor: int = 5) -> list[Level]:
    return [finest, land.maxima(finest, factor)]


@ways
def test_over_a_flat_sea_the_horizon_dips_as_much_as_the_eye_is_high(way: str) -> None:
    """From an islet of 60 m: the square root of 2 h (1 - k) / R."""
    z = np.zeros((1405, 1405))
    z[702, 702] = 60
    dip = -np.degrees(np.sqrt(2 * 61.5 * 0.87 / 6_371_000))
    seen = WAYS[way](pyramid(land_around(z)), 5e5, NORTH, 34e3)
    np.testing.assert_allclose(seen.elevation, dip, atol=0.01)
    np.testing.assert_allclose(np.median(seen.distance), np.sqrt(2 * 61.5 * 6_371_000 / 0.87), rtol=0.1)


def test_a_ray_from_the_air_dips_too() -> None:
    level = land_around(np.zeros((1405, 1405)))
    for eye in (2.0, 20.0, 80.0):
        seen = rays.profile(level, 5e5, NORTH, eye, reach=34e3)
        np.testing.assert_allclose(seen.elevation, -np.degrees(np.sqrt(2 * eye * 0.87 / 6_371_000)), atol=0.01)


@ways
@pytest.mark.parametrize("quarter", range(4))
def test_a_wall_stands_in_its_direction_at_its_distance_and_height(way: str, quarter: int) -> None:
    z = np.zeros((305, 305))
    z[152 + 60 : 152 + 70] = 200  # 3 km in the north
    seen = WAYS[way](pyramid(land_around(np.rot90(z, quarter))), 5e5, NORTH, 7e3)  # row 0 is south: clockwise
    away = (AZIMUTHS + 180) % 360 - 180
    front = np.abs(away) < 60
    elevation, distance = (np.roll(a, -180 * quarter) for a in seen)
    along = 3000 / np.cos(np.radians(away[front]))
    expected = np.degrees(np.arctan((198.5 - 0.87 * along**2 / (2 * 6_371_000)) / along))
    np.testing.assert_allclose(elevation[front], expected, atol=0.15)
    np.testing.assert_allclose(distance[front], along, rtol=0.05)
    assert elevation[np.abs(away) > 100].max() < 0.01


@ways
def test_curvature_and_refraction_lower_a_peak_at_100_km_by_0_39_degrees(way: str) -> None:
    peak = (5e5, NORTH + 100e3)
    whole = land.cone_over_sea((5e5, NORTH), peak, 3000, 0.3, 50.0)
    tiled = [land.around(whole, 5e5, NORTH, 12e3, whole=5), land.maxima(whole, 5)]
    seen = WAYS[way](tiled if way == "block" else [whole], 5e5, NORTH, 101e3)
    flat = np.degrees(np.arctan((3000 - 1.5) / 100e3))
    assert flat - seen.elevation[0] == pytest.approx(0.39, abs=0.01)


@ways
@few
@given(seed=ROUGH["seed"], slope=ROUGH["slope"], cell=st.tuples(st.integers(0, 204), st.integers(0, 204)))
def test_no_cell_that_rises_lowers_a_horizon(way: str, seed: int, slope: float, cell: tuple[int, int]) -> None:
    z = land.fractal((205, 205), seed, 50.0, slope)
    if max(abs(cell[0] - 102), abs(cell[1] - 102)) < 6:
        return  # the points' own ground, or what they stand beside
    before = WAYS[way](pyramid(land_around(z)), 5e5, NORTH, 4500)
    z[cell] += 150
    after = WAYS[way](pyramid(land_around(z)), 5e5, NORTH, 4500)
    assert (after.elevation - before.elevation).min() > -1e-3
    far = np.hypot(cell[0] - 102, cell[1] - 102) * 50
    bearing = np.degrees(np.arctan2(cell[1] - 102, cell[0] - 102))
    aside = np.abs((AZIMUTHS - bearing + 180) % 360 - 180) > np.degrees(2 * 250 / far) + 1
    np.testing.assert_allclose(after.elevation[aside], before.elevation[aside], atol=1e-3)


@ways
@few
@given(seed=ROUGH["seed"], slope=ROUGH["slope"], higher=st.integers(1, 1500))
def test_land_and_eye_raised_together_look_the_same(way: str, seed: int, slope: float, higher: int) -> None:
    z = land.fractal((205, 205), seed, 50.0, slope)
    one, other = (WAYS[way](pyramid(land_around(up)), 5e5, NORTH, 4500) for up in (z, z + np.float32(higher)))
    np.testing.assert_allclose(other.elevation, one.elevation, atol=0.01)


@ways
@few
@given(seed=ROUGH["seed"], slope=ROUGH["slope"], hurst=ROUGH["hurst"])
def test_land_turned_by_a_right_angle_turns_the_horizon(way: str, seed: int, slope: float, hurst: float) -> None:
    z = land.fractal((205, 205), seed, 50.0, slope, hurst)
    seen = WAYS[way](pyramid(land_around(z)), 5e5, NORTH, 4500)
    turned = WAYS[way](pyramid(land_around(np.rot90(z))), 5e5, NORTH, 4500)
    np.testing.assert_allclose(turned.elevation, np.roll(seen.elevation, 180), atol=0.02)
    same = np.abs(turned.elevation - np.roll(seen.elevation, 180)) < 1e-6
    # two samples may be as high as each other, and rounding decides
    close = np.isclose(turned.distance[same], np.roll(seen.distance, 180)[same], rtol=0.02)
    assert close.mean() > 0.98
