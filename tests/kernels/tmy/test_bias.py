"""The bias a station finds, which stations find none, and the factor made of it."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.tmy.bias import correction, station_bias
from kernels.tmy.calendar import Calendar

CALENDAR = Calendar(2010, 2016)
HOURS = np.arange(CALENDAR.n_hours)
MONTHS = CALENDAR.day_months[:-1].repeat(24)
PLANTED = np.linspace(-20, 20, 12)
DAYS = np.random.default_rng(0).uniform(0.2, 1.0, CALENDAR.n_days).repeat(24)
SEASON = 1.1 - np.cos(2 * np.pi * (HOURS - 300) / 8766)
TRUTH = (400 * SEASON * DAYS * np.maximum(np.sin((HOURS % 24 - 6) / 12 * np.pi), 0)).astype(np.float32)
MODEL = (TRUTH + PLANTED[MONTHS]).astype(np.float32)
"""Too bright or too dark by as much in every hour of a month."""


def test_bias_of_each_month_is_found() -> None:
    """A few absurd values are missing ones."""
    observed = TRUTH.copy()
    observed[[5000, 9000]] = [-999, 1e6]
    got = station_bias(MODEL, observed, CALENDAR)
    assert got.reason == ""
    np.testing.assert_allclose(got.bias, PLANTED, atol=0.01)
    np.testing.assert_array_equal(got.years, 7)


def test_gaps_do_not_count_and_months_without_enough_years_have_no_bias() -> None:
    observed = TRUTH.copy()
    observed[MONTHS == 3] = np.nan
    for year in (0, 1, 2):  # a tenth and a bit of June is missing in three of seven years
        observed[CALENDAR.month_starts[year, 5] :][:80] = np.nan
    observed[CALENDAR.month_starts[0, 7] :][:60] = np.nan  # less than a tenth of August
    got = station_bias(MODEL, observed, CALENDAR)
    expected = PLANTED.copy()
    expected[[3, 5]] = np.nan
    np.testing.assert_allclose(got.bias, expected, atol=1e-3)
    assert got.years[[3, 5, 7]].tolist() == [0, 4, 7]


def test_hours_that_the_model_lacks_do_not_count_either() -> None:
    lacking = MODEL.copy()
    lacking[CALENDAR.month_starts[3, 0] :] = np.nan
    got = station_bias(lacking, TRUTH, CALENDAR)
    assert got.reason == "too few months: at most 3 years of a month have 90% of their hours, 5 are needed"
    assert np.isnan(got.bias).all()


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda x: x * 0 + 80, "it shows the same on every day, 80.0 W/m2"),
        (lambda x: x * 3600, "values are absurd, such as"),
        (lambda x: x * 0.45, "more than 40%"),
        (lambda x: np.roll(x, 24 * 180), "by a correlation of "),
        (lambda x: x * np.nan, "too few months"),
    ],
)
def test_stations_that_cannot_tell_are_left_out_with_the_reason(spoil: Callable, reason: str) -> None:
    got = station_bias(MODEL, spoil(TRUTH).astype(np.float32), CALENDAR)
    assert np.isnan(got.bias).all()
    assert reason in got.reason


@given(bias=st.floats(-200, 200), mean=st.floats(0, 300))
def test_factor_takes_the_bias_away_within_its_bounds(bias: float, mean: float) -> None:
    """Below 5 W/m2 nothing is corrected."""
    factor = correction(np.full(12, bias), np.full(12, mean))[0]
    wanted = 1 - bias / mean if mean >= 5 else 1.0
    assert factor == pytest.approx(min(max(wanted, 0.8), 1.25))


def test_bias_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="0 where it is not known"):
        correction(np.full(12, np.nan), np.ones(12))
