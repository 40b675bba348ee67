"""Dew point and pressure at a height, against published values and laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.humid_air import dew_point, station_pressure


def test_dew_points_of_the_psychrometric_tables() -> None:
    got = dew_point([20.0, 25.0, 10.0, 0.0, 30.0], [50.0, 60.0, 80.0, 70.0, 30.0])
    np.testing.assert_allclose(got, [9.3, 16.7, 6.7, -4.8, 10.5], atol=0.1)


@given(st.floats(-45, 45), st.floats(0, 100))
def test_dew_point_is_never_above_the_air_and_the_same_in_saturated_air(temp_air: float, rel_hum: float) -> None:
    got, saturated, over = dew_point([temp_air] * 3, [rel_hum, 100.0, 104.0])
    assert -np.inf < got <= temp_air + 1e-9
    assert (saturated, over) == pytest.approx((temp_air, temp_air), abs=1e-9)


@pytest.mark.parametrize(("elevation", "expected"), [(0.0, 1013.25), (500.0, 954.6), (1000.0, 898.7), (2000.0, 794.9)])
def test_pressures_are_those_of_the_standard_atmosphere(elevation: float, expected: float) -> None:
    assert station_pressure([1013.25], [15.0 - 0.0065 * elevation], elevation)[0] == pytest.approx(expected, abs=0.3)


def test_pressure_falls_faster_in_cold_air() -> None:
    cold, warm = station_pressure([1000.0, 1000.0], [-20.0, 20.0], 800.0)
    assert cold < warm < 1000.0
