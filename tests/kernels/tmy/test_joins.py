"""Months joined: what goes on as it is, what fades, and where the archive ends."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.tmy.calendar import MONTH_DAYS, Calendar
from kernels.tmy.joins import REACH, joined

ARCHIVE = Calendar(1991, 2000)
JOINS = 24 * np.concatenate([[0], np.cumsum(MONTH_DAYS)[:-1]])
YEARS = st.lists(st.integers(1991, 2000), min_size=12, max_size=12).map(np.array)


def noise(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(50, 20, ARCHIVE.n_hours).astype(np.float32)


def by_a_join() -> np.ndarray:
    hours = np.zeros(8760, bool)
    for join in JOINS:
        hours[(join + np.arange(-REACH, REACH)) % 8760] = True
    return hours


@given(years=YEARS, seed=st.integers(0, 1000))
@settings(max_examples=50)
def test_between_joins_nothing_changes_and_at_joins_both_years_bound_it(years: np.ndarray, seed: int) -> None:
    series = noise(seed)
    got, plain = joined(series, ARCHIVE, years), series[ARCHIVE.hours_of(years)]
    np.testing.assert_array_equal(got[~by_a_join()], plain[~by_a_join()])
    starts = ARCHIVE.starts_of(years)
    for month in range(12):
        a, b = starts[month - 1] + 24 * MONTH_DAYS[month - 1], starts[month]
        if a + REACH <= series.size and b >= REACH:
            fade = joined(series, ARCHIVE, years)[(JOINS[month] + np.arange(-REACH, REACH)) % 8760]
            sides = np.stack([series[a - REACH : a + REACH], series[b - REACH : b + REACH]])
            assert (fade >= sides.min(axis=0) - 1e-4).all()
            assert (fade <= sides.max(axis=0) + 1e-4).all()
            share = (np.arange(12) + 0.5) / 12
            np.testing.assert_allclose(fade, (1 - share) * sides[0] + share * sides[1], rtol=1e-6, atol=1e-4)


def test_months_of_one_year_are_left_as_they_are() -> None:
    series, years = noise(), np.full(12, 1995)
    got, plain = joined(series, ARCHIVE, years), series[ARCHIVE.hours_of(years)]
    np.testing.assert_array_equal(got[REACH:-REACH], plain[REACH:-REACH])
    assert not np.array_equal(got[:REACH], plain[:REACH]), "December goes on into the next year, not into January"


def test_a_leap_year_goes_on_into_29_february() -> None:
    series = np.zeros(ARCHIVE.n_hours, np.float32)
    leap = ARCHIVE.month_starts[1, 2] - 24
    series[leap : leap + 24] = 100
    years = np.full(12, 1995)
    years[1] = 1992
    got = joined(series, ARCHIVE, years)
    march = JOINS[2]
    np.testing.assert_allclose(got[march : march + 6], 100 * (1 - (np.arange(6, 12) + 0.5) / 12))
    assert (got[march - 6 : march] == 0).all()
    years[1], years[2] = 1995, 1992
    got = joined(series, ARCHIVE, years)
    np.testing.assert_allclose(got[march - 6 : march], 100 * (np.arange(6) + 0.5) / 12)


@pytest.mark.parametrize(("december", "january"), [(2000, 1995), (1995, 1991), (2000, 1991)])
def test_where_the_archive_ends_a_smooth_curve_leads_across(december: int, january: int) -> None:
    hours = np.arange(ARCHIVE.n_hours)
    series = (10 + 5 * np.sin(hours / 40)).astype(np.float32)
    years = np.full(12, 1995)
    years[0], years[11] = january, december
    got, plain = joined(series, ARCHIVE, years), series[ARCHIVE.hours_of(years)]
    around = np.roll(got, 20)[:40]
    jump = abs(float(plain[0]) - float(plain[-1]))
    assert np.abs(np.diff(around)).max() < 0.25 * jump + 0.4
    np.testing.assert_array_equal(got[[6, -7]], plain[[6, -7]])


def test_a_straight_line_stays_one_across_the_end_of_the_archive() -> None:
    series = np.zeros(ARCHIVE.n_hours, np.float32)
    series[-24:] = np.arange(24)
    series[:24] = np.arange(24, 48)
    years = np.full(12, 1995)
    years[0], years[11] = 1991, 2000
    got = np.roll(joined(series, ARCHIVE, years), 24)[:48]
    np.testing.assert_allclose(got, np.arange(48), atol=1e-5)


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_humidity_stays_humidity_where_the_archive_ends(seed: int) -> None:
    series = np.random.default_rng(seed).choice([0, 100], ARCHIVE.n_hours).astype(np.float32)
    years = np.full(12, 1995)
    years[0], years[11] = 1991, 2000
    got = joined(series, ARCHIVE, years, 0.0, 100.0)
    assert ((got >= 0) & (got <= 100)).all()
    assert (joined(series + np.float32(2), ARCHIVE, years, 0.0, 100.0) <= 100).all()


def test_a_series_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="is not that of 87672 hours"):
        joined(np.zeros(8760, np.float32), ARCHIVE, np.full(12, 1995))
