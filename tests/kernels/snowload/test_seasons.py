"""Which days are of which season, which seasons count, and the most of each."""

from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.snowload.seasons import season_maxima
from tests.support.snow_export import REAL, by_stamp

NAN = np.nan


def days_of(first: str, last: str) -> NDArray[np.int64]:
    """Both included."""
    return np.arange(np.datetime64(first), np.datetime64(last) + 1).astype(np.int64)


@given(
    first=st.dates(date(1956, 1, 1), date(2030, 12, 31)),
    n=st.integers(1, 1500),
    seed=st.integers(0, 99),
    lost=st.sampled_from([0.0, 0.09, 0.1, 0.5, 1.0]),
    n_cells=st.sampled_from([0, 1, 2, 15, 16, 20]),
)
@example(first=date(1999, 9, 1), n=366, seed=0, lost=0.0, n_cells=2)
@example(first=date(1999, 8, 31), n=368, seed=0, lost=0.0, n_cells=20)
@example(first=date(1957, 10, 6), n=330, seed=0, lost=0.0, n_cells=2)
@example(first=date(1957, 10, 7), n=329, seed=0, lost=0.0, n_cells=2)
def test_maxima_are_what_pandas_groups(first: date, n: int, seed: int, lost: float, n_cells: int) -> None:
    """From September to August, parts of seasons too. Few cells are reckoned in one way, many in another."""
    draw = np.random.default_rng(seed)
    dates = pd.date_range(first, periods=n)
    swe = draw.gamma(1, 200, (n, n_cells)).astype(np.float32)
    swe[draw.random(swe.shape) < lost] = NAN
    groups = pd.DataFrame(swe).groupby(dates.year - (dates.month < 9))
    expected = groups.max().where(groups.count() >= 330)
    got = season_maxima(dates.to_numpy().astype("datetime64[D]").astype(np.int64), swe)
    assert got.first == expected.index[0]
    np.testing.assert_array_equal(got.maxima, expected.to_numpy())


def test_winter_of_bratsberg(shared_data: Path) -> None:
    """358.9 mm in the morning of 19 April 1958; of the seasons before and after there are but days."""
    path = shared_data / REAL
    if not path.exists():
        pytest.skip(f"the snow authority's export is not here: {path} does not exist")
    stamps = by_stamp(path)
    days = np.array([np.datetime64(stamp, "D") for stamp in stamps]).astype(np.int64) - 1
    swe = np.array([NAN if value == 65535 else value for value in stamps.values()], np.float32)
    got = season_maxima(days, swe[:, None])
    assert got.first == 1956
    np.testing.assert_array_equal(got.maxima, np.float32([[NAN], [358.9], [NAN]]))


DAYS, NONE = days_of("2001-09-01", "2001-09-03"), np.zeros((3, 1), np.float32)


@pytest.mark.parametrize(
    ("days", "swe", "message"),
    [
        (DAYS * 2, NONE, "without a gap"),
        (DAYS[::-1], NONE, "must ascend"),
        (DAYS[:0], NONE[:0], "no days"),
        *[(DAYS, swe, r"not \(3, n_cells\)") for swe in (NONE[:, 0], NONE[:2], NONE.T)],
    ],
)
def test_what_does_not_belong_together_is_refused(days: NDArray, swe: NDArray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        season_maxima(days, swe)
