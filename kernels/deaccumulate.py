"""Accumulated shortwave to hour means.

The upstream model gives the energy since the start of its cycle (W s/m2). Packed files shake by some hundred
W s/m2, so the running maximum is taken first: a step is then never negative, and the sum of rate x step is
the last accumulated maximum. A larger fall is a new base inside the cycle and is refused, because the energy
between the last value and the new zero is unknown.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kernels.sizes import require_size

NOISE = 3600.0
"""Largest fall below the running maximum that is packing noise, W s/m2 (1 W/m2 over an hour)."""

HIGHEST_RATE = 2100.0
"""Mean irradiance of a step above which the value is refused, W/m2: 1.5 x 1400."""


class AccumulationError(ValueError):
    """An accumulated value that cannot be used; a whole series is refused for it.

    Attributes
    ----------
    cell : int
        Flat index of the cell.
    step : int
        Index of the instant that holds the value (0 = the first instant).
    sentence : str
        What is wrong, without the place.
    """

    def __init__(self, cell: int, step: int, sentence: str) -> None:
        super().__init__(f"cell {cell}, step {step}: {sentence}")
        self.cell = cell
        self.step = step
        self.sentence = sentence


def start(first: NDArray[np.float32], running_max: NDArray[np.float32]) -> int:
    """Begin a series with its first instant.

    Parameters
    ----------
    first : float32 (cells,)
        Accumulated shortwave at the first instant, W s/m2; NaN is missing.
    running_max : float32 (cells,)
        Filled with max(first, 0); NaN where first is NaN.

    Returns
    -------
    int
        -1, or the first cell whose value is refused (then ask `refusal` why).
    """
    require_size(first.size, first=first, running_max=running_max)
    refused = (first < -NOISE) | (first > NOISE)
    if refused.any():
        running_max[:] = 0
        return int(refused.argmax())
    np.maximum(first, np.float32(0), out=running_max)
    return -1


def advance(
    running_max: NDArray[np.float32],
    acc_next: NDArray[np.float32],
    step_seconds: float,
    out_rate: NDArray[np.float32],
) -> int:
    """Take the series one instant further.

    Parameters
    ----------
    running_max : float32 (cells,)
        State from `start`, updated in place, W s/m2. NaN is sticky: a cell missing at one instant is missing
        from there on, and the caller must set the cell's earlier hours missing too at the end of the series.
    acc_next : float32 (cells,)
        Accumulated shortwave at the next instant, W s/m2.
    step_seconds : float
        Length of the step, s.
    out_rate : float32 (cells,)
        Mean irradiance over the step, W/m2, >= 0.

    Returns
    -------
    int
        -1, or the first cell whose value is refused; its `running_max` is then untouched, so that
        `refusal` can say why, and the arrays are good for nothing else. Releases the GIL.
    """
    require_size(running_max.size, running_max=running_max, acc_next=acc_next, out_rate=out_rate)
    return int(_advance(running_max, acc_next, np.float32(step_seconds), out_rate))


def refusal(running_max: NDArray[np.float32], acc_next: NDArray[np.float32], cell: int, step: int) -> AccumulationError:
    """Say why `start` or `advance` refused a cell: a new base, or a value that is infinite or more than the sun gives.

    Parameters
    ----------
    running_max, acc_next : float32 (cells,)
        As they were given.
    cell : int
        As it was returned.
    step : int
        Index of the instant, for the message.
    """
    highest, value = float(running_max[cell]), float(acc_next[cell])
    sentence = f"accumulated shortwave of {value:.6g} W s/m2 is not possible"
    if np.isfinite(value) and highest - value > NOISE:
        sentence = f"accumulated shortwave falls by {highest - value:.0f} W s/m2: a new base inside the cycle"
    return AccumulationError(cell, step, sentence)


@njit(nogil=True, cache=True, error_model="numpy")
def _advance(running_max, acc, step_seconds, out_rate):  # type: ignore[no-untyped-def]
    noise = np.float32(NOISE)
    highest_rise = np.float32(HIGHEST_RATE) * step_seconds + noise
    for cell in range(acc.size):
        rise = acc[cell] - running_max[cell]
        if rise > highest_rise or rise < -noise:
            return cell
        if rise <= 0:
            out_rate[cell] = 0
        elif rise > 0:
            out_rate[cell] = rise / step_seconds
            running_max[cell] = acc[cell]
        else:
            out_rate[cell] = np.nan
            running_max[cell] = np.nan
    return -1
