"""What must hold of any horizon, whichever algorithm computes it."""

import numpy as np
import pytest

from kernels.horizon import rays
from tests.kernels.horizon import land
from tests.kernels.horizon.reference import AZIMUTHS
from tests.kernels.horizon.seeing import WAYS, look

ways = pytest.mark.parametrize("way", WAYS)


@ways
def test_horizon_over_a_flat_sea_dips_by_the_height_of_the_eye(way: str) -> None:
    """From an islet of 60 m: the square root of 2 h (1 - k) / R."""
    z = np.zeros((1405, 1405))
    z[702, 702] = 60
    seen = look(way, z, 34e3)
    np.testing.assert_allclose(seen.elevation, -np.degrees(np.sqrt(2 * 61.5 * 0.87 / 6_371_000)), atol=0.01)
    np.testing.assert_allclose(np.median(seen.distance), np.sqrt(2 * 61.5 * 6_371_000 / 0.87), rtol=0.1)


@pytest.mark.parametrize("eye", [2.0, 80.0])
def test_ray_from_the_air_dips_too(eye: float) -> None:
    seen = rays.profile(land.land_around(np.zeros((1405, 1405))), 5e5, land.NORTH, eye, reach=34e3)
    np.testing.assert_allclose(seen.elevation, -np.degrees(np.sqrt(2 * eye * 0.87 / 6_371_000)), atol=0.01)


@ways
@pytest.mark.parametrize("quarter", range(4))
def test_wall_stands_in_its_direction_at_its_distance_and_height(way: str, quarter: int) -> None:
    z = np.zeros((305, 305))
    z[152 + 60 : 152 + 70] = 200  # 3 km in the north
    seen = look(way, np.rot90(z, quarter), 7e3)  # row 0 is south: clockwise
    away = (AZIMUTHS + 180) % 360 - 180
    front = np.abs(away) < 60
    elevation, distance = (np.roll(a, -180 * quarter) for a in seen)
    along = 3000 / np.cos(np.radians(away[front]))
    expected = np.degrees(np.arctan((198.5 - 0.87 * along**2 / (2 * 6_371_000)) / along))
    np.testing.assert_allclose(elevation[front], expected, atol=0.15)
    np.testing.assert_allclose(distance[front], along, rtol=0.05)
    assert elevation[np.abs(away) > 100].max() < 0.01
