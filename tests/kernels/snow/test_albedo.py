"""The albedo of a month, by hand."""

import numpy as np

from kernels.snow.albedo import BARE, UNDER_SNOW, monthly_albedo


def test_albedo_is_by_the_share_of_known_days_with_more_than_two_centimetres() -> None:
    depth = np.zeros((48, 3))
    depth[:4, 0] = [500.0, 20.1, 20.0, 0.0]
    depth[:, 1] = 30.0
    depth[:8, 2] = [np.nan, 20.1, np.nan, 0.0, *[np.nan] * 4]
    expected = np.full((12, 3), [BARE, UNDER_SNOW, BARE])
    expected[0, [0, 2]] = 0.4
    expected[1, 2] = np.nan
    np.testing.assert_allclose(monthly_albedo(np.repeat(np.arange(12), 4), depth), expected)
