"""Days of UTC+1 against a direct computation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.tmy.daily import INDICES, day_sums, weather_days


def dew_point(temp: np.ndarray, humid: np.ndarray) -> np.ndarray:
    """Magnus; no humidity at all is taken as 1 %."""
    gamma = np.log(np.maximum(humid, 1.0) / 100) + 17.62 * temp / (243.12 + temp)
    return 243.12 * gamma / (17.62 - gamma)


@given(seed=st.integers(0, 2**32 - 1))
def test_days_have_eight_numbers_of_weather(seed: int) -> None:
    draw, n = np.random.default_rng(seed), 24 * 10
    temp, humid, wind = draw.uniform(-60, 45, n), draw.uniform(0, 100, n), draw.uniform(0, 30, n)
    got = weather_days(*(x.astype(np.float32) for x in (temp, humid, wind)))
    assert len(INDICES) == len(got) + 2
    dew = dew_point(temp, humid)
    for day in range(10):
        t, d, w = (x[max(24 * day - 1, 0) : 24 * day + 23] for x in (temp, dew, wind))
        expected = [t.max(), t.min(), t.mean(), d.max(), d.min(), d.mean(), w.max(), w.mean()]
        np.testing.assert_allclose(got[:, day], expected, atol=2e-3)


def test_sums_of_days_keep_every_hour_and_what_is_missing_stays_missing() -> None:
    series = np.random.default_rng(1).uniform(0, 800, 24 * 30).astype(np.float32)
    sums = day_sums(series, series.size)
    expected = np.add.reduceat(series.astype(float), np.append(0, np.arange(23, 720, 24)))
    np.testing.assert_allclose(sums, expected, rtol=1e-6)
    series[100] = np.nan
    assert np.flatnonzero(np.isnan(day_sums(series, series.size))).tolist() == [4]


@pytest.mark.parametrize(
    ("n", "sentence"),
    [(25, "25 hours are no whole number of days"), (48, "a series of 30 hours has no 48")],
)
def test_parts_of_days_are_refused(n: int, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        day_sums(np.zeros(30, np.float32), n)
