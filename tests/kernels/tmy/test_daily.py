"""Days of UTC+1 against a direct computation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.tmy.daily import INDICES, day_sums, weather_days


def dew_point(temp: np.ndarray, humid: np.ndarray) -> np.ndarray:
    gamma = np.log(humid / 100) + 17.62 * temp / (243.12 + temp)
    return 243.12 * gamma / (17.62 - gamma)


def test_the_ten_numbers_of_days() -> None:
    draw = np.random.default_rng(0)
    n = 24 * 40
    temp, humid, wind = draw.uniform(-40, 35, n), draw.uniform(1, 100, n), draw.uniform(0, 30, n)
    got = weather_days(*(x.astype(np.float32) for x in (temp, humid, wind)))
    dew = dew_point(temp, humid)
    for day in range(40):
        hours = slice(max(24 * day - 1, 0), 24 * day + 23)
        t, d, w = temp[hours], dew[hours], wind[hours]
        expected = [t.max(), t.min(), t.mean(), d.max(), d.min(), d.mean(), w.max(), w.mean()]
        np.testing.assert_allclose(got[:, day], expected, atol=2e-3)
    assert len(INDICES) == len(got) + 2


@given(temp=st.floats(-60, 45), humid=st.floats(1, 100))
def test_dew_points_are_those_of_magnus(temp: float, humid: float) -> None:
    flat = [np.full(24, x, np.float32) for x in (temp, humid, 1.0)]
    assert abs(weather_days(*flat)[5, 0] - dew_point(np.array(temp), np.array(humid))) < 2e-3


def test_no_humidity_at_all_is_taken_as_one_per_cent() -> None:
    flat = [np.full(24, x, np.float32) for x in (10.0, 0.0, 1.0)]
    assert abs(weather_days(*flat)[3, 0] - dew_point(np.array(10.0), np.array(1.0))) < 2e-3


def test_sums_of_days_keep_every_hour_and_what_is_missing_stays_missing() -> None:
    draw = np.random.default_rng(1)
    series = draw.uniform(0, 800, 24 * 30).astype(np.float32)
    sums = day_sums(series, series.size)
    assert sums.size == 31
    assert sums.sum() == pytest.approx(series.sum(dtype=np.float64))
    assert sums[0] == pytest.approx(series[:23].sum(dtype=np.float64))
    assert sums[1] == pytest.approx(series[23:47].sum(dtype=np.float64))
    assert sums[-1] == series[-1]
    series[100] = np.nan
    assert np.flatnonzero(np.isnan(day_sums(series, series.size))).tolist() == [4]


def test_parts_of_days_are_refused() -> None:
    with pytest.raises(ValueError, match="25 hours are no whole number of days"):
        day_sums(np.zeros(30, np.float32), 25)
    with pytest.raises(ValueError, match="a series of 30 hours has no 48"):
        day_sums(np.zeros(30, np.float32), 48)
