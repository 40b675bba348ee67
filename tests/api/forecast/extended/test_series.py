"""The hours of the external service: six-hourly against hourly, night, and where they begin and end."""

import json
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from api.forecast.extended.series import ExternalHours, external_hours
from catalog.sources.locationforecast import PointForecast, read
from infra.simulator.locationforecast import HOURLY_H, forecast

PLACES = ((59.91, 10.75), (60.39, 5.32), (63.43, 10.39), (69.65, 18.96), (60.60, 7.50))
TURBIDITY = np.full(12, 3.0)


def answer(place: tuple[float, float], made: datetime, step_h: int = 6) -> PointForecast:
    return read(json.dumps(forecast(*place, made, far_step_h=step_h)).encode(), "http://x", *place)


def hours(place: tuple[float, float], made: datetime, step_h: int = 6, after_h: int = HOURLY_H) -> ExternalHours:
    made_s = int(made.timestamp())
    found = external_hours(answer(place, made, step_h), TURBIDITY, *place, made_s + 3600 * after_h)
    assert found is not None
    return found


def test_six_hourly_steps_give_nearly_the_total_of_hourly_ones() -> None:
    """Cloud that passes within six hours is not seen: a total of a week is within 25 %, of all within 3 %."""
    six, one = [], []
    for place in PLACES:
        for month in range(4, 10):
            made = datetime(2026, month, 3, 12, tzinfo=UTC)
            far, near = hours(place, made), hours(place, made, step_h=1)
            n = min(len(far.ghi), len(near.ghi))
            assert np.array_equal(far.starts[:n], near.starts[:n])
            assert np.abs(far.temp_air[:n] - near.temp_air[:n]).mean() < 1.0
            six.append(far.ghi[:n].sum())
            one.append(near.ghi[:n].sum())
    totals = np.array(six), np.array(one)
    assert totals[0].sum() == pytest.approx(totals[1].sum(), rel=0.03)
    assert np.abs(totals[0] - totals[1]).sum() < 0.07 * totals[1].sum()
    np.testing.assert_allclose(*totals, rtol=0.25)


def test_where_the_service_is_hourly_nothing_is_lost() -> None:
    made = datetime(2026, 6, 1, 2, tzinfo=UTC)
    far, near = hours(PLACES[0], made, after_h=3), hours(PLACES[0], made, step_h=1, after_h=3)
    assert np.array_equal(far.ghi[: HOURLY_H - 4], near.ghi[: HOURLY_H - 4])


@pytest.mark.parametrize("latitude", [70.5, 71.9])
def test_polar_night_is_nothing(latitude: float) -> None:
    found = hours((latitude, 25.0), datetime(2026, 12, 15, 12, tzinfo=UTC))
    assert len(found.ghi) > 160
    assert found.ghi.sum() == 0


def test_midnight_sun_is_something() -> None:
    assert (hours((70.5, 25.0), datetime(2026, 6, 12, 12, tzinfo=UTC)).ghi > 0).all()


def test_only_whole_hours_and_no_gap() -> None:
    place, made = PLACES[0], datetime(2026, 6, 1, 2, tzinfo=UTC)
    told = answer(place, made)
    first, last = int(told.times[0]), int(told.times[-1])

    def found(start: int) -> ExternalHours | None:
        return external_hours(told, TURBIDITY, *place, start)

    whole = found(first)
    assert whole is not None
    assert (whole.starts[0], whole.starts[-1]) == (first, last - 3600)
    assert set(np.diff(whole.starts)) == {3600}
    assert found(first - 3600) is None, "an hour would be missing before the service begins"
    final = found(last - 3600)
    assert final is not None
    assert len(final.ghi) == 1
    assert found(last) is None


def test_higher_is_clearer_and_cloud_is_darker() -> None:
    place, made = PLACES[0], datetime(2026, 6, 1, 2, tzinfo=UTC)
    start = int((made + timedelta(hours=60)).timestamp())

    def total(**changed: object) -> float:
        told = answer(place, made)
        found = external_hours(PointForecast(**{**told.__dict__, **changed}), TURBIDITY, *place, start)  # type: ignore[arg-type]
        assert found is not None
        return float(found.ghi.sum())

    n = len(answer(place, made).times)
    clear, overcast = total(cloud=np.zeros(n)), total(cloud=np.ones(n))
    assert overcast == pytest.approx(0.25 * clear, rel=1e-3)  # Kasten & Czeplak: a quarter of it comes through
    assert total(cloud=np.zeros(n), altitude=1500.0) > 1.03 * clear
