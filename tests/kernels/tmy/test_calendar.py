"""The axis of the archive against dates counted by the standard library."""

import calendar as standard
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.tmy.calendar import MONTH_DAYS, Calendar

ARCHIVE = Calendar(1991, 2025)
START = datetime(1991, 1, 1, tzinfo=UTC)


def date_of(hour: int) -> datetime:
    return START + timedelta(hours=int(hour))


def test_the_archive_has_every_hour_of_its_years() -> None:
    assert ARCHIVE.n_hours == 306_816
    assert ARCHIVE.n_days == 306_816 // 24
    assert ARCHIVE.unix[0] == START.timestamp()
    assert date_of(ARCHIVE.n_hours) == datetime(2026, 1, 1, tzinfo=UTC)
    assert ARCHIVE.until(2020) == (datetime(2021, 1, 1, tzinfo=UTC) - START) // timedelta(hours=1)
    assert ARCHIVE.until(2025) == ARCHIVE.n_hours


def test_months_begin_where_they_do() -> None:
    for year in (1991, 1992, 2000, 2025):
        for month in range(12):
            assert date_of(ARCHIVE.month_starts[year - 1991, month]) == datetime(year, month + 1, 1, tzinfo=UTC)


def test_days_know_their_month() -> None:
    assert ARCHIVE.day_months.size == ARCHIVE.n_days + 1
    for day in (0, 30, 31, 424, 425, ARCHIVE.n_days - 1, ARCHIVE.n_days):
        assert ARCHIVE.day_months[day] == date_of(24 * day).month - 1


@given(years=st.lists(st.integers(1991, 2025), min_size=12, max_size=12))
def test_a_year_of_any_months_runs_from_january_to_december_without_29_february(years: list[int]) -> None:
    hours = ARCHIVE.hours_of(np.array(years))
    assert hours.size == 8760
    at = 0
    for month, days in enumerate(MONTH_DAYS):
        assert date_of(hours[at]) == datetime(years[month], month + 1, 1, tzinfo=UTC)
        at += 24 * days
        assert date_of(hours[at - 1]) == datetime(years[month], month + 1, days, 23, tzinfo=UTC)
    np.testing.assert_array_equal(ARCHIVE.slots[hours], np.arange(8760))


def test_29_february_takes_the_place_of_the_28th() -> None:
    leap = (datetime(1992, 2, 29, tzinfo=UTC) - START) // timedelta(hours=1)
    np.testing.assert_array_equal(ARCHIVE.slots[leap : leap + 24], ARCHIVE.slots[leap - 24 : leap])
    assert np.bincount(ARCHIVE.slots, minlength=8760).min() == ARCHIVE.n_years
    n_leap = sum(standard.isleap(y) for y in range(1991, 2026))
    assert np.bincount(ARCHIVE.slots).max() == ARCHIVE.n_years + n_leap


def test_years_that_are_not_there_are_refused() -> None:
    with pytest.raises(ValueError, match="1990 is not in the archive, which has 1991 to 2025"):
        ARCHIVE.hours_of(np.array([1990] + [2000] * 11))
    with pytest.raises(ValueError, match="twelve years are needed"):
        ARCHIVE.starts_of(np.array([2000]))
    with pytest.raises(ValueError, match="no years one after the other"):
        Calendar(2020, 2019)
