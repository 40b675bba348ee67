"""Laws of the fits, whatever the seasons brought."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.snowload.fits import combined, levels

Floats = NDArray[np.float64]

ROUGH = 1e-10
PERIODS = st.lists(st.floats(1.001, 1e6) | st.sampled_from([2.0, 20.0, 50.0, 100.0]), min_size=1, max_size=6)
_SEASON = st.sampled_from([0.0, 0.0, 150.0, 150.0, 151.0]) | st.floats(1e-3, 3000) | st.floats(200, 200.001)
SEASONS = st.lists(_SEASON, min_size=2, max_size=80).map(np.array)
"""Many without snow, many the same, some all but the same."""
HOSTILE = st.lists(
    _SEASON | st.sampled_from([5e-324, 1e-300, 1e-9, 1e9, 1e300, float(np.finfo(np.float32).max)]),
    min_size=2,
    max_size=40,
).map(np.array)


@given(maxima=HOSTILE, periods=PERIODS)
@example(maxima=np.array([0.0] * 39 + [1.0]), periods=[40.0, 40.0000001, 1e6])
@example(maxima=np.array([5e-324, 1.0]), periods=[1.001, 50.0])
@example(maxima=np.array([5e-324, 5e-324, 1e300]), periods=[50.0])
@example(maxima=np.array([1.0, np.nextafter(1.0, 2.0)]), periods=[1.001, 50.0, 1e6])
def test_levels_are_finite_and_at_least_0(maxima: Floats, periods: list[float]) -> None:
    got = levels(maxima, periods)
    assert got.shape == (3, len(periods))
    assert np.isfinite(got).all()
    assert (got >= 0).all()


@given(maxima=SEASONS, periods=PERIODS)
def test_what_is_exceeded_more_seldom_is_no_less(maxima: Floats, periods: list[float]) -> None:
    got = levels(maxima, sorted(periods))
    assert (np.diff(got) >= -ROUGH * (1 + got[:, 1:])).all()
    assert (np.diff(combined(got)) >= -ROUGH * (1 + got.max())).all()


@given(maxima=SEASONS, times=st.floats(1e-6, 1e6), periods=PERIODS)
def test_so_many_times_the_snow_is_so_many_times_the_level(maxima: Floats, times: float, periods: list[float]) -> None:
    """Seasons of 200 mm to the tenth digit aside, whose spread is but rounding."""
    got, scaled = levels(maxima, periods), levels(times * maxima, periods)
    np.testing.assert_allclose(scaled, times * got, rtol=1e-7, atol=times * maxima.max() * 1e-12)
