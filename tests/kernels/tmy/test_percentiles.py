"""Percentiles by exceedance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.tmy.percentiles import month_percentiles, year_statistics


@given(sums=st.lists(st.floats(500, 1500), min_size=2, max_size=40))
def test_p90_is_the_tenth_percentile(sums: list[float]) -> None:
    got = year_statistics(sums)
    assert (got.p50, got.p75, got.p90, got.p95) == pytest.approx(tuple(np.percentile(sums, [50, 25, 10, 5])))
    assert got.mean == pytest.approx(np.mean(sums))
    assert got.std == pytest.approx(np.std(sums, ddof=1), abs=1e-6)


def test_months_have_their_percentiles() -> None:
    sums = np.random.default_rng(0).uniform(0, 150, (30, 12))
    got = month_percentiles(sums)
    np.testing.assert_allclose([got["p50"], got["p90"]], np.percentile(sums, [50, 10], axis=0))


@pytest.mark.parametrize("wrong", [[1.0], [1.0, np.nan], [[1.0, 2.0]]])
def test_fewer_than_two_years_or_a_missing_one_are_refused(wrong: list[float]) -> None:
    with pytest.raises(ValueError, match="at least two years"):
        year_statistics(wrong)
