"""The statistic against its definition, and the choice against the rule as written."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ecdf

from kernels.tmy.calendar import MONTH_DAYS, Calendar
from kernels.tmy.finkelstein_schafer import WEIGHTS, distances, ranked, typical_years, weighted

YEARS = Calendar(1991, 2020)


@pytest.mark.parametrize("decimals", [0, 1, 6])
def test_statistic_is_the_mean_distance_of_two_step_functions(decimals: int) -> None:
    """With many equal values, and negative ones and both zeros, too."""
    calendar = Calendar(1999, 2008)
    values = np.random.default_rng(decimals).normal(0, 3, (2, calendar.n_days)).round(decimals).astype(np.float32)
    got = distances(ranked(values, calendar), 2, 7)
    for index, month in np.ndindex(2, 12):
        starts = calendar.month_starts[2:9, month] // 24
        years = values[index][starts[:, None] + np.arange(MONTH_DAYS[month])]
        all_days = ecdf(years.ravel()).cdf
        expected = [np.abs(all_days.evaluate(days) - ecdf(days).cdf.evaluate(days)).mean() for days in years]
        np.testing.assert_allclose(got[index, month], expected, atol=1e-12)


@given(seed=st.integers(0, 2**32 - 1), years=st.integers(1, 30))
@settings(max_examples=50)
def test_of_the_five_nearest_years_the_most_usual_irradiance_wins(seed: int, years: int) -> None:
    """Then the score, as in polar night, then the earliest year."""
    draw = np.random.default_rng(seed)
    scores, ghi = draw.integers(0, 6, (12, years)) / 10, draw.integers(0, 5, (years, 12)).astype(float)
    ghi[:, 11] = 0
    got = typical_years(scores, ghi, 2000)
    away = np.abs(ghi - ghi.mean(axis=0))
    for month in range(12):
        five = sorted(range(years), key=lambda y: (scores[month, y], y))[:5]
        assert got[month] - 2000 == min(five, key=lambda y: (away[y, month], scores[month, y], y))


def test_weights_are_those_of_nrel() -> None:
    np.testing.assert_allclose(WEIGHTS * 20, [1, 1, 2, 1, 1, 2, 1, 1, 5, 5])
    with pytest.raises(ValueError, match="10 indices have a weight, not 9"):
        weighted(np.zeros((9, 12, 3)))


def test_years_that_are_not_there_are_refused() -> None:
    with pytest.raises(ValueError, match="years 17 to 34 are not among 30"):
        distances(ranked(np.zeros((1, YEARS.n_days), np.float32), YEARS), 17, 18)
    with pytest.raises(ValueError, match="are not those of 30 years"):
        ranked(np.zeros((1, 700), np.float32), YEARS)
