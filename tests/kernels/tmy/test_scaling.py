"""A year made brighter: it adds up as before, and the beam keeps below what air lets through."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.sun import sun_table
from kernels.tmy.scaling import scaled
from kernels.tmy.year_sun import year_sun

SINE = np.random.default_rng(0).uniform(0, 0.8, 8760) * (np.arange(8760) % 24 > 5)


def year(seed: int, brightest: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    dni = draw.uniform(0, brightest, 8760) * (SINE > 0)
    dhi = draw.uniform(0, 200, 8760)
    return dni * SINE + dhi, dni, dhi


@given(seed=st.integers(0, 2**32 - 1), factor=st.floats(0.5, 2.0), brightest=st.floats(1, 1250))
@settings(max_examples=60)
def test_it_closes_and_is_bounded(seed: int, factor: float, brightest: float) -> None:
    ghi, dni, dhi = year(seed, brightest)
    got = scaled(ghi, dni, dhi, factor)
    np.testing.assert_allclose(got[0], ghi * factor, rtol=1e-12)
    assert np.abs(got[0] - (got[1] * SINE + got[2])).max() < 1e-6
    assert (got[1] <= 0.9 * year_sun().e0 + 1e-9).all()
    below = dni * factor <= 0.9 * year_sun().e0
    np.testing.assert_array_equal(got[1][below], (dni * factor)[below])
    np.testing.assert_array_equal(got[2][below], (dhi * factor)[below])


def test_packed_values_close_within_a_watt_at_the_bound_too() -> None:
    ghi, dni, dhi = (np.round(x, 1) for x in year(1, 1200))
    got = scaled(ghi, dni, dhi, 1.12)
    at_bound = np.isclose(got[1], 0.9 * year_sun().e0)
    assert at_bound.sum() > 100
    assert np.abs(got[0] - (got[1] * SINE + got[2])).max() < 1


def test_the_bound_is_that_of_the_placeholder_year() -> None:
    noon = np.datetime64("2001-07-04T12:30", "s").astype(np.int64)
    hour = int((noon - np.datetime64("2001-01-01", "s").astype(np.int64)) // 3600)
    assert year_sun().e0[hour] == pytest.approx(sun_table(noon).e0[0])
    assert year_sun().e0.min() == pytest.approx(1320, abs=3)


def test_what_is_no_factor_is_refused() -> None:
    ghi, dni, dhi = year(0, 500)
    for factor in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="a factor must be positive and finite"):
            scaled(ghi, dni, dhi, factor)
    with pytest.raises(ValueError, match=r"dni has shape \(3,\)"):
        scaled(ghi, dni[:3], dhi, 1.0)
