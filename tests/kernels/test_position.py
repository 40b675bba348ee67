"""Where a place sees the sun, against the SPA; and what its horizon hides."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.atmosphere import refraction, refraction_at
from kernels.position import apparent, hidden_by
from kernels.sun import sun_table
from tests.kernels.years import PLACES, year


@pytest.mark.parametrize("place", PLACES)
def test_apparent_position_agrees_with_the_spa_through_the_year(place: tuple[float, float, float]) -> None:
    """Polar night, midnight sun, and every sunrise and sunset are in it."""
    spa = year(*place).spa
    elevation, azimuth = apparent(sun_table(year(*place).middles), *place)
    near = np.abs(spa["elevation"]) < 1
    assert near.sum() > 100
    # The SPA drops refraction to 0 at once where the rim sets: half a degree, on one side or the other.
    edge = np.abs(spa["elevation"] + 0.8333) < 0.02
    assert np.abs(elevation - spa["apparent_elevation"])[~edge].max() < 0.02
    turn = (azimuth - spa["azimuth"] + 180) % 360 - 180
    assert np.abs(turn * np.cos(np.radians(spa["elevation"]))).max() < 0.02


def test_the_places_have_polar_night_and_midnight_sun() -> None:
    by_day = [year(*p).spa["apparent_elevation"].to_numpy().reshape(365, 24) for p in PLACES]
    assert (by_day[-1].max(axis=1) < 0).sum() > 40
    assert (by_day[-1].min(axis=1) > 0).sum() > 60
    assert (by_day[0].max(axis=1) > 0).all()


def test_thin_air_bends_less() -> None:
    sun = sun_table(year(*PLACES[2]).middles[:24])
    low, high = apparent(sun, 61.6, 8.3, 0.0)[0], apparent(sun, 61.6, 8.3, 2000.0)[0]
    assert (high <= low).all()
    assert 0.005 < (low - high).max() < 0.1


def sees(horizon: np.ndarray, elevation: float, azimuth: float) -> bool:
    east, north = np.sin(np.radians(azimuth)), np.cos(np.radians(azimuth))
    return not hidden_by(horizon, elevation, east, north)


@given(azimuth=st.floats(0, 359.999), above=st.floats(-5, 5).filter(lambda x: abs(x) > 1e-6), seed=st.integers(0, 1000))
def test_the_horizon_is_read_at_true_azimuth_and_round_the_north(azimuth: float, above: float, seed: int) -> None:
    horizon = np.random.default_rng(seed).uniform(0, 20, 720)
    here = np.interp(azimuth, np.arange(721) / 2, np.append(horizon, horizon[0]))
    assert sees(horizon, here + above, azimuth) == (above > 0)


def test_a_wall_in_the_east_hides_the_east_only() -> None:
    horizon = np.zeros(720)
    horizon[2 * 80 : 2 * 100] = 30.0
    assert not sees(horizon, 20.0, 90.0)
    assert [sees(horizon, 20.0, a) for a in (0.0, 70.0, 110.0, 180.0, 270.0)] == [True] * 5


def test_refraction_by_sine_and_cosine_is_refraction() -> None:
    """From where the sun's rim is hidden to the zenith, and nothing below."""
    elevation = np.concatenate([np.linspace(-0.833, 5, 500), np.linspace(5, 89.9, 500), [-0.84, -3.0]])
    radians = np.radians(elevation)
    got = [refraction_at(e, np.sin(r), np.cos(r), 95_000.0) for e, r in zip(elevation, radians, strict=True)]
    np.testing.assert_allclose(got, refraction(elevation, 95_000.0), rtol=0, atol=1e-6)
