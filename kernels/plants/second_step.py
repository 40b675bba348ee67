"""The second step of the calibration: factors by sun position and month, and snow, used where held-out weeks gain."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.plants.position_factors import Table
from kernels.plants.position_fit import Lattice, Rows, fit_tables
from kernels.plants.snow_months import snow_factors

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

GAIN = 0.03
"""Part by which the mean absolute error must fall."""
WITHIN = 0.10
"""Deviation of a factor from 1 that changes nothing, as in the first step."""
FOLDS = 5
_MATERIAL = ((0.10, 0.03), (0.20, 0.0015))
# Of the energy, 3 % must be moved beyond 10 %, or 0.15 % beyond 20 %; 98 % of healthy plants stay below 0.8 and 0.1 %.
_WEEK_DAYS = 7


class Evidence(NamedTuple):
    """Hours of the second step; `covered`: of days under snow, from which no table is learned.

    Attributes
    ----------
    rows : Rows
        n hours.
    day, month : int64 (n,)
    covered : bool (n,)
    """

    rows: Rows
    day: NDArray[np.int64]
    month: NDArray[np.int64]
    covered: Flags


class SecondStep(NamedTuple):
    """`table` and `snow` are None where they are not used."""

    table: Table | None
    snow: Floats | None
    figures: dict[str, float]


def weather_factor(evidence: Evidence) -> float:
    """Return measured over modelled energy, 1 where it is within 10 %, or no better on weeks held out.

    For plants without enough clear days for the first step, whose weather is known.
    """
    bare = evidence.rows.where(~evidence.covered)
    odd = (evidence.day[~evidence.covered] // _WEEK_DAYS) % 2 == 1
    if not odd.any() or odd.all():
        return 1.0
    fitted = float(bare.measured[~odd].sum() / bare.model[~odd].sum())
    before, after = (float(np.abs(bare.measured - factor * bare.model)[odd].mean()) for factor in (1.0, fitted))
    return fitted if abs(fitted - 1) > WITHIN and after < (1 - GAIN) * before else 1.0


def second_step(evidence: Evidence, place: Lattice, base: float, clip: float) -> SecondStep:
    """Return the factors that beat the first step on held-out weeks.

    Parameters
    ----------
    evidence : Evidence
    place : Lattice
    base : float
        Factor of the first step.
    clip : float
        Limit of the inverter, W; infinite for none.
    """
    rows, bare = evidence.rows, ~evidence.covered
    fold = (evidence.day - evidence.day.min()) // _WEEK_DAYS % FOLDS
    table, without = fit_tables(rows.where(bare), base, place, fold[bare], FOLDS)
    plain, factors = np.full(bare.size, base), np.full(bare.size, base)
    snows = [np.ones(bare.size), np.ones(bare.size)]
    for k in range(FOLDS):
        out = fold == k
        every = _factors(without[k], rows, base)
        factors[out] = every[out]
        for snow, used in zip(snows, (plain, every), strict=True):
            snow[out] = _snow(evidence, used, ~out)[evidence.month[out]]

    def error(factor: Floats, where: Flags) -> float:
        watts = np.minimum(rows.model * factor, clip)
        return float(np.abs(rows.measured - watts)[where].mean())

    before, after = error(plain, bare), error(factors, bare)
    figures = {"mae_positions": after}
    better = _material(table, rows.where(bare), base, figures) and after < (1 - GAIN) * before
    chosen, snow = (factors, snows[1]) if better else (plain, snows[0])
    everywhere = np.ones(bare.size, bool)
    snowless, with_snow = error(chosen, everywhere), error(chosen * snow, everywhere)
    snowy = with_snow < (1 - GAIN) * snowless
    figures |= {"mae_before": error(plain, everywhere), "mae_after": with_snow if snowy else snowless}
    used = _factors(table, rows, base) if better else plain
    figures["mean_factor"] = float((rows.model * used)[bare].sum() / rows.model[bare].sum())
    return SecondStep(table if better else None, _snow(evidence, used, everywhere) if snowy else None, figures)


def _factors(table: Table, rows: Rows, base: float) -> Floats:
    return table.factors(base, rows.beam, rows.elevation, rows.azimuth, rows.hour_starts)


def _material(table: Table, rows: Rows, base: float, figures: dict[str, float]) -> bool:
    """Return whether a table moves more energy than the errors of an ordinary plant's model are."""
    change = np.abs(_factors(table, rows, base) / base - 1)
    moved = [float((rows.model * np.maximum(change - over, 0)).sum() / rows.model.sum()) for over, _ in _MATERIAL]
    figures["moved_beyond_20_percent"] = moved[1]
    return any(part >= least for part, (_, least) in zip(moved, _MATERIAL, strict=True))


def _snow(evidence: Evidence, factors: Floats, where: Flags) -> Floats:
    """Return the snow factors of months from the hours chosen."""
    days, which = np.unique(evidence.day[where], return_inverse=True)
    rows = evidence.rows.where(where)
    measured, expected, covered = (
        np.bincount(which, values, days.size).astype(np.float64)
        for values in (rows.measured, rows.model * factors[where], evidence.covered[where])
    )
    months = np.zeros(days.size, np.int64)
    months[which] = evidence.month[where]
    return snow_factors(measured, expected, covered > 0, months)
