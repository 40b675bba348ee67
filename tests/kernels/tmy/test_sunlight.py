"""The sun of a typical year at a place, and irradiance split by it."""

import dataclasses
import functools

import numpy as np
import pandas as pd
import pvlib
import pytest

from kernels import decomposition
from kernels.clearsky import hours_at
from kernels.tmy.calendar import Calendar
from kernels.tmy.sunlight import Sunlight, clear_year, sunlight_at
from kernels.tmy.year_sun import year_sun
from tests.kernels.years import skartveit

YEAR = Calendar(2001, 2001)
PLACES = [(58.0, 7.0, 10.0), (61.6, 8.3, 1500.0), (66.56, 15.0, 300.0), (71.1, 27.8, 0.0)]


@functools.cache
def sunlight(place: tuple[float, float, float]) -> Sunlight:
    return sunlight_at(*place)


def split(ghi: np.ndarray, here: Sunlight) -> tuple[np.ndarray, np.ndarray]:
    return decomposition.skartveit(ghi, (here.sine, here.elevation, here.masses), here.e0, here.pressure)


def spa(unix: np.ndarray, place: tuple[float, float, float]) -> np.ndarray:
    pressure = pvlib.atmosphere.alt2pres(place[2])
    times = pd.to_datetime(unix, unit="s", utc=True)
    return pvlib.solarposition.get_solarposition(
        times, *place[:2], pressure=pressure, temperature=10, delta_t=None, method="nrel_numpy"
    )["apparent_elevation"].to_numpy()


@pytest.mark.parametrize("place", PLACES)
def test_sun_is_that_of_the_middle_or_of_the_sunlit_part(place: tuple[float, float, float]) -> None:
    here = sunlight(place)
    days = (24 * np.arange(0, 365, 9)[:, None] + np.arange(24)).ravel()
    samples = spa((YEAR.unix[days][:, None] + 150 + 300 * np.arange(12)).ravel(), place).reshape(-1, 12)
    up, sines = samples > 0, np.sin(np.radians(samples))
    lit = up.mean(axis=1)
    mean = np.where(up, sines, 0).sum(axis=1) / np.maximum(up.sum(axis=1), 1)
    expected = np.where(lit == 1, np.sin(np.radians(spa(YEAR.unix[days] + 1800, place))), mean)
    sure = (np.abs(samples) > 0.05).all(axis=1)  # a sample on the very horizon may fall either way
    assert 0.8 < sure.mean() < 1, "hours of sunrise are among them"
    np.testing.assert_allclose(here.sine[days][sure], expected[sure], atol=6e-4)
    np.testing.assert_allclose((here.e0 / year_sun().e0)[days][sure], lit[sure], atol=1e-9)


def test_whole_hours_of_day_are_split_as_the_model_says() -> None:
    """Away from sunrise and sunset, whose hours are only part of one."""
    place = PLACES[0]
    here = sunlight(place)
    clear = clear_year(here, 10.0, np.full(12, 3.0)).astype(float)
    ghi = clear * np.random.default_rng(0).uniform(0.1, 1.1, 8760)
    middle = spa(YEAR.unix + 1800, place)
    inside = (middle > 12) & (np.roll(middle, 1) > 12) & (np.roll(middle, -1) > 12)
    expected, _ = skartveit(ghi, middle, year_sun().e0, here.pressure)
    got, _ = split(ghi, here)
    assert inside.sum() > 2000
    assert np.abs(got - expected)[inside].max() < 1.0


def test_hour_with_half_the_sun_has_half_the_beam() -> None:
    """The clearness of an hour of sunrise is that of its sunlit part."""
    here = sunlight(PLACES[0])
    part = here.e0 / year_sun().e0
    assert 600 < ((part > 0) & (part < 1)).sum() < 900
    ghi = here.e0 * here.sine * np.random.default_rng(0).uniform(0.1, 0.8, 8760)
    whole, half = split(ghi, here), split(ghi / 2, dataclasses.replace(here, e0=here.e0 / 2))
    np.testing.assert_allclose(half, np.stack(whole) / 2, rtol=1e-9, atol=1e-9)
    assert (whole[0][(part > 0) & (part < 1)] > 0).any()


@pytest.mark.parametrize("place", PLACES)
def test_clear_year_is_near_the_clear_sky_of_hours(place: tuple[float, float, float]) -> None:
    expected = hours_at(*place, 3.0, YEAR.unix)
    got = clear_year(sunlight(place), place[2], np.full(12, 3.0))
    assert np.abs(got - expected).max() < 10
    assert got.sum() == pytest.approx(expected.sum(), rel=0.003)
    with pytest.raises(ValueError, match="twelve months"):
        clear_year(sunlight(place), 0.0, np.ones(3))
