"""Weighing by the day: sums kept, hours bounded, and what stands in for what is missing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.tmy.calendar import Calendar
from kernels.tmy.daily import day_sums
from kernels.tmy.ensemble import HIGHEST_KC, LENIENCE, LOWEST_CLEAR_SKY, monthly_means, spread

YEAR = Calendar(2001, 2001)
HOURS = np.arange(8760)
CLEAR = np.maximum(700 * np.sin((HOURS % 24 - 5) / 24 * 2 * np.pi), 0).astype(np.float32)


def clouds(seed: int, low: float = 0.1, high: float = 1.1) -> np.ndarray:
    draw = np.random.default_rng(seed)
    return (CLEAR * draw.uniform(low, high, 365).repeat(24) * draw.uniform(0.8, 1.0, 8760)).astype(np.float32)


def ensemble(r: np.ndarray, s: np.ndarray, factor: float | np.ndarray = 1.0) -> tuple[np.ndarray, float]:
    return spread(r, s, np.broadcast_to(factor, 12).astype(float), CLEAR, YEAR, 2001)


def hours_of(day: int) -> slice:
    return slice(24 * day - 1, 24 * day + 23)


@given(seed=st.integers(0, 2**31), high=st.floats(0.3, 2.5))
@settings(max_examples=40)
def test_sum_of_a_day_is_the_weighed_one_wherever_there_is_room(seed: int, high: float) -> None:
    r, s = clouds(seed), clouds(seed + 1, 0.05, high)
    got, dropped = ensemble(r, s)
    expected, sums = 0.4 * day_sums(r, 8760) + 0.6 * day_sums(s, 8760), day_sums(got, 8760)
    room = np.where(CLEAR >= LOWEST_CLEAR_SKY, CLEAR, np.minimum(CLEAR + LENIENCE, LOWEST_CLEAR_SKY))
    assert (got <= HIGHEST_KC * room * 1.000001).all()
    assert (got >= 0).all()
    full = np.isclose(sums, day_sums((HIGHEST_KC * CLEAR).astype(np.float32), 8760), rtol=0.02)
    np.testing.assert_allclose(sums[~full], expected[~full], rtol=1e-5, atol=1e-3)
    assert dropped == pytest.approx(expected.sum() - sums.sum(), rel=1e-3, abs=0.05)


def test_hours_have_the_shape_of_the_solar_model() -> None:
    r, s = clouds(1, 0.5, 0.6), clouds(2, 0.3, 0.9)
    got, _ = ensemble(r, s)
    for hours in (hours_of(10), hours_of(200)):
        expected = s[hours] * (0.4 * r[hours].sum() / s[hours].sum() + 0.6)
        np.testing.assert_allclose(got[hours], expected, rtol=1e-5)


def test_days_that_the_solar_model_lacks_are_those_of_the_reanalysis() -> None:
    """Or the whole year; two equal series are what they are."""
    r, s = clouds(1), clouds(2)
    s[24 * 50 + 5] = np.nan
    s[hours_of(80)] = 0
    got, _ = ensemble(r, s)
    for hours in (hours_of(50), hours_of(80)):
        np.testing.assert_allclose(got[hours], r[hours], rtol=1e-6)
    assert np.isfinite(got).all()
    for other in (r, np.full(8760, np.nan, np.float32)):
        same, dropped = ensemble(r, other)
        np.testing.assert_allclose(same, r, rtol=1e-6)
        assert dropped == 0


def test_satellite_that_sees_the_dimmest_hour_alone_does_not_get_the_whole_day() -> None:
    """At midwinter: the day's light would be seventy times what that hour can have."""
    r, s = (0.5 * CLEAR).astype(np.float32), np.zeros(8760, np.float32)
    lit = hours_of(355).start + np.flatnonzero(CLEAR[hours_of(355)] > 0)
    dimmest = lit[np.argmin(CLEAR[lit])]
    s[dimmest] = 1.0
    got, _ = ensemble(r, s)
    assert got[dimmest] <= HIGHEST_KC * (CLEAR[dimmest] + LENIENCE)
    assert got[lit].sum() == pytest.approx(0.4 * r[lit].sum() + 0.6, rel=0.01), "the others have it"


def test_each_month_has_its_factor() -> None:
    r, s, factor = clouds(5, 0.2, 0.5), clouds(6, 0.2, 0.5), np.linspace(0.8, 1.25, 12)
    (plain, _), (got, dropped) = ensemble(r, s), ensemble(r, s, factor)
    before, after = (monthly_means(day_sums(x, 8760), YEAR, 2001) for x in (plain, got))
    np.testing.assert_allclose(after, before * factor, rtol=1e-5)
    assert dropped == 0


def test_monthly_means_are_those_of_the_months() -> None:
    leap = Calendar(2003, 2004)
    series = np.random.default_rng(0).uniform(0, 800, leap.n_hours).astype(np.float32)
    got = monthly_means(day_sums(series, leap.n_hours), leap, 2004)
    hours = np.concatenate([leap.hours_of(np.full(12, y)) for y in (2003, 2004)])
    months = leap.day_months[hours // 24]
    expected = np.bincount(months, series[hours]) / np.bincount(months)
    np.testing.assert_allclose(got, expected, rtol=0.01)  # an hour apart at both ends
