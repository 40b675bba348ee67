"""The sun table against pvlib's SPA."""

import numpy as np
import pandas as pd
import pvlib
import pytest

from kernels import sun

START, END = 631_152_000, 2_556_057_600  # 1990-01-01 and 2050-12-31


@pytest.fixture(scope="module")
def instants() -> pd.DatetimeIndex:
    unix = np.random.default_rng(20).integers(START, END, 1500)
    return pd.to_datetime(np.sort(unix), unit="s", utc=True)


PLACES = [(55.0, 0.0), (55.0, 35.0), (62.0, 11.0), (65.0, 15.0), (70.0, 25.0), (75.0, 0.0), (75.0, 35.0)]


@pytest.mark.parametrize(("lat", "lon"), PLACES)
def test_elevation_agrees_with_spa(instants: pd.DatetimeIndex, lat: float, lon: float) -> None:
    unix = instants.as_unit("s").asi8
    spa = pvlib.solarposition.get_solarposition(instants, lat, lon, method="nrel_numpy", delta_t=None)
    assert np.abs(sun.elevation(lat, lon, unix) - spa["elevation"]).max() < 0.01

    table = sun.sun_table(unix)
    cosine = sun.cos_zenith(sun.vertical([lat], [lon]), table)[:, 0]
    assert np.abs(np.rad2deg(np.arcsin(cosine)) - spa["elevation"]).max() < 0.012


def test_extraterrestrial_irradiance_agrees_with_spa(instants: pd.DatetimeIndex) -> None:
    expected = pvlib.irradiance.get_extra_radiation(instants, method="nrel")
    assert np.abs(sun.sun_table(instants.as_unit("s").asi8).e0 / expected - 1).max() < 2e-4


def test_published_example_of_the_spa_paper() -> None:
    """Reda & Andreas 2004: 2003-10-17 12:30:30 UTC-7, declination -9.31434, at 105.1786 W."""
    unix = int(pd.Timestamp("2003-10-17T19:30:30Z").timestamp())
    x, y, z = sun.sun_table([unix]).direction[0]
    assert np.rad2deg(np.arcsin(z)) == pytest.approx(-9.31434, abs=0.005)
    local = (-np.rad2deg(np.arctan2(y, x)) - 105.1786) % 360
    assert local == pytest.approx(11.105902, abs=0.01)
    # Their 50.11162 is the zenith with 0.01632 degrees of refraction.
    assert 90 - sun.elevation(39.742476, -105.1786, unix)[0] == pytest.approx(50.11162 + 0.01632, abs=0.01)


def test_float32_verticals_are_precise_enough_for_a_grid() -> None:
    rng = np.random.default_rng(3)
    up = sun.vertical(rng.uniform(55, 75, 500), rng.uniform(0, 35, 500))
    table = sun.sun_table(rng.integers(START, END, 200))
    error = sun.cos_zenith(up.astype(np.float32), table) - sun.cos_zenith(up, table)
    assert np.abs(error).max() < 2e-7


def test_places_broadcast_against_instants() -> None:
    lats, lons = np.array([60.0, 70.0]), np.array([10.0, 20.0])
    both = sun.elevation(lats, lons, START)
    assert both.tolist() == [sun.elevation(60.0, 10.0, START)[0], sun.elevation(70.0, 20.0, START)[0]]
