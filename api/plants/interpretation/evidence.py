"""What the file itself says of its zone and of which end of the interval stamps are."""

import re
from typing import NamedTuple

import numpy as np

from api.plants.interpretation.apply import Rows
from api.plants.interpretation.frame import Frame
from api.plants.interpretation.headings import plain, words
from api.plants.interpretation.mapping import OSLO, UTC, Mapping, Stamp
from api.plants.interpretation.zones import DAY_S, HOUR_S, changes_of

# `UTC+1`, `GMT+0100`, `+01:00`; a range such as 00:00-01:00 is no offset.
_FIXED = re.compile(r"(?:(?:utc|gmt)\s*([+-]?)\s*|(?<![\d:])(\+))0?([0-2])(?:(?:[: ]?00)?\b)(?![:\d])")
_LOCAL = re.compile(
    r"\b(local time|lokal ?tid|ortszeit|lokale ti[dj]d?|heure locale|europe/\w+|cest|mesz|sommertid|norsk tid)\b"
    r"|\(utc\+01:00\) [a-z]"  # Windows' name of the zone, with summer time
)
_UTC = re.compile(r"\b(utc|gmt|zulu)\b")
_WINTER = re.compile(r"\b(cet|mez|normaltid|vintertid|winter ?time|winterzeit|standard ?time)\b")
_ENDS = re.compile(
    r"\b(period end|interval end|periodeslutt|slutt av|end of (the )?(interval|period|hour)|intervallende)\b"
)
_USUAL = {OSLO: 0.0, UTC: 1.6, "+01:00": 2.0}
_SAID, _SURE = 5.0, 12.0
_MINUTE_S = 60
SHIFTS_S = (0, -HOUR_S, HOUR_S)


class Evidence(NamedTuple):
    """Costs of what is read of a file, natural logarithms of odds: nought is the likeliest.

    Parameters
    ----------
    zones : dict of int to dict of str to float
        By the shift of a clock that is right or an hour wrong, s.
    stamps : dict of str to float
    is_said : bool
        Whether words name the zone.
    begins : bool
        Whether headings, or stamps of both ends, say that a row names the begin of an interval.
    is_middle : bool
        Whether the heading says that stamps are the middle, or those of hours all are half past.
    """

    zones: dict[int, dict[str, float]]
    stamps: dict[Stamp, float]
    is_said: bool
    begins: bool
    is_middle: bool


def evidence_of(frame: Frame, rows: Rows, mapping: Mapping) -> Evidence:
    """Return what a file says of zone and stamp.

    Parameters
    ----------
    frame : Frame
    rows : Rows
        Its rows in the order of time.
    mapping : Mapping
        With time columns, interval and values.
    """
    heading = " ".join(frame.headings[column].text for column in mapping.time)
    text = plain(f"{frame.notes} {heading}".replace("_", " "))
    zones = dict(_USUAL)
    if said := _zone_in(text):
        zones = {zone: cost + _SAID for zone, cost in zones.items()}
        zones[said] = 0.0
    nights = {shift: _nights(rows._replace(local=rows.local + shift), mapping.interval_s) for shift in SHIFTS_S}
    of_fixed = max(local for local, _ in nights.values())
    of_shifts = {
        shift: {zone: cost + (fixed if zone == OSLO else of_fixed) for zone, cost in zones.items()}
        for shift, (_, fixed) in nights.items()
    }
    begins = _has_ranges(frame, mapping) or _names_starts(plain(heading))
    half_past = (
        mapping.interval_s == HOUR_S and bool(rows.local.size) and bool((rows.local % HOUR_S == HOUR_S // 2).all())
    )
    is_middle = half_past or bool(words()["time"]["middle"].search(plain(heading)))
    return Evidence(of_shifts, _stamps(frame, rows, mapping, plain(heading), text), bool(said), begins, is_middle)


def _zone_in(text: str) -> str:
    """Return the zone that words name, empty where they name none."""
    if _LOCAL.search(text):
        return OSLO
    if match := _FIXED.search(text):
        sign, hours = match[1] or "+", int(match[3])
        return f"{sign}{hours:02d}:00" if hours else UTC
    return UTC if _UTC.search(text) else "+01:00" if _WINTER.search(text) else ""


def _nights(rows: Rows, interval_s: int) -> tuple[float, float]:
    """Return what the nights in which clocks change say for local time and for a fixed zone.

    In local time an hour is absent in spring, and twice in autumn unless it was lost. Stamps of ends tell it an
    interval later, so the hour is sought at both places.
    """
    if interval_s > HOUR_S or not len(rows.local):
        return 0.0, 0.0
    days = np.unique(rows.local // DAY_S).size
    second = [(rows.local - late) % DAY_S // HOUR_S == 2 for late in (0, interval_s)]
    if any(np.unique(rows.local[hour] // DAY_S).size < 0.7 * days for hour in second):
        return 0.0, 0.0  # daylight alone
    local = fixed = 0.0
    years = 1970 + np.array([rows.local.min(), rows.local.max()]) // (365.2425 * DAY_S)
    for begin, end in changes_of(int(years[0]), int(years[1])):
        for change, is_spring in ((begin, True), (end, False)):
            inside = rows.local // DAY_S == (change + 2 * HOUR_S) // DAY_S
            clock = rows.local[inside] % DAY_S
            if not (clock < 2 * HOUR_S).any() or not (clock >= 4 * HOUR_S).any():
                continue
            counts = [(inside & hour).sum() * interval_s / HOUR_S for hour in second]
            if is_spring:
                local, fixed = (local + 6.0, fixed) if min(counts) < 0.5 else (local, fixed + 3.0)
            else:
                local, fixed = (local + 6.0, fixed) if max(counts) > 1.5 else (local, fixed + 0.4)
    return (local, 0.0) if local else (0.0, fixed)


def _stamps(frame: Frame, rows: Rows, mapping: Mapping, heading: str, text: str) -> dict[Stamp, float]:
    if _has_ranges(frame, mapping):
        return {"start": 0.0, "slutt": _SURE}
    costs: dict[Stamp, float] = {"start": 0.0, "slutt": 1.0}
    step, ends = mapping.interval_s, bool(words()["time"]["end"].search(heading))
    if _names_starts(heading):
        costs["slutt"] += _SAID
    if (ends and not words()["time"]["start"].search(heading)) or _ENDS.search(text):
        costs["start"] += _SAID
    if len(rows.local):
        first, last = (rows.local[[0, -1]] % DAY_S).tolist()
        costs["start"] += _SAID * (first == step and last == 0)
        before = step - rows.local % step  # 00:14:59 or 00:14 of quarters
        costs["start"] += _SAID * bool(step > _MINUTE_S and ((before == 1).all() or (before == _MINUTE_S).all()))
        costs["slutt"] += _SAID * (first == 0 and last == DAY_S - step)
    if any((frame.moments[column].second == DAY_S).any() for column in mapping.time):  # 24:00
        costs["start"] += _SAID
    return costs


def _names_starts(heading: str) -> bool:
    patterns = words()["time"]
    return bool(patterns["start"].search(heading)) and not patterns["end"].search(heading)


def _has_ranges(frame: Frame, mapping: Mapping) -> bool:
    """Return whether rows name both ends of their interval."""
    return any(frame.moments[column].is_range for column in mapping.time) or _has_both_ends(frame, mapping)


def _has_both_ends(frame: Frame, mapping: Mapping) -> bool:
    """Return whether another column holds the end of the interval."""
    ends = words()["time"]["end"]

    def is_end(column: int) -> bool:
        return bool(ends.search(plain(frame.headings[column].text)))

    return not is_end(mapping.time[0]) and any(is_end(column) for column in frame.moments if column not in mapping.time)
