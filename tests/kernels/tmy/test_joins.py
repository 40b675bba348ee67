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
AROUND = np.arange(-REACH, REACH)
SHARE = (np.arange(12) + 0.5) / 12


def years_of(months: dict[int, int]) -> np.ndarray:
    """1995 but for some months, January being 0."""
    return np.array([months.get(month, 1995) for month in range(12)])


@given(years=YEARS, seed=st.integers(0, 1000))
@settings(max_examples=50)
def test_months_fade_into_each_other_at_joins_and_stay_between_them(years: np.ndarray, seed: int) -> None:
    """December fades into the January that follows it in the archive, and so on to 29 February."""
    series = np.random.default_rng(seed).normal(50, 20, ARCHIVE.n_hours).astype(np.float32)
    got, plain = joined(series, ARCHIVE, years), series[ARCHIVE.hours_of(years)]
    hours = (JOINS[:, None] + AROUND) % 8760
    np.testing.assert_array_equal(np.delete(got, hours), np.delete(plain, hours))
    starts = ARCHIVE.starts_of(years)
    for month, b in enumerate(starts):
        a = starts[month - 1] + 24 * MONTH_DAYS[month - 1]
        if a + REACH <= series.size and b >= REACH:
            expected = (1 - SHARE) * series[a + AROUND] + SHARE * series[b + AROUND]
            np.testing.assert_allclose(got[hours[month]], expected, rtol=1e-6, atol=1e-4)


@pytest.mark.parametrize(("december", "january"), [(2000, 1995), (1995, 1991), (2000, 1991)])
def test_smooth_curve_leads_across_the_end_of_the_archive(december: int, january: int) -> None:
    series = (10 + 5 * np.sin(np.arange(ARCHIVE.n_hours) / 40)).astype(np.float32)
    years = years_of({0: january, 11: december})
    got, plain = joined(series, ARCHIVE, years), series[ARCHIVE.hours_of(years)]
    jump = abs(float(plain[0]) - float(plain[-1]))
    assert np.abs(np.diff(np.roll(got, 20)[:40])).max() < 0.25 * jump + 0.4
    np.testing.assert_array_equal(got[[6, -7]], plain[[6, -7]])


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_humidity_stays_humidity_where_the_archive_ends(seed: int) -> None:
    series = np.random.default_rng(seed).choice(np.float32([0, 100]), ARCHIVE.n_hours)
    for values in (series, series + np.float32(2)):
        got = joined(values, ARCHIVE, years_of({0: 1991, 11: 2000}), 0.0, 100.0)
        assert ((got >= 0) & (got <= 100)).all()


def test_series_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="is not that of 87672 hours"):
        joined(np.zeros(8760, np.float32), ARCHIVE, np.full(12, 1995))
