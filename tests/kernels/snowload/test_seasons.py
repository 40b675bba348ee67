"""Which days are of which season, which seasons count, and the most of each."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.snowload.seasons import LEAST_DAYS, Seasons, season_maxima
from tests.support.snow_export import REAL, by_stamp

NAN = np.nan


def days_of(first: str, last: str) -> NDArray[np.int64]:
    """Both included."""
    return np.arange(np.datetime64(first), np.datetime64(last) + 1).astype(np.int64)


def of_one(days: NDArray[np.int64], swe: NDArray[np.floating]) -> Seasons:
    return season_maxima(days, swe.astype(np.float32)[:, None])


def maxima(days: NDArray[np.int64], swe: NDArray[np.floating]) -> list[float]:
    return of_one(days, swe).maxima[:, 0].tolist()


def at(days: NDArray[np.int64], *dates: str) -> NDArray[np.bool_]:
    return np.isin(days, np.array(dates, "datetime64[D]").astype(np.int64))


def test_a_season_is_from_september_to_august() -> None:
    """31 August belongs to the old one, 1 September to the new one, 29 February to its own."""
    days = days_of("1998-09-01", "2001-08-31")
    swe = np.zeros(days.size)
    for date, value in {"1999-08-31": 1.0, "1999-09-01": 2.0, "2000-08-31": 3.0, "2000-09-01": 4.0}.items():
        swe[at(days, date)] = value
    got = of_one(days, swe)
    assert got.first == 1998
    assert got.maxima.dtype == np.float32
    assert got.maxima[:, 0].tolist() == [1, 3, 4]
    swe[at(days, "2000-02-29")] = 9.0
    assert maxima(days, swe) == [1, 9, 4]


@pytest.mark.parametrize(("known", "counts"), [(329, False), (330, True)])
@pytest.mark.parametrize("year", [2001, 2003])
def test_a_season_of_330_known_days_counts(known: int, counts: bool, year: int) -> None:
    """Of 365, and of the 366 with 29 February 2004; wherever the others are missing."""
    days = days_of(f"{year}-09-01", f"{year + 1}-08-31")
    for missing in (slice(known, None), slice(0, days.size - known), slice(100, 100 + days.size - known)):
        swe = np.full(days.size, 7.0)
        swe[missing] = NAN
        assert np.isfinite(swe).sum() == known
        assert np.isfinite(maxima(days, swe)) == [counts]


def test_the_first_and_last_season_may_be_parts() -> None:
    """With their days, as long as those are enough: from 6 October 1957 on there are 330 of them, from the 7th 329."""
    for first, counts in (("1957-10-06", True), ("1957-10-07", False)):
        days = days_of(first, "1959-07-26")
        assert at(days, "1958-08-31")[329] == counts
        got = of_one(days, np.full(days.size, 5.0))
        assert got.first == 1957
        np.testing.assert_array_equal(got.maxima[:, 0], [5.0 if counts else NAN, NAN])
    days = days_of("1957-09-01", "1959-07-27")
    assert maxima(days, np.full(days.size, 5.0)) == [5, 5]


def test_a_single_day_is_a_season_that_does_not_count() -> None:
    for date, first in (("1969-12-31", 1969), ("1970-08-31", 1969), ("1970-09-01", 1970), ("1957-08-31", 1956)):
        got = of_one(days_of(date, date), np.array([3.0]))
        assert (got.first, np.isnan(got.maxima).tolist()) == (first, [[True]])


def test_a_gap_takes_its_days_alone() -> None:
    """Where the most was in it, the most of the others counts; where all is missing, none does."""
    days = days_of("2001-09-01", "2004-08-31")
    swe = np.where(at(days, "2002-03-01"), 300.0, 200.0)
    swe[at(days, "2002-02-27", "2002-02-28", "2002-03-01")] = NAN
    swe[days >= days_of("2003-09-01", "2003-09-01")] = NAN
    np.testing.assert_array_equal(maxima(days, swe), [200, 200, NAN])
    assert np.isnan(maxima(days, np.full(days.size, NAN))).all()


@pytest.mark.parametrize("n_cells", [0, 1, 15, 16, 40])
def test_cells_do_not_know_of_each_other(n_cells: int) -> None:
    """Few are reckoned in one way, many in another."""
    days = days_of("2001-11-01", "2006-08-31")
    draw = np.random.default_rng(n_cells)
    swe = draw.gamma(2, 100, (days.size, n_cells)).astype(np.float32)
    swe[draw.random(swe.shape) < draw.choice([0.0, 0.09, 0.1, 1.0], n_cells)] = NAN
    got = season_maxima(days, swe)
    assert got.maxima.shape == (5, n_cells)
    for cell in range(n_cells):
        np.testing.assert_array_equal(got.maxima[:, cell], of_one(days, swe[:, cell]).maxima[:, 0])


@given(
    first=st.dates(pd.Timestamp("1956-01-01").date(), pd.Timestamp("2030-12-31").date()),
    n=st.integers(1, 1500),
    seed=st.integers(0, 99),
    lost=st.sampled_from([0.0, 0.09, 0.1, 0.5, 1.0]),
    n_cells=st.sampled_from([2, 20]),
)
@example(first=pd.Timestamp("1999-09-01").date(), n=366, seed=0, lost=0.0, n_cells=2)
def test_it_is_what_pandas_groups(first: object, n: int, seed: int, lost: float, n_cells: int) -> None:
    draw = np.random.default_rng(seed)
    dates = pd.date_range(first, periods=n)
    swe = draw.gamma(1, 200, (n, n_cells)).astype(np.float32)
    swe[draw.random(swe.shape) < lost] = NAN
    groups = pd.DataFrame(swe).groupby(dates.year - (dates.month < 9))
    expected = groups.max().where(groups.count() >= LEAST_DAYS)
    got = season_maxima(dates.to_numpy().astype("datetime64[D]").astype(np.int64), swe)
    assert got.first == expected.index[0]
    np.testing.assert_array_equal(got.maxima, expected.to_numpy())


def test_the_winter_of_bratsberg(shared_data: Path) -> None:
    """358.9 mm in the morning of 19 April 1958; of the seasons before and after there are but days."""
    path = shared_data / REAL
    if not path.exists():
        pytest.skip(f"the snow authority's export is not here: {path} does not exist")
    told = by_stamp(path)
    days = np.array([np.datetime64(stamp, "D") for stamp in told]).astype(np.int64) - 1
    swe = np.array([NAN if value == 65535 else value for value in told.values()])
    got = of_one(days, swe)
    assert got.first == 1956
    np.testing.assert_array_equal(got.maxima, np.float32([[NAN], [358.9], [NAN]]))


def test_what_does_not_belong_together_is_refused() -> None:
    days, swe = days_of("2001-09-01", "2001-09-03"), np.zeros((3, 1), np.float32)
    with pytest.raises(ValueError, match="without a gap"):
        season_maxima(days * 2, swe)
    with pytest.raises(ValueError, match="must ascend"):
        season_maxima(days[::-1], swe)
    with pytest.raises(ValueError, match="no days"):
        season_maxima(days[:0], swe[:0])
    for wrong in (swe[:, 0], swe[:2], swe.T):
        with pytest.raises(ValueError, match=r"not \(3, n_cells\)"):
            season_maxima(days, wrong)
