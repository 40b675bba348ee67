"""Hourly weather of a service's instants: six-hourly against hourly, night, cloud, and where it begins and ends."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from catalog.sources.locationforecast import PointForecast, read
from infra.simulator.locationforecast import HOURLY_H, forecast
from kernels.point_weather import HourlyWeather, hourly_weather

PLACES = ((59.91, 10.75), (60.39, 5.32), (63.43, 10.39), (69.65, 18.96), (60.60, 7.50))
TURBIDITY = np.full(12, 3.0)


def instants(place: tuple[float, float], made: datetime, step_h: int = 6) -> PointForecast:
    return read(json.dumps(forecast(*place, made, far_step_h=step_h)).encode(), "http://x", *place)


def hours(place: tuple[float, float], of: PointForecast, first: int) -> HourlyWeather:
    return hourly_weather(
        of.times, of.cloud, of.temp_air, of.wind_speed, *place, altitude=of.altitude, turbidity=TURBIDITY, first=first
    )


def far_hours(place: tuple[float, float], made: datetime, step_h: int = 6) -> HourlyWeather:
    return hours(place, instants(place, made, step_h), int(made.timestamp()) + 3600 * HOURLY_H)


def test_six_hourly_steps_give_nearly_the_total_of_hourly_ones() -> None:
    """Cloud that passes within six hours is not seen: a total of a week is within 25 %, of all within 3 %."""
    six, one = [], []
    for place in PLACES:
        for month in range(4, 10):
            made = datetime(2026, month, 3, 12, tzinfo=UTC)
            far, near = far_hours(place, made), far_hours(place, made, step_h=1)
            n = min(len(far.ghi), len(near.ghi))
            assert np.array_equal(far.starts[:n], near.starts[:n])
            assert np.abs(far.temp_air[:n] - near.temp_air[:n]).mean() < 1.0
            six.append(far.ghi[:n].sum())
            one.append(near.ghi[:n].sum())
    totals = np.array(six), np.array(one)
    assert totals[0].sum() == pytest.approx(totals[1].sum(), rel=0.03)
    assert np.abs(totals[0] - totals[1]).sum() < 0.07 * totals[1].sum()
    np.testing.assert_allclose(*totals, rtol=0.25)


@pytest.mark.parametrize("latitude", [70.5, 71.9])
def test_polar_night_is_nothing(latitude: float) -> None:
    found = far_hours((latitude, 25.0), datetime(2026, 12, 15, 12, tzinfo=UTC))
    assert len(found.ghi) > 160
    assert found.ghi.sum() == 0


def test_midnight_sun_is_something() -> None:
    assert (far_hours((70.5, 25.0), datetime(2026, 6, 12, 12, tzinfo=UTC)).ghi > 0).all()


def test_only_whole_hours_and_no_gap() -> None:
    place, given = PLACES[0], instants(PLACES[0], datetime(2026, 6, 1, 2, tzinfo=UTC))
    first, last = int(given.times[0]), int(given.times[-1])
    whole = hours(place, given, first)
    assert (whole.starts[0], whole.starts[-1]) == (first, last - 3600)
    assert set(np.diff(whole.starts)) == {3600}
    with pytest.raises(ValueError, match="beyond the instants"):
        hours(place, given, first - 3600)
    assert [len(hours(place, given, last - 3600 * n).ghi) for n in (1, 0)] == [1, 0]


def test_higher_is_clearer_and_cloud_is_darker() -> None:
    place, made = PLACES[0], datetime(2026, 6, 1, 2, tzinfo=UTC)
    given, start = instants(place, made), int((made + timedelta(hours=60)).timestamp())
    n = len(given.times)
    skies = replace(given, cloud=np.zeros(n)), replace(given, cloud=np.ones(n))
    clear, overcast = (float(hours(place, sky, start).ghi.sum()) for sky in skies)
    assert overcast == pytest.approx(0.25 * clear, rel=1e-3)  # Kasten & Czeplak: a quarter of it comes through
    assert hours(place, replace(skies[0], altitude=1500.0), start).ghi.sum() > 1.03 * clear
