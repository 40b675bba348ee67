"""Percentiles by exceedance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.tmy.percentiles import month_percentiles, year_statistics

SUMS = st.lists(st.floats(500, 1500), min_size=2, max_size=40)


@given(sums=SUMS)
def test_p90_is_the_tenth_percentile(sums: list[float]) -> None:
    got = year_statistics(sums)
    for name, level in (("p50", 50), ("p75", 25), ("p90", 10), ("p95", 5)):
        assert getattr(got, name) == pytest.approx(np.percentile(sums, level))
    assert got.mean == pytest.approx(np.mean(sums))
    assert got.std == pytest.approx(np.std(sums, ddof=1), abs=1e-6)
    assert got.p50 >= got.p75 >= got.p90 >= got.p95


def test_three_years_known_by_hand() -> None:
    got = year_statistics([900.0, 1000.0, 1100.0])
    assert (got.mean, got.std, got.p50, got.p75) == pytest.approx((1000, 100, 1000, 950))
    assert (got.p90, got.p95) == pytest.approx((920, 910))


def test_months_have_theirs() -> None:
    sums = np.random.default_rng(0).uniform(0, 150, (30, 12))
    got = month_percentiles(sums)
    np.testing.assert_allclose(got["p50"], np.percentile(sums, 50, axis=0))
    np.testing.assert_allclose(got["p90"], np.percentile(sums, 10, axis=0))


def test_fewer_than_two_years_or_a_missing_one_are_refused() -> None:
    for wrong in ([1.0], [1.0, np.nan], [[1.0, 2.0]]):
        with pytest.raises(ValueError, match="at least two years"):
            year_statistics(wrong)
