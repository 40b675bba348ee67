"""Kasten & Czeplak against their formula."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.cloud import ghi_under_cloud


def under(gcs: float, cloud: float) -> float:
    out = np.empty(1, np.float32)
    ghi_under_cloud(np.array([gcs], np.float32), np.array([cloud], np.float32), out)
    return float(out[0])


@given(cloud=st.floats(0, 1, width=32))
def test_agrees_with_the_formula(cloud: float) -> None:
    assert under(1000.0, cloud) == pytest.approx(1000 * (1 - 0.75 * cloud**3.4), abs=2e-3)


@given(cloud=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_more_cloud_never_gives_more_light(cloud: tuple[float, float]) -> None:
    less, more = sorted(cloud)
    assert under(800.0, less) >= under(800.0, more)


@pytest.mark.parametrize(
    ("cloud", "ghi"),
    [(0.0, 800), (-0.2, 800), (1.0, 200), (1.3, 200), (np.inf, 200), (0.5, 800 * (1 - 0.75 * 0.5**3.4))],
)
def test_known_values_and_clipping(cloud: float, ghi: float) -> None:
    assert under(800.0, cloud) == pytest.approx(ghi, abs=2e-3)


def test_missing_stays_missing_and_night_is_zero() -> None:
    assert np.isnan(under(800.0, np.nan))
    assert np.isnan(under(np.nan, 0.5))
    assert under(0.0, 0.7) == 0


def test_wrong_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="cloud has shape"):
        ghi_under_cloud(np.zeros(3, np.float32), np.zeros(4, np.float32), np.zeros(3, np.float32))
