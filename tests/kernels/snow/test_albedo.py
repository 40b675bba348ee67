"""The albedo of a month, by hand."""

import numpy as np
import pytest

from kernels.snow.albedo import BARE, UNDER_SNOW, monthly_albedo


def test_half_of_the_days_with_snow_is_half_way() -> None:
    months = np.repeat(np.arange(12), 4)
    depth = np.zeros((48, 3))
    depth[:2, 0] = 500.0  # two of four days in January
    depth[:, 1] = 30.0
    depth[4:8, 2] = np.nan
    albedo = monthly_albedo(months, depth)
    assert albedo[:, 0].tolist() == pytest.approx([0.4] + [BARE] * 11)
    assert albedo[:, 1].tolist() == pytest.approx([UNDER_SNOW] * 12)
    assert np.isnan(albedo[1, 2]), "of February nothing is known"
    assert np.isfinite(np.delete(albedo[:, 2], 1)).all()


def test_two_centimetres_are_not_yet_snow_and_unknown_days_do_not_count() -> None:
    months = np.zeros(4, np.int64)
    albedo = monthly_albedo(months, np.array([[20.0], [20.1], [np.nan], [np.nan]]))
    assert albedo[0, 0] == pytest.approx(0.4)
