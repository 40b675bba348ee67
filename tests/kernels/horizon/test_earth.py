"""The round earth and the map: against PROJ and the sphere."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyproj import Geod

from kernels.horizon import earth
from tests.kernels.horizon.reference import UTM33


@given(lat=st.floats(57, 72), lon=st.floats(4, 32))
def test_north_and_scale_of_the_map_are_those_of_proj(lat: float, lon: float) -> None:
    factors, at = UTM33.get_factors(lon, lat), UTM33(lon, lat)
    assert float(earth.scale(*at)) == pytest.approx(factors.meridional_scale, abs=3e-5)
    assert float(earth.convergence(*at)) == pytest.approx(factors.meridian_convergence, abs=1e-6)


@pytest.mark.parametrize(("km", "drop"), [(1, 0.07), (10, 6.8), (20, 27), (50, 171), (100, 683), (150, 1536)])
def test_what_is_far_seems_lower(km: float, drop: float) -> None:
    assert pytest.approx(drop, rel=0.03) == earth.DROP * (km * 1e3) ** 2


@given(eye=st.floats(0, 2500))
def test_horizon_of_the_sea_is_the_highest_that_the_sea_shows(eye: float) -> None:
    d = np.geomspace(10, 400e3, 4000)
    highest = math.degrees(math.atan((-eye / d - earth.DROP * d).max()))
    assert float(earth.sea_dip(eye)) == pytest.approx(highest, abs=1e-3)


@pytest.mark.parametrize(("lat", "lon"), [(59.91, 10.75), (58.0, 5.5), (70.1, 30.1)])
@pytest.mark.parametrize(("away", "degrees", "part"), [(3_000.0, 0.03, 0.0005), (120_000.0, 0.06, 0.001)])
def test_a_line_of_sight_ends_in_its_true_direction_and_distance(
    lat: float, lon: float, away: float, degrees: float, part: float
) -> None:
    """As geodesics have it, up to 14 degrees off the grid's north; far away a straight line of the map is none."""
    expected = np.arange(720) / 2
    lats, lons = earth.destination(lat, lon, expected, np.full(720, away))
    azimuth, _, distance = Geod(ellps="GRS80").inv(np.full(720, lon), np.full(720, lat), lons, lats)
    assert np.abs((azimuth - expected + 180) % 360 - 180).max() < degrees
    np.testing.assert_allclose(distance, away, rtol=part)
