"""Kasten & Czeplak against their formula."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.cloud import ghi_under_cloud


def under(gcs: object, cloud: object) -> np.ndarray:
    out = np.empty(np.size(gcs), np.float32)
    ghi_under_cloud(np.ravel(gcs).astype(np.float32), np.ravel(cloud).astype(np.float32), out)
    return out


@given(cloud=st.lists(st.floats(0, 1, width=32), min_size=1))
def test_ghi_under_cloud_agrees_with_the_formula_and_never_rises_with_cloud(cloud: list[float]) -> None:
    cloud = np.sort(cloud)
    got = under(np.full(cloud.size, 1000.0), cloud)
    np.testing.assert_allclose(got, 1000 * (1 - 0.75 * cloud**3.4), atol=2e-3)
    assert (np.diff(got) <= 0).all()


@pytest.mark.parametrize(
    ("gcs", "cloud", "ghi"),
    [
        *[(800, cloud, 800) for cloud in (0.0, -0.2)],
        *[(800, cloud, 200) for cloud in (1.0, 1.3, np.inf)],
        (800, np.nan, np.nan),
        (np.nan, 0.5, np.nan),
        (0, 0.7, 0),
    ],
)
def test_cloud_is_clipped_and_missing_stays_missing(gcs: float, cloud: float, ghi: float) -> None:
    np.testing.assert_array_equal(under(gcs, cloud), np.float32([ghi]))


def test_wrong_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="cloud has shape"):
        under(np.zeros(3), np.zeros(4))
