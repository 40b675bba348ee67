"""Percentiles by exceedance, and the scale of a typical year."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.tmy.percentiles import (
    month_percentiles,
    scale_factor,
    year_statistics,
)

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


@given(sums=SUMS, confidence=st.sampled_from(["mean", "p50", "p75", "p90", "p95"]), typical=st.floats(500, 1500))
def test_a_scaled_year_has_the_sum_asked_for(sums: list[float], confidence: str, typical: float) -> None:
    statistics = year_statistics(sums)
    assert scale_factor(statistics, typical, confidence) * typical == pytest.approx(getattr(statistics, confidence))
    assert scale_factor(statistics, typical, "tmy") == 1


def test_what_has_no_scale_is_refused() -> None:
    statistics = year_statistics([1.0, 2.0])
    with pytest.raises(ValueError, match="confidence must be one of tmy, mean, p50, p75, p90, p95, not p10"):
        scale_factor(statistics, 1.0, "p10")
    with pytest.raises(ValueError, match="without light"):
        scale_factor(statistics, 0.0, "mean")
    for wrong in ([1.0], [1.0, np.nan], [[1.0, 2.0]]):
        with pytest.raises(ValueError, match="at least two years"):
            year_statistics(wrong)
