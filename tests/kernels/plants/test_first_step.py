"""The contract's first step, on both sides of each condition."""

import numpy as np
import pytest

from kernels.plants.first_step import first_step
from tests.kernels.plants.test_clear_days import CLEAR, FREE, SUN


def days(count: int, level: float | np.ndarray) -> np.ndarray:
    """So many clear days at a level; the others jump from hour to hour."""
    cloud = np.random.default_rng(1).uniform(0.1, 1, CLEAR.shape)
    return CLEAR * np.where(np.arange(len(CLEAR))[:, None] < count, np.broadcast_to(level, (30,))[:, None], cloud)


@pytest.mark.parametrize(("count", "factor", "reason"), [(5, 1.0, "few_clear_days"), (6, 0.85, "clear_days")])
def test_six_clear_days_are_needed(count, factor, reason):
    step = first_step(days(count, 0.85), CLEAR, SUN, FREE)
    assert (step.factor, step.reason) == (pytest.approx(factor), reason)
    assert step.figures["clear_days"] == count


@pytest.mark.parametrize(("level", "applied"), [(0.91, False), (0.89, True), (1.09, False), (1.11, True)])
def test_factor_within_ten_percent_is_not_applied(level, applied):
    step = first_step(days(30, level), CLEAR, SUN, FREE)
    assert step.factor == pytest.approx(level if applied else 1.0)
    assert step.reason == ("clear_days" if applied else "within_tolerance")
    assert step.values["factor"] == pytest.approx(level)


def test_factor_that_other_clear_days_contradict_is_not_applied():
    step = first_step(days(30, np.where(np.arange(30) % 2 == 0, 0.8, 1.05)), CLEAR, SUN, FREE)
    assert step.reason == "not_better_on_test_days"
    assert step.factor == 1


def test_hours_at_the_limit_are_left_out():
    measured = np.minimum(0.85 * CLEAR, 3500)
    step = first_step(measured, CLEAR, SUN, measured >= 3395)
    assert step.factor == pytest.approx(0.85)
