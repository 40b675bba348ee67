"""What a station tells, which stations cannot tell, and what is done with a bias."""

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


def truth() -> np.ndarray:
    days = np.random.default_rng(0).uniform(0.2, 1.0, CALENDAR.n_days).repeat(24)
    season = 1.1 - np.cos(2 * np.pi * (HOURS - 300) / 8766)
    return (400 * season * days * np.maximum(np.sin((HOURS % 24 - 6) / 12 * np.pi), 0)).astype(np.float32)


def model() -> np.ndarray:
    """Too bright or too dark by as much in every hour of a month."""
    return (truth() + PLANTED[MONTHS]).astype(np.float32)


def test_the_bias_of_each_month_is_found() -> None:
    got = station_bias(model(), truth(), CALENDAR)
    assert got.reason == ""
    np.testing.assert_allclose(got.bias, PLANTED, atol=1e-3)
    np.testing.assert_array_equal(got.years, 7)


def test_gaps_do_not_count_and_months_without_enough_years_are_not_told() -> None:
    observed = truth()
    observed[MONTHS == 3] = np.nan
    for year in (2010, 2011, 2012):  # a tenth and a bit of June is missing in three of seven years
        start = CALENDAR.month_starts[year - 2010, 5]
        observed[start : start + 80] = np.nan
    start = CALENDAR.month_starts[0, 7]
    observed[start : start + 60] = np.nan  # less than a tenth of August
    got = station_bias(model(), observed, CALENDAR)
    assert np.flatnonzero(np.isnan(got.bias)).tolist() == [3, 5]
    assert got.years[[3, 5, 7]].tolist() == [0, 4, 7]
    told = np.isfinite(got.bias)
    np.testing.assert_allclose(got.bias[told], PLANTED[told], atol=1e-3)


def test_hours_that_the_model_lacks_do_not_count_either() -> None:
    lacking = model()
    lacking[CALENDAR.month_starts[3, 0] :] = np.nan
    got = station_bias(lacking, truth(), CALENDAR)
    assert got.reason == "too few months: at most 3 years of a month have 90% of their hours, 5 are needed"
    assert np.isnan(got.bias).all()


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda x: x * 0 + 80, "it shows the same on every day, 80.0 W/m2"),
        (lambda x: x * 3600, "values are absurd, such as"),
        (lambda x: x * 0.45, "more than 40%"),
        (lambda x: np.roll(x, 24 * 180), r"by a correlation of -?0\.\d\d, 0.9 is needed"),
        (lambda x: x * np.nan, "too few months"),
    ],
)
def test_stations_that_cannot_tell_are_left_out_with_the_reason(spoil, reason: str) -> None:
    got = station_bias(model(), spoil(truth()).astype(np.float32), CALENDAR)
    assert np.isnan(got.bias).all()
    with pytest.raises(AssertionError, match=reason):
        raise AssertionError(got.reason)


def test_a_few_absurd_values_are_missing_ones() -> None:
    observed = truth()
    observed[[5000, 9000]] = [-999, 1e6]
    np.testing.assert_allclose(station_bias(model(), observed, CALENDAR).bias, PLANTED, atol=0.01)


@given(bias=st.floats(-200, 200), mean=st.floats(0, 300))
def test_a_factor_takes_the_bias_away_within_its_bounds(bias: float, mean: float) -> None:
    factor = correction(np.full(12, bias), np.full(12, mean))[0]
    if mean < 5:
        assert factor == 1
    else:
        assert 0.8 <= factor <= 1.25
        if 0.8 < factor < 1.25:
            assert mean * factor == pytest.approx(mean - bias)


def test_below_five_watts_nothing_is_corrected() -> None:
    factor = correction(np.full(12, 0.5), np.where(np.arange(12) < 6, 4.99, 5.0))
    np.testing.assert_allclose(factor, np.repeat([1.0, 0.9], 6))
    np.testing.assert_allclose(correction(np.full(12, 99.0), np.full(12, 100.0)), 0.8)
    np.testing.assert_allclose(correction(np.full(12, -99.0), np.full(12, 100.0)), 1.25)


def test_a_bias_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="0 where it is not known"):
        correction(np.full(12, np.nan), np.ones(12))
