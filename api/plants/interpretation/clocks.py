"""Zone and stamp of a file: what it says itself, then what the sun says."""

import math
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.core.prose import prose
from api.plants.interpretation.apply import Rows, hours_of
from api.plants.interpretation.columns import busiest_rows
from api.plants.interpretation.evidence import evidence_of, power_stamp
from api.plants.interpretation.frame import Frame
from api.plants.interpretation.mapping import FILE, Mapping, Stamp
from api.plants.interpretation.scoring import Timing, timing, timing_cost
from api.plants.interpretation.zones import is_summer_time, to_utc
from api.plants.model import PlantModel

_ASKED_BELOW = 0.8
_ALIKE_S = 20 * 60


class Clock(NamedTuple):
    """A mapping with zone and stamp.

    Parameters
    ----------
    mapping : Mapping
    certainty : float
    questions : list of str
    """

    mapping: Mapping
    certainty: float
    questions: list[str]


class _Tried(NamedTuple):
    cost: float
    mapping: Mapping
    moved: NDArray[np.float64]
    found: Timing


def clock_of(frame: Frame, rows: Rows, mapping: Mapping, model: PlantModel, answers: "object") -> Clock:
    """Return a mapping with the likeliest zone and stamp.

    Parameters
    ----------
    frame : Frame
    rows : Rows
    mapping : Mapping
        With everything else.
    model : PlantModel
    answers : Answers
        Of the caller; what they say is not decided again.
    """
    evidence = evidence_of(frame, rows, mapping)
    zones, stamps = dict(evidence.zones), dict(evidence.stamps)
    if mapping.zone == FILE:
        zones = {FILE: 0.0}
    if (zone := getattr(answers, "zone", None)) is not None:
        zones = {zone: 0.0}
    if mapping.quantity == "teller":
        stamps = {"start": 0.0}
    if mapping.quantity == "effekt" and (said := _beside_a_counter(frame, rows, mapping)) is not None:
        stamps = {said: 0.0}
    if (stamp := getattr(answers, "stamp", None)) is not None:
        stamps = {stamp: 0.0}
    tried = [
        _try(frame, rows, replace(mapping, zone=zone, stamp=stamp), model, zone_cost + stamp_cost)
        for (zone, zone_cost), (stamp, stamp_cost) in product(zones.items(), stamps.items())
    ]
    tried.sort(key=lambda one: one.cost)
    best = tried[0]
    others = [one for one in tried[1:] if np.abs(one.moved - best.moved).max() > _ALIKE_S]
    certainty = 1 / (1 + sum(math.exp(best.cost - one.cost) for one in _distinct(others)))
    questions = []
    if certainty < _ASKED_BELOW:
        other = others[0].mapping
        named = f"{_zone(other)}, {other.stamp}"
        questions.append(
            prose(__file__, "questions")["clock"].format(zone=_zone(best.mapping), stamp=best.mapping.stamp, other=named)
        )
    return Clock(best.mapping, certainty, questions)


def _zone(mapping: Mapping) -> str:
    return "sonen i filen" if mapping.zone == FILE else mapping.zone


def _distinct(tried: list[_Tried]) -> list[_Tried]:
    """Return one of those that put the hours at the same place: the likeliest."""
    kept: list[_Tried] = []
    for one in tried:
        if not any(np.abs(one.moved - other.moved).max() <= _ALIKE_S for other in kept):
            kept.append(one)
    return kept


def _try(frame: Frame, rows: Rows, mapping: Mapping, model: PlantModel, prior: float) -> _Tried:
    found = timing(hours_of(frame, mapping, rows), model)
    moved = (to_utc(*_of_seasons(rows), mapping.zone) - _of_seasons(rows)[0]).astype(np.float64)
    moved -= mapping.interval_s if mapping.stamp == "slutt" and mapping.quantity != "teller" else 0
    return _Tried(timing_cost(found) + prior, mapping, moved, found)


def _of_seasons(rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return wall-clock seconds and offsets of one row in winter time and one in summer time, as far as there are."""
    summer = is_summer_time(rows.local)
    chosen = [int(np.flatnonzero(mask)[mask.sum() // 2]) for mask in (summer, ~summer) if mask.any()]
    return rows.local[chosen], rows.offset[chosen]


def _beside_a_counter(frame: Frame, rows: Rows, mapping: Mapping) -> Stamp | None:
    """Return the stamp of power by a counter in another column, None where there is none."""
    if len(mapping.values) != 1:
        return None
    if mapping.label is not None:
        rows = busiest_rows(frame, rows, mapping.label, mapping.kept)
    watts = frame.numbers(mapping.values[0])[rows.index] * mapping.factor
    for column in frame.numeric:
        heading = frame.headings[column]
        if heading.is_energy and column not in mapping.values:
            counter = frame.numbers(column)[rows.index] * {"Wh": 1.0, "kWh": 1e3, "MWh": 1e6}.get(heading.unit, np.nan)
            if (said := power_stamp(rows.local, watts, counter, mapping.interval_s)) is not None:
                return said
    return None
