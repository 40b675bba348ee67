"""De-accumulation: the sum law, noise, missing cells, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from kernels.deaccumulate import NOISE, AccumulationError, advance, refusal, start

HOUR = 3600.0
SHAPES = st.tuples(st.integers(1, 12), st.integers(1, 8))
rates_of_cells = hnp.arrays(np.float64, SHAPES, elements=st.floats(0, 1000))


def deaccumulate(acc: np.ndarray, step_seconds: float) -> np.ndarray:
    """A whole series (t, cells), as the builders take it: instant by instant."""
    running_max, rates = np.empty(acc.shape[1], np.float32), np.empty((acc.shape[0] - 1, acc.shape[1]), np.float32)
    cell = start(acc[0], running_max)
    for step in range(acc.shape[0]):
        if step > 0:
            cell = advance(running_max, acc[step], step_seconds, rates[step - 1])
        if cell >= 0:
            raise refusal(running_max, acc[step], cell, step)
    rates[:, np.isnan(running_max)] = np.nan
    return rates


def accumulate(rates: np.ndarray) -> np.ndarray:
    return np.vstack([np.zeros(rates.shape[1]), np.cumsum(rates * HOUR, axis=0)])


@given(rates=rates_of_cells)
def test_rates_come_back(rates: np.ndarray) -> None:
    got = deaccumulate(accumulate(rates).astype(np.float32), HOUR)
    # float32 of the accumulated energy is good to one part in 2^24.
    np.testing.assert_allclose(got, rates, atol=1e-6 + 2.0**-23 * accumulate(rates).max() / HOUR)


@given(rates=rates_of_cells, data=st.data())
@settings(max_examples=150)
def test_noise_changes_no_law(rates: np.ndarray, data: st.DataObject) -> None:
    clean = accumulate(rates)
    # Two values each within half the bound keep every fall below the running maximum within the bound.
    noise = data.draw(hnp.arrays(np.float64, clean.shape, elements=st.floats(-NOISE / 2 + 8, NOISE / 2 - 8)))
    noisy = (clean + noise).astype(np.float32)
    got = deaccumulate(noisy, HOUR)
    assert (got >= 0).all()
    total = got.astype(np.float64).sum(0) * HOUR
    last = np.maximum(noisy.max(0), 0) - np.maximum(noisy[0], 0)
    np.testing.assert_allclose(total, last, rtol=1e-5, atol=0.5)
    assert np.abs(got - rates).max() <= 1.0


@given(rates=rates_of_cells, data=st.data(), fall=st.floats(NOISE + 64, 3e7))
def test_a_planted_new_base_is_refused_with_its_cell_and_step(
    rates: np.ndarray, data: st.DataObject, fall: float
) -> None:
    clean = accumulate(rates).astype(np.float32)
    step = data.draw(st.integers(0, rates.shape[0]))
    cell = data.draw(st.integers(0, rates.shape[1] - 1))
    # A base in the first instant is a value below zero.
    before = clean[max(step - 1, 0), cell]
    clean[step, cell] = np.float32(before) - np.float32(fall)
    with pytest.raises(AccumulationError, match="a new base inside the cycle") as caught:
        deaccumulate(clean, HOUR)
    assert (caught.value.cell, caught.value.step) == (cell, step)
    told = float(str(caught.value).split("falls by ")[1].split()[0])
    assert told == pytest.approx(fall, rel=1e-3, abs=8)
    assert f"cell {cell}, step {step}" in str(caught.value)


@pytest.mark.parametrize(("fall", "refused"), [(3600.0, False), (3601.0, True)])
def test_the_bound_is_exact(fall: float, refused: bool) -> None:
    acc = np.array([[0.0], [100_000.0], [100_000.0 - fall], [200_000.0]], np.float32)
    if refused:
        with pytest.raises(AccumulationError, match="a new base inside the cycle"):
            deaccumulate(acc, HOUR)
    else:
        np.testing.assert_allclose(deaccumulate(acc, HOUR)[:, 0] * HOUR, [100_000, 0, 100_000], rtol=1e-6)


def test_noise_is_measured_against_the_running_maximum() -> None:
    """Two falls of 2,000 below each other are one of 4,000 below the maximum."""
    acc = np.array([[0.0], [50_000.0], [48_000.0], [46_000.0]], np.float32)
    with pytest.raises(AccumulationError, match="a new base inside the cycle") as caught:
        deaccumulate(acc, HOUR)
    assert caught.value.step == 3
    assert "falls by 4000 W s/m2" in str(caught.value)


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e12, 2101.0 * 3600 + 3600])
def test_infinite_and_absurd_values_are_refused(value: float) -> None:
    acc = np.zeros((4, 3), np.float32)
    acc[1:, :] = 1000.0
    acc[2, 1] = value
    with pytest.raises(AccumulationError, match="is not possible") as caught:
        deaccumulate(acc, HOUR)
    assert (caught.value.cell, caught.value.step) == (1, 2)


def test_a_series_that_does_not_begin_at_zero_is_refused() -> None:
    acc = np.full((2, 1), 1e6, np.float32)
    with pytest.raises(AccumulationError, match="is not possible") as caught:
        deaccumulate(acc, HOUR)
    assert caught.value.step == 0


@given(step=st.integers(0, 5), cell=st.integers(0, 3))
def test_a_cell_missing_once_is_missing_for_the_whole_series(step: int, cell: int) -> None:
    acc = accumulate(np.full((5, 4), 100.0)).astype(np.float32)
    acc[step, cell] = np.nan
    got = deaccumulate(acc, HOUR)
    assert np.isnan(got[:, cell]).all()
    np.testing.assert_allclose(np.delete(got, cell, axis=1), 100, rtol=1e-6)


def test_streaming_in_parts_equals_the_whole_and_names_the_cell_of_the_part() -> None:
    rng = np.random.default_rng(8)
    acc = accumulate(rng.uniform(0, 900, (6, 50))).astype(np.float32)
    whole = deaccumulate(acc, HOUR)
    got, running_max = np.empty_like(whole), np.empty(50, np.float32)
    for part in (slice(0, 20), slice(20, 50)):
        assert start(acc[0, part], running_max[part]) == -1
        for step in range(1, 7):
            assert advance(running_max[part], acc[step, part], HOUR, got[step - 1, part]) == -1
    assert (got == whole).all()
    last = acc[6].copy()
    last[33] -= 10_000
    part = slice(20, 50)
    cell = advance(running_max[part], last[part], HOUR, got[0, part])
    assert cell == 13
    error = refusal(running_max[part], last[part], cell, 7)
    assert "a new base" in str(error)
    assert (error.cell, error.step) == (13, 7)
