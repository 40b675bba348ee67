"""Loss by tilt: a rack that faces south in the mountains, where January loses nine tenths at 35 degrees."""

import functools

import numpy as np
import pytest

from kernels.snow.cloudless import cloudless_days
from kernels.snow.cover import cover
from kernels.snow.months import Months, monthly
from kernels.snow.panel import Panel, retention
from tests.kernels.snow.winters import mountain


@functools.cache
def losses(tilt: float) -> Months:
    days, weather = mountain()
    light = cloudless_days(60.6, 7.5, 1220.0, np.full(12, 2.5), [(tilt, 180.0)], 0.5)[0]
    return monthly(days, cover(days, weather, light, Panel(tilt, "rack"), 7.5), light, 1991, 0.0)


@pytest.mark.parametrize(("tilt", "share"), [(0, 1), (45, 1), (60, 0.5), (67.5, 1 - 0.5**0.5), (75, 0.134), (90, 0)])
def test_share_of_new_snow_that_stays(tilt: float, share: float) -> None:
    assert retention(tilt) == pytest.approx(share, abs=1e-4)


@pytest.mark.parametrize("tilt", [45, 60])
def test_loss_of_a_year_has_no_step(tilt: float) -> None:
    below, above = (losses(tilt + side).annual.incl_soiling for side in (-0.01, 0.01))
    assert abs(above - below) < 0.05


def test_loss_of_a_year_falls_from_45_degrees_to_a_wall() -> None:
    years = [losses(tilt).annual.incl_soiling for tilt in range(45, 91, 3)]
    assert (np.diff(years) <= 0).all()
    assert years[0] > 10


def test_a_wall_loses_next_to_nothing_where_january_takes_most_of_a_rack() -> None:
    assert losses(35).mean[0] > 80
    assert losses(90).mean[0] < 1
