"""The axis of the archive against numpy's dates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.tmy.calendar import Calendar

ARCHIVE = Calendar(1991, 2025)
DATES = np.arange("1991-01-01T00", "2026-01-01T00", dtype="datetime64[h]")


def test_archive_has_every_hour_of_its_years() -> None:
    assert (ARCHIVE.n_hours, ARCHIVE.n_days) == (DATES.size, DATES.size // 24)
    np.testing.assert_array_equal(ARCHIVE.unix, DATES.astype("datetime64[s]").astype(np.int64))
    assert ARCHIVE.until(2020) == np.searchsorted(DATES, np.datetime64("2021-01-01T00"))
    assert ARCHIVE.until(2025) == ARCHIVE.n_hours
    starts = np.arange("1991-01", "2026-01", dtype="datetime64[M]")
    np.testing.assert_array_equal(DATES[ARCHIVE.month_starts.ravel()], starts)
    np.testing.assert_array_equal(
        ARCHIVE.day_months, np.append(DATES[::24].astype("datetime64[M]").astype(int) % 12, 0)
    )


@given(years=st.lists(st.integers(1991, 2025), min_size=12, max_size=12))
def test_year_of_any_months_runs_from_january_to_december_without_29_february(years: list[int]) -> None:
    hours = ARCHIVE.hours_of(np.array(years))
    days = np.arange("2001-01-01", "2002-01-01", dtype="datetime64[D]")
    month = days.astype("datetime64[M]").astype(int) % 12
    expected = np.array([f"{years[m]}-{str(day)[5:]}" for m, day in zip(month, days, strict=True)], "M8[D]")
    np.testing.assert_array_equal(DATES[hours], expected.repeat(24) + np.arange(8760) % 24 * np.timedelta64(1, "h"))
    np.testing.assert_array_equal(ARCHIVE.slots[hours], np.arange(8760))


def test_29_february_takes_the_place_of_the_28th() -> None:
    leap = int(np.searchsorted(DATES, np.datetime64("1992-02-29T00")))
    np.testing.assert_array_equal(ARCHIVE.slots[leap : leap + 24], ARCHIVE.slots[leap - 24 : leap])
    counts = np.bincount(ARCHIVE.slots, minlength=8760)
    assert (counts.min(), counts.max()) == (35, 35 + 9)


def test_years_that_are_not_there_are_refused() -> None:
    with pytest.raises(ValueError, match="1990 is not in the archive, which has 1991 to 2025"):
        ARCHIVE.hours_of(np.array([1990] + [2000] * 11))
    with pytest.raises(ValueError, match="twelve years are needed"):
        ARCHIVE.starts_of(np.array([2000]))
    with pytest.raises(ValueError, match="no years one after the other"):
        Calendar(2020, 2019)
