"""What must hold of any horizon, whichever algorithm computes it."""

import numpy as np
import pytest

from kernels.horizon import rays
from tests.kernels.horizon import land
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
