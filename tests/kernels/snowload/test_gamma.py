"""The gamma distribution against scipy's."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from kernels.snowload.fits import levels
from kernels.snowload.gamma import exceeded, log_tails, shape_of

EULER = 0.5772156649015329
CHANCES = [1e-6, 1e-3, 0.01, 0.02, 0.05, 0.4, 0.5, 0.6, 0.98, 1 - 1e-6]


@pytest.mark.parametrize("shape", [0.002, 0.1, 0.9, 1.0, 2.5, 6.0, 40.0, 700.0, 9999.0])
def test_the_tails_are_the_incomplete_gamma_functions(shape: float) -> None:
    """On both sides of shape + 1, where another method takes over; far out too, where the tail itself underflows."""
    for x in (1e-9 * shape, 0.3 * shape, shape, shape + 1 - 1e-9, shape + 1, 2 * shape + 2, shape + 40):
        lower, upper = log_tails(shape, math.log(x))
        for got, expected in ((lower, special.gammainc(shape, x)), (upper, special.gammaincc(shape, x))):
            if expected > 1e-300:
                assert math.exp(got) == pytest.approx(expected, rel=1e-9)
    assert log_tails(shape, math.log(shape + 1e5))[1] < -1000


@pytest.mark.parametrize("shape", [0.002, 0.05, 0.5, 1.0, 2.0, 6.0, 33.0, 500.0, 9999.0])
def test_the_quantile_is_scipys(shape: float) -> None:
    for chance in CHANCES:
        expected = special.gammainccinv(shape, chance) / shape
        assert exceeded(shape, chance) == pytest.approx(expected, rel=2e-11, abs=1e-290)
        lower = special.gammaincinv(shape, 1 - chance) / shape
        assert exceeded(shape, chance) == pytest.approx(lower, rel=1e-8, abs=1e-290)


@pytest.mark.parametrize("shape", [10_001.0, 3e4, 1e6, 1e9, 1e20, math.inf])
def test_a_distribution_as_good_as_normal(shape: float) -> None:
    for chance in CHANCES:
        # scipy's own is off from 1e8 on
        near = 1 + stats.norm.isf(chance) / math.sqrt(shape)
        expected = special.gammainccinv(shape, chance) / shape if shape < 1e8 else near
        assert exceeded(shape, chance) == pytest.approx(expected, rel=1e-6 if shape < 1e8 else 1e-8)
    assert exceeded(10_001.0, 0.02) == pytest.approx(exceeded(9_999.0, 0.02), rel=1e-5)


@given(shape=st.floats(0.002, 3e4), chances=st.tuples(*[st.floats(1e-6, 1 - 1e-6)] * 2))
def test_what_is_exceeded_more_seldom_is_no_less(shape: float, chances: tuple[float, float]) -> None:
    seldom, often = sorted(chances)
    assert exceeded(shape, seldom) >= exceeded(shape, often) * (1 - 1e-12)


@pytest.mark.parametrize("shape", [0.05, 0.4, 1.0, 6.0, 80.0, 1e5])
@pytest.mark.parametrize("n", [2, 5, 50])
def test_the_fit_is_scipys(shape: float, n: int) -> None:
    for seed in range(5):
        values = np.random.default_rng(seed).gamma(shape, 40, n)
        expected, _, scale = stats.gamma.fit(values, floc=0)
        got, mean = shape_of(values)
        # scipy stops a little earlier than it could, and loses digits where the values are alike
        assert got == pytest.approx(expected, rel=1e-7 + 1e-14 * got)
        assert got * scale == pytest.approx(mean, rel=1e-7 + 1e-14 * got)


def test_the_shape_solves_its_equation() -> None:
    """To the last digits: so much is the sample's mean logarithm less than that of its mean."""
    for seed, n in enumerate((2, 3, 10, 69, 1000)):
        values = np.random.default_rng(seed).gamma(0.3 + seed, 1, n)
        shape, mean = shape_of(values)
        assert math.log(shape) - special.digamma(shape) == pytest.approx(
            math.log(mean) - np.log(values).mean(), rel=1e-11
        )


def test_two_values_of_an_exponential_distribution() -> None:
    """Their mean m is 200, d off either way: ln m - mean ln = -ln(1 - d^2) / 2, which for shape 1 is Euler's 0.5772.

    So d = sqrt(1 - exp(-1.15443)) = 0.82751. What is exceeded with a chance q is -m ln q.
    """
    d = math.sqrt(1 - math.exp(-2 * EULER))
    assert d == pytest.approx(0.82751, abs=1e-5)
    values = np.array([200 * (1 - d), 200 * (1 + d)])
    assert shape_of(values) == pytest.approx((1, 200), rel=1e-12)
    assert levels(values, [20, 50])[0] == pytest.approx([200 * math.log(20), 200 * math.log(50)], rel=1e-12)
    # Of four seasons two are without snow: those with it exceed the level in one of 10 and of 25.
    half = np.concatenate([values, [0, 0]])
    assert levels(half, [20, 50])[0] == pytest.approx([200 * math.log(10), 200 * math.log(25)], rel=1e-12)


def test_two_values_of_shape_two() -> None:
    """ln 2 - digamma(2) = 0.69315 - 0.42278 = 0.27036; the upper tail at x is e^-x (1 + x), at 5.8339 a fiftieth."""
    d = math.sqrt(1 - math.exp(-2 * 0.2703628454614782))
    values = 150 * np.array([1 - d, 1 + d])
    assert shape_of(values)[0] == pytest.approx(2, rel=1e-12)
    assert math.exp(-5.8339) * 6.8339 == pytest.approx(0.02, rel=1e-4)
    assert levels(values, [50])[0, 0] == pytest.approx(150 / 2 * 5.8339, rel=1e-5)


@pytest.mark.parametrize("spread", [1e-3, 1e-5, 1e-7, 1e-9, 1e-15])
def test_values_that_are_almost_the_same(spread: float) -> None:
    """The shape grows as the inverse square of the spread, and past all bounds; the level comes down to the value."""
    values = 300 * (1 + spread * np.array([-1.0, 1.0, -1.0, 1.0]))
    shape, _ = shape_of(values)
    assert shape == pytest.approx(1 / spread**2, rel=1e-2) or spread < 1e-12
    assert levels(values, [50])[0, 0] == pytest.approx(300 * (1 + 2.0537489 * spread), rel=3 * spread**2 + 1e-14)


def test_values_that_are_the_same_have_no_bounded_shape() -> None:
    assert shape_of(np.full(3, 0.1)) == (math.inf, pytest.approx(0.1))
    assert shape_of(np.array([5.0])) == (math.inf, 5.0)
