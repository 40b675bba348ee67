"""Zone and stamp of a file: what it says itself, then what the sun says, also of a clock that is an hour wrong."""

import math
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from api.core.prose import prose
from api.plants.interpretation.answers import Answers
from api.plants.interpretation.apply import Floats, Ints, Rows, hours_of
from api.plants.interpretation.counters import counter_kind, power_stamp
from api.plants.interpretation.doubts import Doubts
from api.plants.interpretation.evidence import SHIFTS_S, Evidence, evidence_of
from api.plants.interpretation.frame import Frame
from api.plants.interpretation.mapping import FILE, Mapping, Stamp
from api.plants.interpretation.scoring import timing, timing_cost
from api.plants.interpretation.zones import DAY_S, HOUR_S, is_summer_time, to_utc
from api.plants.model import PlantModel

_ASKED_BELOW = 0.8
_ALIKE_S = 20 * 60
_SHIFT_COST, _SHIFT_FROM = 5.0, 2.0
_UNLIKE, _OPEN = 2.5, 0.7
_MOMENT = 1.0  # cost of a counter's moments under a heading of starts


class _Tried(NamedTuple):
    """A clock, its cost, that of the sun alone, and the seconds by which it moves stamps of winter and of summer."""

    cost: float
    sun: float
    mapping: Mapping
    moved: Floats


def decide_clock(
    frame: Frame,
    rows: Rows,
    single: Rows,
    mapping: Mapping,
    model: PlantModel,
    answers: Answers,
    doubts: Doubts,
    *,
    correct: bool,
) -> Mapping:
    """Return a mapping with the likeliest zone and stamp, and with an hour's shift where the file's clock is wrong.

    Parameters
    ----------
    frame, rows, single, mapping, model
        All rows, and those of one device; the mapping has everything else, but perhaps the unit.
    answers : Answers
        What they say is not decided again.
    doubts : Doubts
        Gets questions and corrections.
    correct : bool
        Whether stamps may be shifted.
    """
    evidence = evidence_of(frame, single, mapping)
    stated = answers.zone or (FILE if mapping.zone == FILE else "")
    stamps = _stamps(frame, single, mapping, evidence)
    centred = evidence.is_middle and answers.stamp is None and mapping.quantity != "teller"
    middle = -mapping.interval_s // 2 if centred else 0
    if answers.stamp is not None or middle:
        stamps = {"slutt" if answers.stamp == "slutt" else "start": 0.0}

    def tried(shift: int) -> list[_Tried]:
        zones = {stated: 0.0} if stated else evidence.zones[shift]
        moved, cost = replace(mapping, shift_s=shift + middle), _SHIFT_COST if shift else 0.0
        return [
            _try(frame, rows, replace(moved, zone=zone, stamp=stamp), model, cost + zone_cost + stamp_cost)
            for (zone, zone_cost), (stamp, stamp_cost) in product(zones.items(), stamps.items())
        ]

    right, *wrong = SHIFTS_S
    found = sorted(tried(right), key=_cost)
    if correct and found[0].cost > _SHIFT_FROM and not (stated or evidence.is_said):
        found = sorted([*found, *(one for shift in wrong for one in tried(shift))], key=_cost)
    best = found[0]
    others = [one for one in found if np.abs(one.moved - best.moved).max() > _ALIKE_S]
    weight = {id(one): math.exp(best.cost - one.cost) for one in found}
    certainty = 1 - sum(weight[id(one)] for one in others) / sum(weight.values())
    if best.sun > _UNLIKE and others:
        certainty = min(certainty, _OPEN)
    doubts.decide(certainty)
    if certainty < _ASKED_BELOW:
        other = next((one for one in others if one.mapping.shift_s == middle), others[0])  # which an answer can name
        doubts.ask("clock", certainty, read=clock_name(best.mapping), other=clock_name(other.mapping))
    if best.mapping.shift_s != middle:
        doubts.change("tid", certainty, hours=(best.mapping.shift_s - middle) // HOUR_S)
    return best.mapping


def clock_name(mapping: Mapping) -> str:
    """Return a clock in words."""
    table = prose(__file__, "words")
    zone = table.get(mapping.zone, mapping.zone)
    hours, middle = round(mapping.shift_s / HOUR_S + 0.01), mapping.shift_s % HOUR_S
    shift = [table["shift"].format(hours=hours)] if hours else []
    return f"{' '.join([zone, *shift])}, {table['midt' if middle else mapping.stamp]}"


def _stamps(frame: Frame, rows: Rows, mapping: Mapping, evidence: Evidence) -> dict[Stamp, float]:
    if mapping.quantity == "teller":  # a reading at the moment, or at the end of an hour that the stamp begins
        return {"start": 0.0, "slutt": _MOMENT} if evidence.begins and mapping.interval_s == HOUR_S else {"slutt": 0.0}
    proven = _beside_a_counter(frame, rows, mapping) if mapping.quantity == "effekt" else None
    return evidence.stamps if proven is None else {proven: 0.0}


def _beside_a_counter(frame: Frame, rows: Rows, mapping: Mapping) -> Stamp | None:
    """Return the stamp of power by a counter in another column, None where there is none."""
    power = np.nansum([frame.numbers(column)[rows.row] for column in mapping.values], axis=0)
    others = [one for one in frame.numeric if one not in mapping.values and not frame.headings[one].is_foreign]
    numbers = [np.nan_to_num(frame.numbers(column)[rows.row]) for column in others]
    counters = [one for one in numbers if counter_kind(one, rows.local // DAY_S)]
    for counter in [*counters, np.sum(counters, axis=0)] if counters else []:
        if (said := power_stamp(rows.local, power, counter, mapping.interval_s)) is not None:
            return said
    return None


def _try(frame: Frame, rows: Rows, mapping: Mapping, model: PlantModel, prior: float) -> _Tried:
    sun = timing_cost(timing(hours_of(frame, mapping, rows), model))
    local, offset = _of_seasons(rows)
    moved = (to_utc(local + mapping.shift_s, offset, mapping.zone) - local).astype(np.float64)
    moved -= mapping.interval_s if mapping.stamp == "slutt" else 0
    return _Tried(sun + prior, sun, mapping, moved)


def _of_seasons(rows: Rows) -> tuple[Ints, Floats]:
    """Return wall-clock seconds and offsets of one row in winter time and one in summer time, as far as there are."""
    summer = is_summer_time(rows.local)
    chosen = [int(np.flatnonzero(mask)[mask.sum() // 2]) for mask in (summer, ~summer) if mask.any()]
    return rows.local[chosen], rows.offset[chosen]


def _cost(tried: _Tried) -> float:
    return tried.cost
