"""The limit of an inverter, on both sides of each condition."""

import numpy as np
import pytest

from kernels.plants.clipping import clip_watts

HOURS = np.arange(24)
CLEAR = np.tile(np.maximum(np.sin((HOURS - 4) / 16 * np.pi), 0) * 8000 * ((HOURS > 4) & (HOURS < 20)), (20, 1))


def noisy(values: np.ndarray) -> np.ndarray:
    return values * np.random.default_rng(1).normal(1, 0.003, values.shape)


@pytest.mark.parametrize("part", [0.5, 0.7, 0.85])
def test_flat_peak_is_found(part):
    assert clip_watts(noisy(np.minimum(CLEAR, part * 8000)), CLEAR) == pytest.approx(part * 8000, rel=0.01)


def test_round_peak_is_no_limit():
    assert clip_watts(noisy(CLEAR), CLEAR) is None
    assert clip_watts(noisy(0.7 * CLEAR), CLEAR) is None


@pytest.mark.parametrize(("days", "limit"), [(2, None), (3, 5600.0)])
def test_three_days_are_needed(days, limit):
    level = np.where(np.arange(20) < days, 1.0, 0.4)[:, None]
    got = clip_watts(np.minimum(level * CLEAR, 5600), CLEAR)
    assert got == limit


def test_flat_peak_is_no_limit_where_the_model_is_as_flat():
    flat = np.minimum(CLEAR, 5600)
    assert clip_watts(flat, flat) is None


def test_level_that_is_often_passed_is_no_limit():
    measured = np.minimum(CLEAR, 5600)
    measured[10:] = CLEAR[10:]
    assert clip_watts(measured, CLEAR) is None


def test_single_spike_of_the_meter_hides_no_limit():
    measured = np.minimum(CLEAR, 5600)
    measured[4, 12] = 7000
    assert clip_watts(measured, CLEAR) == pytest.approx(5600)


def test_nothing_measured_has_no_limit():
    assert clip_watts(np.full(CLEAR.shape, np.nan), CLEAR) is None
    assert clip_watts(np.zeros(CLEAR.shape), CLEAR) is None
