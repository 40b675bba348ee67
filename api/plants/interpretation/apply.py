"""The reader: applies a mapping to a frame, and gives intervals of energy and hours in UTC."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.plants.interpretation.counters import is_dip
from api.plants.interpretation.dates import local_seconds
from api.plants.interpretation.frame import Frame
from api.plants.interpretation.mapping import Mapping
from api.plants.interpretation.zones import to_utc

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
HOUR_S = 3600
_STEPS = np.array([60, 120, 180, 240, 300, 360, 600, 720, 900, 1200, 1800, 3600, 7200, 10_800, 86_400])
_BRIDGED_S = 3 * HOUR_S
_HELD_S = HOUR_S
_LEAP = 50.0  # times a usual rise: a counter that was set
_LEAST_RUN = 6  # intervals of another length than usual


class Rows(NamedTuple):
    """Rows of a frame in the order of time.

    Parameters
    ----------
    row : int64 (n,)
        In the frame.
    local : int64 (n,)
        Wall-clock seconds.
    offset : float64 (n,)
        Minutes from UTC as the stamp says, or NaN.
    """

    row: Ints
    local: Ints
    offset: Floats

    def taken(self, chosen: NDArray[np.bool_]) -> "Rows":
        """Return some of the rows."""
        return Rows(self.row[chosen], self.local[chosen], self.offset[chosen])


class Hours(NamedTuple):
    """Energy by hour.

    Parameters
    ----------
    starts : int64 (n,)
        Unix seconds of whole hours, ascending.
    wh : float64 (n,)
    covered : float64 (n,)
        Part of the hour that rows cover.
    """

    starts: Ints
    wh: Floats
    covered: Floats


NOTHING = Hours(np.empty(0, np.int64), np.empty(0), np.empty(0))


def rows_of(frame: Frame, mapping: Mapping) -> Rows:
    """Return the rows with a valid stamp, oldest first."""
    date_of = frame.moments[mapping.time[0]]
    time_of = frame.moments[mapping.time[1]] if len(mapping.time) > 1 else None
    local, valid = local_seconds(date_of, time_of, mapping.order)
    offset = date_of.offset if time_of is None else np.where(np.isnan(date_of.offset), time_of.offset, date_of.offset)
    index = np.flatnonzero(valid)
    falls = np.diff(local[index])
    if (falls < 0).sum() > (falls > 0).sum():  # newest first
        index = index[::-1]
    local, offset = local[index], offset[index]
    order = np.argsort(local // 86_400, kind="stable")  # days in order; within one the night of autumn keeps its own
    return Rows(index[order], local[order], offset[order])


def interval_of(local: Ints) -> tuple[int, bool]:
    """Return the usual step between stamps, s, and whether most steps are of that length."""
    steps = np.diff(np.sort(local))
    counts = np.bincount(np.minimum(steps, 2 * _STEPS[-1]))
    lengths = np.flatnonzero(counts)
    lengths = lengths[lengths > 0]
    if not lengths.size:
        return 0, False
    nearest = np.argmin(np.abs(np.log(lengths[:, None] / _STEPS)), axis=1)
    usual = int(_STEPS[np.argmax(np.bincount(nearest, counts[lengths]))])
    alike = np.abs(lengths - usual) <= 0.1 * usual
    return usual, bool(counts[lengths[alike]].sum() > 0.5 * counts[lengths].sum())


def hours_of(frame: Frame, mapping: Mapping, rows: Rows | None = None) -> Hours:
    """Return the hours of energy that a mapping reads from a frame."""
    rows = rows_of(frame, mapping) if rows is None else rows
    columns = np.array([frame.numbers(column)[rows.row] for column in mapping.values])
    given = ~np.isnan(columns)
    values = np.where(given.any(axis=0), np.nansum(columns, axis=0), np.nan) * mapping.factor
    part = given.mean(axis=0)
    if mapping.label is None:
        return _hours(rows, values, part, mapping)
    labels = frame.labels(mapping.label)[rows.row]
    chosen = [labels == one for one in mapping.kept or tuple(np.unique(labels).tolist())]
    return added([_hours(rows.taken(mask), values[mask], part[mask], mapping) for mask in chosen])


def _hours(rows: Rows, values: Floats, part: Floats, mapping: Mapping) -> Hours:
    unix = to_utc(rows.local + mapping.shift_s, rows.offset, mapping.zone)
    order = np.argsort(unix, kind="stable")
    unix, values, part = unix[order], values[order], part[order]
    given = ~np.isnan(values)
    unix, values, part = unix[given], values[given], part[given]
    # of rows that are doubled the last counts
    last = np.append(np.diff(unix) > 0, True)[: len(unix)]
    unix, values, part = unix[last], values[last], part[last]
    if len(unix) < 2:
        return NOTHING
    if mapping.quantity == "teller":
        right = ~is_dip(values)
        unix = unix + (mapping.interval_s if mapping.stamp == "start" else 0)
        return spread(*_steps_of(unix[right], values[right], mapping.interval_s))
    length = _lengths(unix, mapping)
    if mapping.quantity == "effekt":
        values = values * length / HOUR_S
    starts = unix if mapping.stamp == "start" else unix - length
    return spread(starts, starts + length, values, part)


def _lengths(unix: Ints, mapping: Mapping) -> Ints:
    """Return the length of each interval, s: the usual one, or another where several rows in a row are that far apart.

    Power whose stamps come irregularly holds until the next.
    """
    steps = np.diff(unix)
    interval, is_regular = interval_of(unix)
    if not is_regular and mapping.quantity == "effekt":
        following = np.append(steps, interval)
        return np.minimum(following if mapping.stamp == "start" else np.roll(following, 1), _HELD_S)
    step = np.minimum(np.append(steps, steps[-1]), np.append(steps[0], steps))
    other = np.where(np.isin(step, _STEPS) & (step <= HOUR_S), step, mapping.interval_s)
    begins = np.append(True, np.diff(other) != 0)
    run = np.cumsum(begins) - 1
    is_long = np.bincount(run)[run] >= _LEAST_RUN
    return np.asarray(np.where(is_long, other, mapping.interval_s), np.int64)


def _steps_of(unix: Ints, readings: Floats, interval_s: int) -> tuple[Ints, Ints, Floats]:
    """Return the intervals between readings of a counter, and their energy.

    A counter that falls has begun anew at nothing. Energy of a gap of more than three hours came in its last hour where
    it is little, as at dawn; else it is left out.
    """
    begins, ends, energy = unix[:-1], unix[1:], np.diff(readings)
    rises = energy[energy > 0]
    largest = float(np.percentile(rises, 99)) if rises.size else 0.0
    usually = float(np.percentile(rises, 90)) if rises.size else 0.0
    fell = energy < 0
    energy = np.where(fell, readings[1:], energy)
    usual = max(interval_s, HOUR_S)
    length = ends - begins
    longer = np.maximum(1, length / max(interval_s, 1))
    plausible = energy <= np.where(fell, 3 * largest, _LEAP * usually) * longer
    gap = length > _BRIDGED_S
    little = energy <= largest * usual / max(interval_s, 1)
    begins = np.where(gap, ends - usual, begins)
    kept = plausible & (~gap | little) & ~(fell & (energy > 50 * largest))
    return begins[kept], ends[kept], energy[kept]


def spread(starts: Ints, ends: Ints, wh: Floats, given: Floats | None = None) -> Hours:
    """Return energy of intervals by hour: of one that reaches over an hour's end, each hour gets its part.

    Parameters
    ----------
    starts, ends : int64 (n,)
    wh : float64 (n,)
    given : float64 (n,), optional
        Part of the plant whose energy each interval holds.
    """
    if not len(starts):
        return NOTHING
    first, last = starts // HOUR_S, (ends - 1) // HOUR_S
    low, size = int(first.min()), int(last.max() - first.min()) + 1
    energy, seconds = np.zeros(size), np.zeros(size)
    length = np.maximum(ends - starts, 1)
    for step in range(int((last - first).max()) + 1):
        hour = first + step
        inside = hour <= last
        part = np.minimum(ends, (hour + 1) * HOUR_S) - np.maximum(starts, hour * HOUR_S)
        part = np.where(inside, part, 0)
        place = np.where(inside, hour - low, 0)
        energy += np.bincount(place, wh * part / length, size)
        seconds += np.bincount(place, part if given is None else part * given, size)
    touched = seconds > 0
    hours = (np.flatnonzero(touched) + low) * HOUR_S
    return Hours(hours, energy[touched], np.minimum(seconds[touched] / HOUR_S, 1.0))


def added(parts: list[Hours]) -> Hours:
    """Return the sum of several series; an hour is there where one of them has it."""
    parts = [one for one in parts if one.starts.size]
    if len(parts) < 2:
        return parts[0] if parts else NOTHING
    starts = np.unique(np.concatenate([one.starts for one in parts]))
    wh, covered = np.zeros(starts.size), np.zeros(starts.size)
    for one in parts:
        place = np.searchsorted(starts, one.starts)
        wh[place] += one.wh
        covered[place] += one.covered / len(parts)
    return Hours(starts, wh, covered)
