"""What the file itself says of its zone and of which end of the interval stamps are."""

import re
from typing import NamedTuple

import numpy as np

from api.plants.interpretation.apply import Rows
from api.plants.interpretation.frame import Frame
from api.plants.interpretation.headings import plain, words
from api.plants.interpretation.mapping import OSLO, UTC, Mapping, Stamp
from api.plants.interpretation.zones import HOUR_S, changes_of

DAY_S = 86_400
_FIXED = re.compile(r"(?:utc|gmt)\s*([+-])\s*0?([0-2])(?::?00)?\b")
_UTC = re.compile(r"\b(utc|gmt|zulu)\b")
_LOCAL = re.compile(r"\b(local time|lokal tid|lokaltid|ortszeit|lokale tid|lokale tijd|heure locale|europe/oslo|cest|sommertid|norsk tid)\b")
_WINTER = re.compile(r"\b(cet|mez|normaltid|vintertid|winter ?time|winterzeit|standard ?time|norsk normaltid)\b")


class Evidence(NamedTuple):
    """Costs of what is read of a file, natural logarithms of odds: nought is the likeliest.

    Parameters
    ----------
    zones : dict of str to float
    stamps : dict of str to float
    """

    zones: dict[str, float]
    stamps: dict[Stamp, float]


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
    text = plain(f"{frame.notes} {' '.join(frame.headings[column].text for column in mapping.time)}".replace("_", " "))
    zones = {OSLO: 0.0, UTC: 1.6, "+01:00": 2.0}
    _add_words(zones, text)
    _add_nights(zones, rows, mapping.interval_s)
    return Evidence(zones, _stamps(frame, rows, mapping, text))


def _add_words(zones: dict[str, float], text: str) -> None:
    if match := _FIXED.search(text):
        sign, hours = match[1], int(match[2])
        named = UTC if hours == 0 else f"{sign}{hours:02d}:00"
        zones.setdefault(named, 2.0)
    elif _UTC.search(text):
        named = UTC
    elif _LOCAL.search(text):
        named = OSLO
    elif _WINTER.search(text):
        named = "+01:00"
    else:
        return
    for zone in zones:
        zones[zone] += 0.0 if zone == named else 5.0
    zones[named] = 0.0


def _add_nights(zones: dict[str, float], rows: Rows, interval_s: int) -> None:
    """Add what the nights say in which clocks change: an hour that is twice or absent is local time."""
    if interval_s > HOUR_S or not len(rows.local):
        return
    years = 1970 + np.array([rows.local.min(), rows.local.max()]) // (365.2425 * DAY_S)
    night = rows.local % DAY_S // HOUR_S == 2
    usual = HOUR_S / interval_s
    days_with = len(np.unique(rows.local[night] // DAY_S)) / max(len(np.unique(rows.local // DAY_S)), 1)
    if days_with < 0.7:
        return  # daylight alone
    local = fixed = 0.0
    for begin, end in changes_of(int(years[0]), int(years[1])):
        for change, is_spring in ((begin, True), (end, False)):
            day = (change + 2 * HOUR_S) // DAY_S
            inside = rows.local // DAY_S == day
            if not (inside & (rows.local % DAY_S < 2 * HOUR_S)).any() or not (inside & (rows.local % DAY_S >= 4 * HOUR_S)).any():
                continue
            count = (inside & night).sum() / usual
            # the stamp of an end at 03:00 belongs to the hour from 02:00, at 02:00 to the one before
            if is_spring:
                local, fixed = (local + 6.0, fixed) if count < 0.5 else (local, fixed + 3.0)
            else:
                local, fixed = (local + 6.0, fixed) if count > 1.5 else (local, fixed + 0.4)
    if local:
        for zone in zones:
            zones[zone] += 0.0 if zone == OSLO else local
    else:
        zones[OSLO] += fixed


def _stamps(frame: Frame, rows: Rows, mapping: Mapping, text: str) -> dict[Stamp, float]:
    costs: dict[Stamp, float] = {"start": 0.0, "slutt": 1.0}
    if any(frame.moments[column].is_range for column in mapping.time) or _has_both_ends(frame, mapping):
        return {"start": 0.0, "slutt": 12.0}
    patterns = words()["time"]
    heading = plain(" ".join(frame.headings[column].text for column in mapping.time))
    if patterns["start"].search(heading) and not patterns["end"].search(heading):
        costs["slutt"] += 4.0
    elif patterns["end"].search(heading) and not patterns["start"].search(heading):
        costs["start"] += 5.0
    if re.search(r"\b(period end|interval end|periodeslutt|slutt av|end of (the )?(interval|period|hour)|intervallende)\b", text):
        costs["start"] += 5.0
    step = mapping.interval_s
    second = np.array([rows.local[0], rows.local[-1]]) % DAY_S if len(rows.local) else np.zeros(2)
    if second[0] == step and second[1] in (0, DAY_S - step) and second[1] == 0:
        costs["start"] += 5.0
    elif second[0] == 0 and second[1] == DAY_S - step:
        costs["slutt"] += 5.0
    if _writes_24(frame, mapping):
        costs["start"] += 5.0
    return costs


def _writes_24(frame: Frame, mapping: Mapping) -> bool:
    return any((frame.moments[column].second == DAY_S).any() for column in mapping.time)


def _has_both_ends(frame: Frame, mapping: Mapping) -> bool:
    """Return whether other columns hold the end of the interval."""
    others = [column for column in frame.moments if column not in mapping.time]
    patterns = words()["time"]
    return any(
        patterns["end"].search(plain(frame.headings[column].text)) and not patterns["end"].search(plain(frame.headings[mapping.time[0]].text))
        for column in others
    )


def power_stamp(unix: np.ndarray, watts: np.ndarray, counter_wh: np.ndarray, step_s: int) -> Stamp | None:  # type: ignore[type-arg]
    """Return which end of the interval the stamps of power are, by a counter beside it; None where they say nothing.

    Power that is stamped at the end agrees with the counter's step before it, at the start with the step after it.
    """
    regular = np.diff(unix) == step_s
    steps = np.diff(counter_wh)
    usable = regular & (steps >= 0) & np.isfinite(steps)
    if usable.sum() < 30 or steps[usable].sum() <= 0:
        return None
    energy = watts * step_s / HOUR_S
    before = np.nanmean(np.abs(energy[1:] - steps)[usable])
    after = np.nanmean(np.abs(energy[:-1] - steps)[usable])
    if before < 0.6 * after:
        return "slutt"
    return "start" if after < 0.6 * before else None
