"""A year made brighter: it adds up as before, and the beam keeps below what air lets through."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.sun import sun_table
from kernels.tmy.scaling import scaled
from kernels.tmy.year_sun import year_sun

SINE = np.random.default_rng(0).uniform(0, 0.8, 8760) * (np.arange(8760) % 24 > 5)
BOUND = 0.9 * year_sun().e0


def year(seed: int, brightest: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    dni, dhi = draw.uniform(0, brightest, 8760) * (SINE > 0), draw.uniform(0, 200, 8760)
    return dni * SINE + dhi, dni, dhi


@given(seed=st.integers(0, 2**32 - 1), factor=st.floats(0.5, 2.0), brightest=st.floats(1, 1250))
@settings(max_examples=40)
def test_scaled_year_closes_and_is_bounded(seed: int, factor: float, brightest: float) -> None:
    ghi, dni, dhi = year(seed, brightest)
    got = scaled(ghi, dni, dhi, factor)
    np.testing.assert_allclose(got[0], ghi * factor, rtol=1e-12)
    np.testing.assert_allclose(got[1], np.minimum(dni * factor, BOUND), rtol=1e-12)
    np.testing.assert_allclose(got[2], got[0] - got[1] * SINE, atol=1e-6)


def test_bound_is_that_of_the_placeholder_year() -> None:
    noon = np.datetime64("2001-07-04T12:30", "s").astype(np.int64)
    assert year_sun().e0[184 * 24 + 12] == pytest.approx(sun_table(noon).e0[0])
    assert year_sun().e0.min() == pytest.approx(1320, abs=3)


@pytest.mark.parametrize("factor", [0.0, -1.0, np.nan, np.inf])
def test_what_is_no_factor_is_refused(factor: float) -> None:
    with pytest.raises(ValueError, match="a factor must be positive and finite"):
        scaled(*year(0, 500), factor)


def test_another_length_is_refused() -> None:
    ghi, dni, dhi = year(0, 500)
    with pytest.raises(ValueError, match=r"dni has shape \(3,\)"):
        scaled(ghi, dni[:3], dhi, 1.0)
