"""Beam, diffuse and plane-of-array irradiance are those that the engines of production calculate with."""

import numpy as np
import pytest

from kernels.irradiance import irradiance
from kernels.production import simplified
from kernels.sun import sun_table

STARTS = 1_781_308_800 + 3600 * np.arange(24)
SUN = sun_table(STARTS + 1800)
GHI = np.maximum(0.0, 600 * np.sin((np.arange(24) - 3) / 18 * np.pi))
PLACE = (60.0, 10.7)
PLANES = [(30.0, 180.0, 1.0), (90.0, 90.0, 1.0)]


def sine_of_sun() -> np.ndarray:
    """A level plane sees no ground: its light is the diffuse, and the beam times this."""
    dni, dhi, level = irradiance(SUN, *PLACE, GHI, [(0.0, 0.0, 1.0)])
    return np.divide(level - dhi, dni, out=np.zeros(24), where=dni > 1)


def test_planes_of_the_simplified_engine() -> None:
    dni, dhi, *planes = irradiance(SUN, *PLACE, GHI, PLANES)
    # 1 kWp that loses nothing and does not mind heat gives as many watts as there fall on a square metre.
    np.testing.assert_allclose(planes, simplified(SUN, *PLACE, GHI, 0 * GHI, PLANES, 1.0, 0.0), atol=1e-9)
    assert dni.max() > 300
    assert (dhi <= GHI + 1e-9).all()


def test_precise_light_closes_and_a_horizon_takes_the_beam_from_planes() -> None:
    dni, dhi, *free = irradiance(SUN, *PLACE, GHI, PLANES, altitude=200.0)
    same_dni, same_dhi, *hidden = irradiance(SUN, *PLACE, GHI, PLANES, altitude=200.0, horizon=np.full(720, 89.0))
    np.testing.assert_array_equal((dni, dhi), (same_dni, same_dhi))
    high = dni > 100
    np.testing.assert_allclose((dhi + dni * sine_of_sun())[high], GHI[high], rtol=0.03)
    assert (np.array(hidden) <= np.array(free) + 1e-9).all()
    assert free[0].max() > 1.5 * hidden[0].max() > 0


def test_nothing_is_nothing_and_none_is_none() -> None:
    ghi = GHI.copy()
    ghi[12] = np.nan
    assert np.isnan(irradiance(SUN, *PLACE, ghi, PLANES)[:, 12]).all()
    assert not irradiance(SUN, *PLACE, 0 * GHI, PLANES).any()


def test_a_horizon_without_altitude_is_refused() -> None:
    with pytest.raises(ValueError, match="altitude"):
        irradiance(SUN, *PLACE, GHI, PLANES, horizon=np.zeros(720))
