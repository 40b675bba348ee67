"""Dew point and pressure at a height, against published values and laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.humid_air import dew_point, station_pressure


@pytest.mark.parametrize(
    ("temp_air", "rel_hum", "expected"),  # psychrometric tables, over water
    [(20.0, 50.0, 9.3), (25.0, 60.0, 16.7), (10.0, 80.0, 6.7), (0.0, 70.0, -4.8), (30.0, 30.0, 10.5)],
)
def test_dew_points_of_the_tables(temp_air: float, rel_hum: float, expected: float) -> None:
    assert dew_point([temp_air], [rel_hum])[0] == pytest.approx(expected, abs=0.1)


@given(st.floats(-45, 45), st.floats(1, 100))
def test_never_above_the_air_and_the_same_in_saturated_air(temp_air: float, rel_hum: float) -> None:
    assert dew_point([temp_air], [rel_hum])[0] <= temp_air + 1e-9
    assert dew_point([temp_air], [100.0])[0] == pytest.approx(temp_air, abs=1e-9)


def test_dry_and_oversaturated_air_have_a_dew_point() -> None:
    dry, wet = dew_point([5.0, 5.0], [0.0, 104.0])
    assert np.isfinite(dry)
    assert wet == pytest.approx(5.0)


@pytest.mark.parametrize(("elevation", "expected"), [(0.0, 1013.25), (500.0, 954.6), (1000.0, 898.7), (2000.0, 794.9)])
def test_pressures_of_the_standard_atmosphere(elevation: float, expected: float) -> None:
    assert station_pressure([1013.25], [15.0 - 0.0065 * elevation], elevation)[0] == pytest.approx(expected, abs=0.3)


def test_in_cold_air_pressure_falls_faster() -> None:
    cold, warm = station_pressure([1000.0, 1000.0], [-20.0, 20.0], 800.0)
    assert cold < warm < 1000.0
