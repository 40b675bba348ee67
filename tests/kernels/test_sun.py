"""The sun table against pvlib's SPA."""

import numpy as np
import pandas as pd
import pvlib
import pytest

from kernels import sun

START, END = 631_152_000, 2_556_057_600  # 1990-01-01 and 2050-12-31
UNIX = np.sort(np.random.default_rng(20).integers(START, END, 1500))
INSTANTS = pd.to_datetime(UNIX, unit="s", utc=True)


@pytest.mark.parametrize("place", [(55.0, 0.0), (62.0, 11.0), (70.0, 25.0), (75.0, 35.0)])
def test_elevation_agrees_with_spa(place: tuple[float, float]) -> None:
    spa = pvlib.solarposition.get_solarposition(INSTANTS, *place, method="nrel_numpy", delta_t=None)["elevation"]
    np.testing.assert_allclose(sun.elevation(*place, UNIX), spa, rtol=0, atol=0.01)
    # float32 verticals are precise enough for a grid
    cosine = sun.cos_zenith(sun.vertical([place[0]], [place[1]]).astype(np.float32), sun.sun_table(UNIX))[:, 0]
    np.testing.assert_allclose(np.rad2deg(np.arcsin(cosine)), spa, rtol=0, atol=0.012)


def test_extraterrestrial_irradiance_agrees_with_spa() -> None:
    expected = pvlib.irradiance.get_extra_radiation(INSTANTS, method="nrel")
    np.testing.assert_allclose(sun.sun_table(UNIX).e0, expected, rtol=2e-4)


def test_published_example_of_the_spa_paper() -> None:
    """Reda & Andreas 2004: 2003-10-17 12:30:30 UTC-7, declination -9.31434, at 105.1786 W."""
    unix = int(pd.Timestamp("2003-10-17T19:30:30Z").timestamp())
    x, y, z = sun.sun_table([unix]).direction[0]
    assert np.rad2deg(np.arcsin(z)) == pytest.approx(-9.31434, abs=0.005)
    local = (-np.rad2deg(np.arctan2(y, x)) - 105.1786) % 360
    assert local == pytest.approx(11.105902, abs=0.01)
    # Their 50.11162 is the zenith with 0.01632 degrees of refraction.
    assert 90 - sun.elevation(39.742476, -105.1786, unix)[0] == pytest.approx(50.11162 + 0.01632, abs=0.01)


def test_places_broadcast_against_instants() -> None:
    both = sun.elevation(np.array([60.0, 70.0]), np.array([10.0, 20.0]), START)
    assert both.tolist() == [sun.elevation(60.0, 10.0, START)[0], sun.elevation(70.0, 20.0, START)[0]]
