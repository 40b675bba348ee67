"""The mean day of each month: its sums are those of the plane's months, and each hour lies where it belongs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.pv.light import light_of
from kernels.pv.mean_days import mean_days
from kernels.pv.plant import System, produced
from kernels.pv.site import site_of
from kernels.tmy.calendar import MONTH_DAYS
from tests.kernels.pv.years import HILLS, HORIZONS, HOURS, PLACES, made_up, only, site


@pytest.mark.parametrize("horizon", HORIZONS)
@pytest.mark.parametrize("name", ["rainy west", "Finnmark"])
def test_sums_are_the_months_of_the_plane(name: str, horizon: str) -> None:
    where = site(name, horizon)
    light = light_of(where, 0.93)
    for tilt, azimuth, shaded in ((0.0, 180.0, True), (35.0, 170.0, False), (60.0, 20.0, True), (90.0, 275.0, True)):
        got = mean_days(where, light, tilt, azimuth, shaded=shaded)
        poa = produced(where, light, [(tilt, azimuth, 1)], System(), shaded=shaded).poa[0]
        np.testing.assert_allclose(got.sum(axis=1) * MONTH_DAYS / 1000, poa, rtol=1e-9, atol=1e-12)


@given(hour=st.integers(0, 23), tilt=st.floats(0, 90), azimuth=st.floats(0, 360))
@settings(max_examples=20)
def test_hour_of_light_is_that_hour_of_the_day(hour: int, tilt: float, azimuth: float) -> None:
    hours, place = made_up("polar circle"), PLACES["polar circle"][:3]
    whole, alone = site("polar circle", "hills"), site_of(only(hours, np.arange(HOURS) % 24 == hour), *place, HILLS)
    got = mean_days(alone, light_of(alone), tilt, azimuth)
    expected = mean_days(whole, light_of(whole), tilt, azimuth)
    np.testing.assert_allclose(got[:, hour], expected[:, hour], rtol=1e-12)
    assert not np.delete(got, hour, axis=1).any()


@pytest.mark.parametrize("name", ["south coast", "Finnmark"])
def test_azimuths_are_from_true_north_and_hours_utc(name: str) -> None:
    """Planes to the east have their light before the sun's noon, to the west as long after it; the south has most."""
    where = site(name)
    light = light_of(where)
    east, south, west, north = (mean_days(where, light, 60.0, azimuth) for azimuth in (90.0, 180.0, 270.0, 0.0))
    centre = [(day.sum(axis=0) * (np.arange(24) + 0.5)).sum() / day.sum() for day in (east, south, west)]
    noon = 12.0 - PLACES[name].lon / 15.0
    assert abs(centre[1] - noon) < 0.4
    assert centre[0] < noon - 1.5
    assert centre[2] > noon + 1.5
    assert south.sum() > max(east.sum(), west.sum()) > north.sum()


def test_a_day_has_light_where_one_of_its_hours_has() -> None:
    where, days = site("Finnmark"), np.arange("2001-01-01", "2002-01-01", dtype="datetime64[D]").tolist()
    assert [where.has_light(day.month, day.day) for day in days] == np.isin(range(365), where.hours // 24).tolist()
    assert 0 < sum(where.has_light(day.month, day.day) for day in days) < 365
    assert where.has_light(2, 29) == where.has_light(2, 28)
