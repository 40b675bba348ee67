"""The gamma distribution against scipy's."""

import math

import numpy as np
import pytest
from scipy import special, stats

from kernels.snowload.gamma import exceeded, log_tails, shape_of

CHANCES = [1e-6, 1e-3, 0.01, 0.02, 0.05, 0.4, 0.5, 0.6, 0.98, 1 - 1e-6]


@pytest.mark.parametrize("shape", [0.002, 0.1, 0.9, 1.0, 2.5, 6.0, 40.0, 700.0, 9999.0])
def test_tails_are_the_incomplete_gamma_functions(shape: float) -> None:
    """On both sides of shape + 1, where another method takes over; far out too, where the tail itself underflows."""
    for x in (1e-9 * shape, 0.3 * shape, shape, shape + 1 - 1e-9, shape + 1, 2 * shape + 2, shape + 40):
        expected = special.gammainc(shape, x), special.gammaincc(shape, x)
        assert np.exp(log_tails(shape, math.log(x))) == pytest.approx(expected, rel=1e-9, abs=1e-300)
    assert log_tails(shape, math.log(shape + 1e5))[1] < -1000


@pytest.mark.parametrize("shape", [0.002, 0.05, 0.5, 1.0, 2.0, 6.0, 33.0, 500.0, 9999.0])
def test_quantile_is_scipys(shape: float) -> None:
    got = [exceeded(shape, chance) for chance in CHANCES]
    np.testing.assert_allclose(got, special.gammainccinv(shape, CHANCES) / shape, rtol=2e-11, atol=1e-290)


@pytest.mark.parametrize("shape", [10_001.0, 1e6, 1e9, 1e20, math.inf])
def test_distribution_of_a_large_shape_is_as_good_as_normal(shape: float) -> None:
    """scipy's own is off from 1e8 on."""
    normal = 1 + stats.norm.isf(CHANCES) / math.sqrt(shape)
    expected, rtol = (special.gammainccinv(shape, CHANCES) / shape, 1e-6) if shape < 1e8 else (normal, 1e-8)
    np.testing.assert_allclose([exceeded(shape, chance) for chance in CHANCES], expected, rtol=rtol)


@pytest.mark.parametrize("shape", [0.05, 0.4, 1.0, 6.0, 80.0, 1e5])
@pytest.mark.parametrize("n", [2, 5, 50])
def test_fit_is_scipys(shape: float, n: int) -> None:
    """To the last digits: the sample's mean logarithm is by ln a - digamma(a) less than that of its mean."""
    values = np.random.default_rng(n).gamma(shape, 40, n)
    expected, _, scale = stats.gamma.fit(values, floc=0)
    got, mean = shape_of(values)
    # scipy stops a little earlier than it could, and loses digits where the values are alike
    assert (got, got * scale) == pytest.approx((expected, mean), rel=1e-7 + 1e-14 * got)
    less = math.log(mean) - np.log(values).mean()
    assert math.log(got) - special.digamma(got) == pytest.approx(less, rel=1e-11, abs=1e-15)


def test_values_that_are_the_same_have_no_bounded_shape() -> None:
    assert shape_of(np.full(3, 0.1)) == (math.inf, pytest.approx(0.1))
    assert shape_of(np.array([5.0])) == (math.inf, 5.0)
