"""The snow of a cell and of a site: which winters count, ratios to the highest, spread, and what is usual."""

import numpy as np
import pytest

from kernels.snowload.fits import levels
from kernels.snowload.site import cell_snow, known_winters, usual_factor, variation, weight


def test_known_winters_of_the_seasons_count() -> None:
    years, maxima = known_winters(1957, np.array([10.0, 20.0, np.nan, 40.0, 50.0]), range(1958, 1961))
    assert (years.tolist(), maxima.tolist()) == ([1958, 1960], [20.0, 40.0])


def test_factors_are_the_fits_and_their_mean_over_the_highest_winter() -> None:
    maxima = np.array([100.0, 150.0, 220.0, 180.0, 90.0])
    snow = cell_snow(np.arange(2000, 2005), maxima, 50)
    fits = levels(maxima, (50,))[:, 0]
    assert (snow.highest, snow.swe) == (220.0, pytest.approx(fits.mean()))
    assert snow.factors == pytest.approx([*(fits / 220.0), fits.mean() / 220.0])


def test_where_there_never_was_snow_there_are_no_factors() -> None:
    snow = cell_snow(np.arange(2000, 2005), np.zeros(5), 50)
    assert (snow.swe, snow.highest, np.isnan(snow.factors).all()) == (0.0, 0.0, True)


@pytest.mark.parametrize(
    ("values", "percent"), [([0.0, 0.0, 90.0], 141.42), ([90.0], np.nan), ([0.0, 0.0], np.nan), ([5.0, 5.0], 0.0)]
)
def test_variation_needs_several_values_and_snow(values: list[float], percent: float) -> None:
    assert variation(values) == pytest.approx(percent, abs=0.005, nan_ok=True)


def test_100_mm_weigh_just_below_a_kilonewton() -> None:
    assert weight(100.0) == pytest.approx(0.98)


@pytest.mark.parametrize(("period", "factor"), [(20, 0.743), (50, 0.901), (100, 1.020)])
def test_usual_factor_of_50_winters_grows_with_the_return_period(period: int, factor: float) -> None:
    assert usual_factor(period, 50) == pytest.approx(factor, abs=0.001)
    assert usual_factor(period, 20) > usual_factor(period, 50)


def test_the_highest_of_n_winters_is_usually_that_of_1_78_n_years() -> None:
    assert usual_factor(50 * 1.781, 50) == pytest.approx(1.0, abs=1e-4)
