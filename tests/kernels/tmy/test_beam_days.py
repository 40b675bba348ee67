"""The quick daily beam against the split itself: the same sums, and the same months chosen."""

from dataclasses import replace

import numpy as np
import pytest

from kernels.atmosphere import pressure_at
from kernels.position import apparent
from kernels.sun import sun_table
from kernels.tmy.beam_days import beam_sums, daylight
from kernels.tmy.cell import Place
from kernels.tmy.daily import day_sums, weather_days
from kernels.tmy.finkelstein_schafer import distances, ranked, typical_years, weighted
from tests.kernels.tmy.archives import CALENDAR, OSLO, TROMSO, series, sky
from tests.kernels.years import skartveit

N30 = CALENDAR.until(2020)
STARTS = CALENDAR.month_starts[:30] // 24


def quick(ghi: np.ndarray, place: Place, n: int = N30) -> np.ndarray:
    return beam_sums(ghi, daylight(sky(), place.lat, place.lon, place.altitude), sky(), n)


def monthly(days: np.ndarray) -> np.ndarray:
    return np.add.reduceat(days.astype(float), STARTS.ravel()).reshape(STARTS.shape)


@pytest.mark.parametrize(
    ("name", "place"),
    [("oslo", OSLO), ("tromso", replace(TROMSO, altitude=1500))],
)
def test_beam_is_that_of_the_split_also_in_low_sun_and_on_mountains(name: str, place: Place) -> None:
    archive, sun = series(name), sun_table(CALENDAR.unix[:N30] + 1800)
    ghi = archive.ghi_reanalysis[:N30]
    elevation, _ = apparent(sun, place.lat, place.lon, place.altitude)
    exact = day_sums(skartveit(ghi, elevation, sun.e0, pressure_at(place.altitude))[0].astype(np.float32), N30)
    got = quick(ghi, place)
    assert np.abs(got - exact).mean() < 0.001 * exact.mean()
    np.testing.assert_allclose(monthly(got).mean(axis=0), monthly(exact).mean(axis=0), rtol=0.005, atol=1)

    weather = weather_days(archive.temp_air[:N30], archive.rel_hum[:N30], archive.wind_speed[:N30])
    sums = day_sums(ghi, N30)
    chosen = []
    for beam in (got, exact):
        rows = np.concatenate([weather, np.stack([sums, beam])[:, :-1]]).astype(np.float32)
        score = weighted(distances(ranked(rows, CALENDAR, 30), 0, 30))
        chosen.append(typical_years(score, monthly(sums), 1991))
    np.testing.assert_array_equal(*chosen)


def test_a_dark_archive_has_no_beam_and_a_bright_one_keeps_its_bound() -> None:
    assert not quick(np.zeros(N30, np.float32), OSLO).any()
    assert (quick(np.full(N30, 1400, np.float32), OSLO) <= 24 * 0.9 * 1420).all()


def test_hours_that_are_not_there_are_refused() -> None:
    with pytest.raises(ValueError, match="have no 48 hours of whole days"):
        quick(np.zeros(24, np.float32), OSLO, 48)
