"""Gaps of a file, and the truth that can be read in it: which hours, how firmly, and with what slack."""

import numpy as np
from numpy.typing import NDArray

from tests.support.exports import clock
from tests.support.exports.clock import DAY, HOUR
from tests.support.exports.draw import Spec
from tests.support.exports.export import Truth
from tests.support.exports.series import Series
from tests.support.exports.weather import Floats

Bools = NDArray[np.bool_]


def make_gaps(rng: np.random.Generator, spec: Spec, series: Series) -> Bools:
    """Return where values are: at intervals, or at readings (one more) of a counter."""
    count = len(series.starts) + (spec.quantity == "teller")
    known = np.ones(count, dtype=bool)
    if not spec.has("gaps"):
        return known
    if rng.random() < 0.5:
        known[rng.random(count) < rng.uniform(0.002, 0.02)] = False
    else:
        for _ in range(int(rng.integers(1, 3))):
            length = int(rng.uniform(0.02, 0.08) * count) + 2
            begin = int(rng.integers(1, max(count - length, 2)))
            known[begin : begin + length] = False
    known[0] = known[-1] = True
    return known


def daylight(spec: Spec, series: Series, known: Bools) -> Bools:
    """Return which values are by day, with one zero value at dusk; of counters the readings that move."""
    bright = series.energy > 0
    if spec.quantity == "teller":
        return known & (np.append(bright, False) | np.insert(bright, 0, False))
    return known & (bright | np.insert(bright[:-1], 0, False))


def truth_of(
    spec: Spec, series: Series, readings: Floats, known: Bools, must_ask: frozenset[str] = frozenset()
) -> Truth:
    """Return the truth of a file of hours; `readings` are a counter's figures as written, else unused."""
    energy = series.energy.clip(0)
    counter = spec.quantity == "teller"
    soft_intervals = np.zeros(len(energy), dtype=bool)
    if counter:
        covered, soft_intervals = _bridges(series, readings, known)
    else:
        covered = known
    hour = series.starts - series.starts % HOUR
    first = int(hour[0])
    number = (hour - first) // HOUR
    count = int(number[-1]) + 1
    kwh = np.bincount(number, np.where(covered, energy, 0.0), minlength=count)
    coverage = np.bincount(number, covered, minlength=count) * series.step / HOUR
    soft = (coverage > 0) & (coverage < 0.999)
    soft |= np.bincount(number, soft_intervals, minlength=count) > 0
    # Absent hours are soft too: a reader may fill the night with zeros or bridge a short hole.
    starts = first + HOUR * np.arange(count)
    present = coverage > 0
    night = series.elevation <= -3
    noise = float(np.abs(series.energy[night]).sum() + np.abs(series.energy[series.energy < 0]).sum())
    per_hour = float(np.abs(series.energy[night]).max(initial=0.0)) * HOUR / series.step
    return Truth(
        spec.outcome, dict(zip(starts[present].tolist(), kwh[present].tolist(), strict=True)), spec.unit, spec.quantity,
        spec.interval_min, spec.stamp, spec.zone, must_ask, frozenset(starts[soft | ~present].tolist()),
        hour_slack_kwh=per_hour + _hour_slack(spec, series), total_slack_kwh=noise + _total_slack(spec, series),
        steps=None if counter else (series.starts[covered], energy[covered]),
    )  # fmt: skip


def _bridges(series: Series, readings: Floats, known: Bools) -> tuple[Bools, Bools]:
    """Return which intervals lie between two readings, and which lie in a bridge or reset that nobody can place."""
    places = np.flatnonzero(known)
    covered, soft = np.zeros(len(series.starts), dtype=bool), np.zeros(len(series.starts), dtype=bool)
    covered[places[0] : places[-1]] = True
    ends = np.append(series.starts, series.starts[-1] + series.step)
    slack = 1.5 * series.resolution_kwh
    running = np.concatenate(([0.0], np.cumsum(series.energy)))
    for one, two in zip(places[:-1].tolist(), places[1:].tolist(), strict=True):
        fell = readings[two] < readings[one]
        crosses = ends[one] // HOUR != (ends[two] - 1) // HOUR
        if fell or (crosses and running[two] - running[one] > slack):
            soft[one:two] = True
    return covered, soft


def _hour_slack(spec: Spec, series: Series) -> float:
    if spec.quantity == "teller":
        return 1.1 * series.resolution_kwh
    per_hour = HOUR / series.step
    return series.resolution_kwh * (0.6 + 0.5 * len(series.parts) * np.sqrt(per_hour))


def _total_slack(spec: Spec, series: Series) -> float:
    if spec.quantity == "teller":
        days = (series.starts[-1] - series.starts[0]) / DAY if spec.daily_counter else 1
        return float(2.1 * series.resolution_kwh * (1 + days))
    return float(series.resolution_kwh * (1 + 0.3 * len(series.parts) * np.sqrt(len(series.starts))))


def counter_readings(rng: np.random.Generator, spec: Spec, series: Series) -> Floats:
    """Return a counter's readings at the start of each interval and at the end of the last, in its unit, as written."""
    scale = series.resolution_kwh * 10.0**series.decimals
    running = np.concatenate(([0.0], np.cumsum(series.energy)))
    if spec.daily_counter:
        times = np.append(series.starts, series.starts[-1] + series.step)
        day = clock.local_seconds(times, spec.zone) // DAY
        begins = np.flatnonzero(np.diff(day)) + 1
        base = np.zeros(len(times))
        if rng.random() < 0.4:
            # The display keeps yesterday's figure until the inverter wakes.
            bright = np.flatnonzero(series.energy > 0)
            after = np.searchsorted(bright, begins)
            wakes = bright[after[after < len(bright)]]
            begins = np.unique(wakes)
        for begin in begins.tolist():
            base[begin:] = running[begin]
        running = running - base
    else:
        running = running + rng.uniform(0, 900 * 4) * spec.plant.kwp
        if spec.has("reset"):
            place = int(rng.uniform(0.3, 0.7) * len(running))
            running[place:] -= running[place]
    return np.floor(running / scale * 10.0**series.decimals + 1e-6) / 10.0**series.decimals
