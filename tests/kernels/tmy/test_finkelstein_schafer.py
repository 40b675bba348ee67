"""The statistic against its definition, and what it must never do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ecdf

from kernels.tmy.calendar import MONTH_DAYS, Calendar
from kernels.tmy.finkelstein_schafer import WEIGHTS, distances, ranked, typical_years, weighted

YEARS = Calendar(1991, 2020)


def month_of(values: np.ndarray, calendar: Calendar, month: int) -> np.ndarray:
    """Days of one month, (years, days)."""
    starts = calendar.month_starts[:, month] // 24
    return values[starts[:, None] + np.arange(MONTH_DAYS[month])]


@pytest.mark.parametrize("decimals", [0, 1, 6])
def test_it_is_the_mean_distance_of_two_step_functions(decimals: int) -> None:
    """With many equal values, and negative ones, too."""
    calendar = Calendar(1999, 2008)
    draw = np.random.default_rng(decimals)
    values = np.round(draw.normal(0, 3, (2, calendar.n_days)), decimals).astype(np.float32)
    got = distances(ranked(values, calendar), 2, 7)
    for index in range(2):
        for month in (0, 1, 6, 11):
            days = month_of(values[index], calendar, month)[2:9]
            everything = ecdf(days.ravel()).cdf
            for year in range(7):
                expected = np.abs(everything.evaluate(days[year]) - ecdf(days[year]).cdf.evaluate(days[year])).mean()
                assert got[index, month, year] == pytest.approx(expected, abs=1e-12)


def test_thirty_identical_years_are_all_typical() -> None:
    draw = np.random.default_rng(3)
    one = draw.normal(0, 5, (10, 365)).astype(np.float32)
    days = np.zeros((10, YEARS.n_days), np.float32)
    for starts in YEARS.month_starts // 24:
        at = 0
        for month, n in enumerate(MONTH_DAYS):
            days[:, starts[month] : starts[month] + n] = one[:, at : at + n]
            at += n
    score = weighted(distances(ranked(days, YEARS), 0, 30))
    assert (score == 0).all(), "exactly, and whatever lies on 29 February"
    np.testing.assert_array_equal(typical_years(score, np.ones((30, 12)), 1991), 1991)


@given(year=st.integers(0, 29), month=st.integers(0, 11), shift=st.sampled_from([-40.0, -15.0, 15.0, 40.0]))
@settings(max_examples=25)
def test_a_month_with_one_shifted_year_never_picks_it(year: int, month: int, shift: float) -> None:
    """Not even where its irradiance is the most usual."""
    draw = np.random.default_rng(year)
    days = draw.normal(0, 5, (10, YEARS.n_days)).astype(np.float32)
    start = YEARS.month_starts[year, month] // 24
    days[:, start : start + MONTH_DAYS[month]] += shift
    score = weighted(distances(ranked(days, YEARS), 0, 30))
    assert score[month].argmax() == year
    ghi = np.full((30, 12), 50.0) + draw.normal(0, 5, (30, 12))
    ghi[year] = ghi.mean(axis=0)
    assert typical_years(score, ghi, 1991)[month] != 1991 + year


@given(seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([0.5, 2.0, 1024.0]))
@settings(max_examples=25)
def test_only_the_order_of_days_matters(seed: int, scale: float) -> None:
    calendar = Calendar(2001, 2004)
    days = np.random.default_rng(seed).normal(0, 5, (1, calendar.n_days)).astype(np.float32)
    one, other = (distances(ranked(x, calendar), 0, 4) for x in (days, days * np.float32(scale)))
    np.testing.assert_array_equal(one, other)
    assert ((one >= 0) & (one <= 1)).all()


def test_minus_zero_is_zero() -> None:
    calendar = Calendar(2001, 2003)
    days = np.zeros((1, calendar.n_days), np.float32)
    days[0, :400] = -0.0
    assert (distances(ranked(days, calendar), 0, 3) == 0).all()


def test_the_weights_are_those_of_nrel() -> None:
    assert WEIGHTS.sum() == pytest.approx(1)
    np.testing.assert_allclose(WEIGHTS * 20, [1, 1, 2, 1, 1, 2, 1, 1, 5, 5])
    with pytest.raises(ValueError, match="10 indices have a weight, not 9"):
        weighted(np.zeros((9, 12, 3)))


def test_years_that_are_not_there_are_refused() -> None:
    days = ranked(np.zeros((1, YEARS.n_days), np.float32), YEARS)
    with pytest.raises(ValueError, match="years 17 to 34 are not among 30"):
        distances(days, 17, 18)
    with pytest.raises(ValueError, match="are not those of 30 years"):
        ranked(np.zeros((1, 700), np.float32), YEARS)
