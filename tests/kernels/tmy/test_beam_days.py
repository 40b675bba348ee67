"""The quick daily beam against the split itself: near it, and the same months chosen."""

import numpy as np
import pytest

from kernels.atmosphere import pressure_at
from kernels.position import apparent
from kernels.sun import sun_table
from kernels.tmy.beam_days import beam_sums, daylight
from kernels.tmy.daily import day_sums, weather_days
from kernels.tmy.finkelstein_schafer import distances, ranked, typical_years, weighted
from tests.kernels.tmy.archives import CALENDAR, OSLO, TROMSO, series, sky
from tests.kernels.years import skartveit

N30 = CALENDAR.until(2020)


@pytest.mark.parametrize(("name", "fewest"), [("oslo", 12), ("tromso", 11)])
def test_months_are_chosen_as_the_split_itself_would(name: str, fewest: int) -> None:
    """In the twilight of a polar month the beam is next to nothing, and two years may be as near."""
    place, archive = {"oslo": OSLO, "tromso": TROMSO}[name], series(name)
    ghi = archive.ghi_reanalysis[:N30]
    sun = sun_table(CALENDAR.unix[:N30] + 1800)
    elevation, _ = apparent(sun, place.lat, place.lon, place.altitude)
    dni, _ = skartveit(ghi, elevation, sun.e0, pressure_at(place.altitude))
    exact = day_sums(dni.astype(np.float32), N30)
    quick = beam_sums(ghi, daylight(sky(), place.lat, place.lon), sky(), N30)
    assert np.abs(quick - exact).mean() < 0.005 * exact.mean()
    assert quick.sum() == pytest.approx(exact.sum(), rel=0.001)

    weather = weather_days(archive.temp_air[:N30], archive.rel_hum[:N30], archive.wind_speed[:N30])
    sums = day_sums(ghi, N30)
    starts = CALENDAR.month_starts[:30] // 24
    monthly = np.add.reduceat(sums, starts.ravel()).reshape(30, 12)
    chosen = []
    for beam in (quick, exact):
        light = np.stack([sums, beam]).astype(np.float32)
        score = weighted(distances(ranked(np.concatenate([weather, light[:, :-1]]), CALENDAR, 30), 0, 30))
        chosen.append(typical_years(score, monthly, 1991))
    assert (chosen[0] == chosen[1]).sum() >= fewest


def test_a_dark_archive_has_no_beam_and_a_bright_one_keeps_its_bound() -> None:
    light = daylight(sky(), OSLO.lat, OSLO.lon)
    dark = np.zeros(N30, np.float32)
    assert (beam_sums(dark, light, sky(), N30) == 0).all()
    bright = np.full(N30, 1400, np.float32)
    assert (beam_sums(bright, light, sky(), N30) <= 24 * 0.9 * 1420).all()


def test_hours_that_are_not_there_are_refused() -> None:
    light = daylight(sky(), OSLO.lat, OSLO.lon)
    with pytest.raises(ValueError, match="have no 48 hours of whole days"):
        beam_sums(np.zeros(24, np.float32), light, sky(), 48)
