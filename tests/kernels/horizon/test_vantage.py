"""A known horizon from another height: against the geometry of one hill, and its laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.horizon.earth import sea_dip
from kernels.horizon.vantage import seen_from

HEIGHTS = st.floats(0, 2500)


@given(st.floats(-5, 60), st.floats(500, 100_000), HEIGHTS)
def test_from_its_own_height_a_horizon_is_what_it_is(elevation: float, distance: float, eye: float) -> None:
    same = seen_from(np.array([elevation]), np.array([distance]), eye, eye)
    assert same.elevation[0] == pytest.approx(max(elevation, float(sea_dip(eye))), abs=1e-9)
    assert same.sunk[0] == pytest.approx(elevation - same.elevation[0], abs=1e-9)


@given(st.floats(0, 200), st.floats(-50, 50), st.floats(500, 50_000))
def test_a_hill_is_seen_by_the_height_between(top: float, higher: float, distance: float) -> None:
    eye = 100.0
    of_hill = np.degrees(np.arctan((top - eye) / distance))
    seen = seen_from(np.array([of_hill]), np.array([distance]), eye, eye + higher)
    expected = np.degrees(np.arctan((top - eye - higher) / distance))
    assert seen.elevation[0] == pytest.approx(max(expected, float(sea_dip(eye + higher))), abs=1e-9)
    assert (expected < sea_dip(eye + higher)) == np.isnan(seen.distance[0])


@given(HEIGHTS, HEIGHTS)
def test_the_open_sea_dips_by_the_height_and_land_of_no_known_distance_stays(eye: float, other: float) -> None:
    seen = seen_from(np.array([float(sea_dip(eye)), 6.0]), np.full(2, np.nan), eye, other)
    assert seen.elevation == pytest.approx([float(sea_dip(other)), 6.0])
    assert np.isnan(seen.distance).all()
    assert (seen.sunk == 0).all()
