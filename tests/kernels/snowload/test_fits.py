"""The three methods: by hand, against scipy, where there is little or no snow, and as the Eurocode has it."""

import math

import numpy as np
import pytest
from scipy import special, stats

from kernels.snowload.fits import METHODS, combined, levels, plotting

PERIODS = np.array([20.0, 50.0, 100.0])
GAMMA, GUMBEL, EMPIRICAL = range(3)
THREE = np.array([300.0, 100.0, 200.0])


def test_methods_have_this_order_and_their_mean_is_the_level() -> None:
    assert METHODS == ("gamma", "gumbel", "empirical")
    got = levels(THREE, PERIODS)
    np.testing.assert_array_equal(combined(got), got.mean(axis=0))


def test_gumbel_by_hand() -> None:
    """Mean 200, deviation 100 (n - 1), whose sqrt(6) / pi is 77.970.

    -ln(-ln 0.95) = 2.97020, less 0.57722 is 2.39298, times 77.970 is 186.58;
    -ln(-ln 0.98) = 3.90194, less 0.57722 is 3.32472, times 77.970 is 259.23: the Eurocode's 2.5923.
    """
    assert levels(THREE, [20, 50])[GUMBEL] == pytest.approx([386.58, 459.23], abs=0.005)


def test_empirical_method_by_hand() -> None:
    """Three points at p = (0.56, 1.56, 2.56) / 3.12 = 0.17949, 0.5, 0.82051.

    T = 2 is p = 0.5, a point. T = 4 is 0.75, that is 0.25 / 0.32051 = 0.78 of the way from the second to the third.
    Beyond them in -ln(-ln p), in which they lie at 0.36651 and 1.62037: T = 50 at 3.90194 is 2.81964 times as far
    from the second as the third. T = 1.1 is 0.0909, below the first.
    """
    assert levels(THREE, [1.1, 2, 4, 50])[EMPIRICAL] == pytest.approx([100, 200, 278, 481.964], abs=0.0005)
    periods, swe = plotting(THREE)  # the points of the picture
    np.testing.assert_allclose(periods, [3.12 / 2.56, 2, 3.12 / 0.56], rtol=1e-12)
    assert swe.tolist() == [100, 200, 300]


@pytest.mark.parametrize("n_zero", [0, 1, 10, 45])
def test_gamma_is_scipys(n_zero: int) -> None:
    """With seasons without snow, of which those with snow take the share."""
    snow = np.random.default_rng(n_zero).gamma(3, 80, 50 - n_zero)
    shape, _, scale = stats.gamma.fit(snow, floc=0)
    p = np.maximum(1 - 1 / PERIODS / (1 - n_zero / 50), 0)
    got = levels(np.append(snow, np.zeros(n_zero)), PERIODS)[GAMMA]
    np.testing.assert_allclose(got, scale * special.gammaincinv(shape, p), rtol=1e-7)


def test_empirical_method_goes_straight_on_beyond_its_points() -> None:
    """The points of 69 seasons end at T = 123.4; 200, 1000 and 10,000 years lie on the line of the last two."""
    maxima = np.random.default_rng(3).gamma(6, 40, 69)
    periods, swe = plotting(maxima)
    end = levels(maxima, [periods[-2], periods[-1] * (1 - 1e-9), periods[-1] * (1 + 1e-9)])[EMPIRICAL]
    np.testing.assert_allclose(end, [swe[-2], swe[-1], swe[-1]], rtol=1e-7)
    beyond = np.array([200.0, 1000.0, 10_000.0])
    reduced = -np.log(-np.log(1 - 1 / np.concatenate([periods[-2:], beyond])))
    line = np.poly1d(np.polyfit(reduced[:2], swe[-2:], 1))
    np.testing.assert_allclose(levels(maxima, beyond)[EMPIRICAL], line(reduced[2:]), rtol=1e-9)


def test_factors_of_the_check_in_science_md() -> None:
    """gamma(6, 40), n = 50: 0.860, 0.873 and 0.900 of the highest is what numpy's sample of seed 1 has."""
    maxima = np.random.default_rng(1).gamma(6, 40, 50)
    np.testing.assert_allclose(levels(maxima, [50])[:, 0] / maxima.max(), [0.860, 0.873, 0.900], atol=0.0005)


def test_no_snow_in_any_season_is_no_load() -> None:
    assert not levels(np.zeros(30), PERIODS).any()


def test_snow_in_one_season_of_many() -> None:
    """Of 40: rarer than once in 20 years, so the gamma has none at T = 20, nor at 40; from then on that season's."""
    maxima = np.zeros(40)
    maxima[17] = 80
    got = levels(maxima, [20, 40, 41, 50, 100])
    np.testing.assert_allclose(got[GAMMA], [0, 0, 80, 80, 80], rtol=1e-12)
    # Gumbel: mean 2, deviation 80 / sqrt(40) = 12.649; the points end at T = 40.12 / 0.56 = 71.6
    assert got[GUMBEL, 3] == pytest.approx(2 + 2.592276 * 12.649111, rel=1e-6)
    assert got[EMPIRICAL, 0] == 0
    assert 0 < got[EMPIRICAL, 3] < 80 < got[EMPIRICAL, 4]


@pytest.mark.parametrize("value", [1e-300, 0.1, 65534.0, 1e300])
def test_seasons_that_are_all_the_same_are_the_level(value: float) -> None:
    for n in (2, 3, 50):
        np.testing.assert_allclose(levels(np.full(n, value), [1.5, *PERIODS]), value, rtol=1e-14)


@pytest.mark.parametrize(
    ("maxima", "periods", "message"),
    [
        *[(maxima, [50], "at least two seasons") for maxima in ([5.0], [], [1.0, np.nan, 2.0], [[1.0, 2.0]])],
        *[(maxima, [50], "at least 0 mm, and finite") for maxima in ([1.0, -0.1], [1.0, np.inf])],
        *[(THREE, periods, "return periods are more than 1") for periods in ([1.0], [np.nan], [50, -3], [2e6], 50.0)],
    ],
)
def test_what_is_no_sample_is_refused(maxima: list[float], periods: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        levels(np.array(maxima), periods)


def annex_d(variation: float, period: float) -> float:
    """Ratio of the snow load of a return period to that of 50 years, EN 1991-1-3 Annex D (D.1)."""
    less = math.log(-math.log(1 - 1 / period)) + np.euler_gamma
    return (1 - variation * math.sqrt(6) / math.pi * less) / (1 + 2.5923 * variation)


@pytest.mark.parametrize("variation", [0.2, 0.65])
def test_gumbel_has_the_ratios_of_annex_d(variation: float) -> None:
    """To its four digits of 2.5923, which themselves are those of T = 50."""
    draw = np.random.default_rng(4).normal(0, 1, 60)
    maxima = 250.0 * (1 + variation * (draw - draw.mean()) / draw.std(ddof=1))
    at = levels(maxima - min(maxima.min(), 0), [*PERIODS, 7.0])[GUMBEL]  # the mean with it
    found = maxima.std(ddof=1) / (maxima - min(maxima.min(), 0)).mean()
    np.testing.assert_allclose(at / at[1], [annex_d(found, period) for period in (*PERIODS, 7.0)], rtol=1e-5)
