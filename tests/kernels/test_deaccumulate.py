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


def deaccumulate(acc: np.ndarray) -> np.ndarray:
    """A whole series (t, cells), as the builders take it: instant by instant."""
    running_max, rates = np.empty(acc.shape[1], np.float32), np.empty((acc.shape[0] - 1, acc.shape[1]), np.float32)
    cell = start(acc[0], running_max)
    for step in range(acc.shape[0]):
        if step > 0:
            cell = advance(running_max, acc[step], HOUR, rates[step - 1])
        if cell >= 0:
            raise refusal(running_max, acc[step], cell, step)
    rates[:, np.isnan(running_max)] = np.nan
    return rates


def accumulate(rates: np.ndarray) -> np.ndarray:
    return np.vstack([np.zeros(rates.shape[1]), np.cumsum(rates * HOUR, axis=0)])


def one_cell(*values: float) -> np.ndarray:
    return np.array(values, np.float32)[:, None]


@given(rates=rates_of_cells, data=st.data())
@settings(max_examples=150)
def test_rates_come_back_and_noise_changes_no_law(rates: np.ndarray, data: st.DataObject) -> None:
    clean = accumulate(rates)
    # float32 of the accumulated energy is good to one part in 2^24.
    np.testing.assert_allclose(deaccumulate(clean.astype(np.float32)), rates, atol=1e-6 + clean.max() / 2**23 / HOUR)
    # Two values each within half the bound keep every fall below the running maximum within the bound.
    noise = data.draw(hnp.arrays(np.float64, clean.shape, elements=st.floats(-NOISE / 2 + 8, NOISE / 2 - 8)))
    noisy = (clean + noise).astype(np.float32)
    got = deaccumulate(noisy)
    assert (got >= 0).all()
    last = np.maximum(noisy.max(0), 0) - np.maximum(noisy[0], 0)
    np.testing.assert_allclose(got.sum(0, dtype=float) * HOUR, last, rtol=1e-5, atol=0.5)
    assert np.abs(got - rates).max() <= 1.0


@given(rates=rates_of_cells, data=st.data(), fall=st.floats(NOISE + 64, 3e7))
def test_new_base_is_refused_with_its_cell_and_step(rates: np.ndarray, data: st.DataObject, fall: float) -> None:
    acc = accumulate(rates).astype(np.float32)
    step, cell = data.draw(st.integers(0, rates.shape[0])), data.draw(st.integers(0, rates.shape[1] - 1))
    # A base in the first instant is a value below zero.
    acc[step, cell] = acc[max(step - 1, 0), cell] - np.float32(fall)
    with pytest.raises(AccumulationError, match=f"cell {cell}, step {step}.*a new base inside the cycle") as caught:
        deaccumulate(acc)
    assert (caught.value.cell, caught.value.step) == (cell, step)
    told = float(str(caught.value).split("falls by ")[1].split()[0])
    assert told == pytest.approx(fall, rel=1e-3, abs=8)


def test_fall_of_3600_is_noise_and_one_more_is_none() -> None:
    rates = deaccumulate(one_cell(0, 100_000, 100_000 - 3600, 200_000))
    np.testing.assert_allclose(rates[:, 0] * HOUR, [100_000, 0, 100_000], rtol=1e-6)
    with pytest.raises(AccumulationError, match="a new base inside the cycle"):
        deaccumulate(one_cell(0, 100_000, 100_000 - 3601, 200_000))


def test_noise_is_measured_against_the_running_maximum() -> None:
    """Two falls of 2,000 below each other are one of 4,000 below the maximum."""
    with pytest.raises(AccumulationError, match="falls by 4000 W s/m2") as caught:
        deaccumulate(one_cell(0, 50_000, 48_000, 46_000))
    assert caught.value.step == 3


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e12, 2101.0 * 3600 + 3600])
def test_infinite_and_absurd_values_are_refused(value: float) -> None:
    acc = np.repeat(one_cell(0, 1000, 1000, 1000), 3, axis=1)
    acc[2, 1] = value
    with pytest.raises(AccumulationError, match="is not possible") as caught:
        deaccumulate(acc)
    assert (caught.value.cell, caught.value.step) == (1, 2)


def test_series_that_does_not_begin_at_zero_is_refused() -> None:
    with pytest.raises(AccumulationError, match="is not possible") as caught:
        deaccumulate(one_cell(1e6, 1e6))
    assert caught.value.step == 0


@given(step=st.integers(0, 5), cell=st.integers(0, 3))
def test_cell_missing_once_is_missing_for_the_whole_series(step: int, cell: int) -> None:
    acc, expected = accumulate(np.full((5, 4), 100.0)).astype(np.float32), np.full((5, 4), 100.0)
    acc[step, cell], expected[:, cell] = np.nan, np.nan
    np.testing.assert_allclose(deaccumulate(acc), expected, rtol=1e-6)


def test_streaming_in_parts_equals_the_whole_and_names_the_cell_of_the_part() -> None:
    acc = accumulate(np.random.default_rng(8).uniform(0, 900, (6, 50))).astype(np.float32)
    got, running_max, part = np.empty((6, 50), np.float32), np.empty(50, np.float32), slice(20, 50)
    for cells in (slice(0, 20), part):
        assert start(acc[0, cells], running_max[cells]) == -1
        for step in range(1, 7):
            assert advance(running_max[cells], acc[step, cells], HOUR, got[step - 1, cells]) == -1
    np.testing.assert_array_equal(got, deaccumulate(acc))
    acc[6, 33] -= 10_000
    assert advance(running_max[part], acc[6, part], HOUR, got[0, part]) == 13
    error = refusal(running_max[part], acc[6, part], 13, 7)
    assert "a new base" in str(error)
    assert (error.cell, error.step) == (13, 7)
