"""Where a place sees the sun, against the SPA; and what its horizon hides."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.position import apparent, hidden_by
from kernels.sun import sun_table
from tests.kernels.years import PLACES, year


@pytest.mark.parametrize("place", PLACES)
def test_apparent_position_agrees_with_the_spa_through_the_year(place: tuple[float, float, float]) -> None:
    """Polar night, midnight sun, and every sunrise and sunset are in it."""
    spa = year(*place).spa
    elevation, azimuth = apparent(sun_table(year(*place).middles), *place)
    # The SPA drops refraction to 0 at once where the rim sets: half a degree, on one side or the other.
    edge = np.abs(spa["elevation"] + 0.8333) < 0.02
    assert np.abs(elevation - spa["apparent_elevation"])[~edge].max() < 0.02
    turn = (azimuth - spa["azimuth"] + 180) % 360 - 180
    assert np.abs(turn * np.cos(np.radians(spa["elevation"]))).max() < 0.02


@given(azimuth=st.floats(0, 359.999), above=st.floats(-5, 5).filter(lambda x: abs(x) > 1e-6), seed=st.integers(0, 1000))
def test_horizon_is_read_at_true_azimuth_and_round_the_north(azimuth: float, above: float, seed: int) -> None:
    horizon = np.random.default_rng(seed).uniform(0, 20, 720)
    here = np.interp(azimuth, np.arange(721) / 2, np.append(horizon, horizon[0]))
    east, north = np.sin(np.radians(azimuth)), np.cos(np.radians(azimuth))
    assert hidden_by(horizon, here + above, east, north) == (above < 0)
