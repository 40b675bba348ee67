"""Counters: columns whose numbers only rise, or begin anew each day, and power that one beside it proves."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Counter = Literal["teller", "dagteller", ""]
_LEAST_RISES = 5
HOUR_S = 3600
_AGREE = 0.06
_LONGEST_DIP, _AT_ONCE = 1500, 0.9  # readings; of what it fell by


class Proven(NamedTuple):
    """Columns of power, and their unit where a counter in kWh tells it."""

    columns: tuple[int, ...]
    unit: str


def counter_kind(values: Floats, day: Ints) -> Counter:
    """Return `teller` for a counter, `dagteller` for one that begins anew each day, else nothing.

    Parameters
    ----------
    values : float64 (n,)
        Without NaN.
    day : int64 (n,)
        Number of the day of each.
    """
    steps = np.diff(values)
    rises, fell = int((steps > 0).sum()), np.flatnonzero(steps < 0)
    if rises < _LEAST_RISES or values.max(initial=0) <= 0:
        return ""
    to_nothing = values[fell + 1] <= 0.05 * values[fell]
    if fell.size <= 0.002 * len(steps) or (fell.size <= 3 and to_nothing.all() and rises > 50 * fell.size):
        return "teller"
    days = np.unique(day).size
    # Energy of intervals falls as often as it rises.
    if to_nothing.mean() > 0.9 and fell.size <= 1.3 * days + 1 and rises >= 3 * fell.size:
        return "dagteller"
    within = np.diff(day) == 0
    is_daily = (steps[within] < 0).sum() <= 0.02 * rises + 0.2 * days and fell.size >= 0.3 * (days - 1)
    return "dagteller" if is_daily else ""


def is_dip(readings: Floats) -> NDArray[np.bool_]:
    """Return which readings of a counter are nought or low by mistake, (n,): it soon is back at once where it was."""
    out = np.zeros(len(readings), bool)
    falls, dips = np.flatnonzero(np.diff(readings) < 0).tolist(), 0
    for fall in falls:
        after = readings[fall + 1 : fall + 1 + _LONGEST_DIP]
        back = int(np.argmax(after >= readings[fall]))
        if back and after[back] - after[back - 1] > _AT_ONCE * (readings[fall] - after[0]):
            out[fall + 1 : fall + 1 + back] = True
            dips += 1
    return out & (2 * dips > len(falls))  # of a counter that begins anew each day hardly any is one


def fineness(values: Floats) -> float:
    """Return the rank of a counter: above power where its steps are fine, below where they are coarse."""
    steps = np.diff(values)
    steps = steps[steps > 0]
    if steps.size < _LEAST_RISES:
        return 1.5
    return 2.8 if np.median(steps) >= 5 * _finest(values) else 1.5


def is_coarse(readings: Floats, hour: Ints) -> bool:
    """Return whether a counter's smallest step is more than a tenth of what it rises by in an hour.

    Parameters
    ----------
    readings : float64 (n,)
    hour : int64 (n,)
        Number of the hour of each.
    """
    steps = np.diff(readings)
    rises = steps > 0
    hours = max(np.unique(hour[1:][rises]).size, 1)
    return bool(rises.any() and _finest(readings) > 0.1 * steps[rises].sum() / hours)


def _finest(readings: Floats) -> float:
    return float(np.diff(np.unique(np.round(readings, 6))).min(initial=np.inf))


def power_stamp(unix: Ints, power: Floats, counter: Floats, step_s: int) -> Literal["start", "slutt"] | None:
    """Return which end of the interval the stamps of power are, by a counter beside it; None where they say nothing.

    Power that is stamped at the end agrees with the counter's step before it, at the start with the step after it.

    Parameters
    ----------
    unix : int64 (n,)
    power, counter : float64 (n,)
        In any unit.
    step_s : int
        Length of an interval.
    """
    steps = np.diff(counter)
    usable = (np.diff(unix) == step_s) & (steps >= 0) & np.isfinite(power[1:]) & np.isfinite(power[:-1])
    if usable.sum() < 30 or steps[usable].sum() <= 0 or (energy := np.nansum(power[1:][usable])) <= 0:
        return None
    energies = power * (steps[usable].sum() / energy)
    usual = float(np.abs(steps[usable]).mean())
    before = float(np.abs(energies[1:] - steps)[usable].mean())
    after = float(np.abs(energies[:-1] - steps)[usable].mean())
    if min(before, after) > 0.5 * usual:
        return None
    if before < 0.6 * after:
        return "slutt"
    return "start" if after < 0.6 * before else None


def proven_power(others: Mapping[int, Floats], counters: Mapping[int, Floats], step_s: int) -> Proven | None:
    """Return the columns of power whose energy counters beside them confirm, one for each counter; None without.

    Parameters
    ----------
    others, counters : mapping of int to float64 (n,)
        Columns that may be power, and counters.
    step_s : int
        Length of an interval.
    """
    found: dict[int, str] = {}
    for counter in counters.values():
        steps = np.diff(counter)
        risen = float(np.where(steps < 0, counter[1:], steps).sum())  # one that falls has begun anew
        best, chosen = _AGREE, None
        for column, power in others.items():
            ratio = float(np.maximum(power, 0).sum()) * step_s / HOUR_S / risen if risen > 0 else 0.0
            for scale, unit in ((1.0, ""), (1000.0, "W")):
                if abs(ratio / scale - 1) < best:
                    best, chosen = abs(ratio / scale - 1), (column, unit)
        if chosen is not None:
            found.setdefault(*chosen)
    return Proven(tuple(found), next(iter(found.values()))) if found else None
