"""The first step of the calibration: one factor from clear days."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.plants.clear_days import LOWEST_SUN, plain

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

FEWEST_DAYS = 6
TOLERANCE = 0.10
"""A factor closer to 1 is not applied."""


class FirstStep(NamedTuple):
    """`factor` is 1 unless applied; `reason`, `values`, `figures` as in `Calibration`."""

    factor: float
    reason: str
    values: dict[str, float]
    figures: dict[str, float]


def first_step(measured: Floats, clear: Floats, elevation: Floats, limited: Flags) -> FirstStep:
    """Return the factor of the contract's step 1.

    Parameters
    ----------
    measured, clear, elevation, limited : (d, 24)
        As `clear_days.plain` takes them.

    Returns
    -------
    FirstStep
        The median of measured / clear on every second clear day; applied when it is more than 10 % from 1 and the root
        mean square error of the other clear days falls by it. At least six clear days are needed.
    """
    days = np.flatnonzero(plain(measured, clear, elevation, limited))
    figures: dict[str, float] = {"clear_days": float(days.size)}
    if days.size < FEWEST_DAYS:
        return FirstStep(1.0, "few_clear_days", {"found": float(days.size), "needed": float(FEWEST_DAYS)}, figures)
    use = np.isfinite(measured) & ~limited & (clear > 0) & (elevation > LOWEST_SUN)
    learned, tested = (use & np.isin(np.arange(len(use)), chosen)[:, None] for chosen in (days[::2], days[1::2]))
    factor = float(np.median(measured[learned] / clear[learned]))
    error = {name: measured[tested] - f * clear[tested] for name, f in (("before", 1.0), ("after", factor))}
    figures |= {f"clear_day_mae_{name}": float(np.abs(values).mean()) for name, values in error.items()}
    values = {"factor": factor, "days": float(days.size)}
    if abs(factor - 1) <= TOLERANCE:
        return FirstStep(1.0, "within_tolerance", values, figures)
    if not (error["after"] ** 2).mean() < (error["before"] ** 2).mean():
        return FirstStep(1.0, "not_better_on_test_days", values, figures)
    return FirstStep(factor, "clear_days", values, figures)
