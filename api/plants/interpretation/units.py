"""Unit and quantity of a choice of columns: as stated where that can be, else what the plant's level tells."""

import math
from dataclasses import replace

import numpy as np

from api.plants.interpretation.answers import Answers
from api.plants.interpretation.apply import HOUR_S, hours_of
from api.plants.interpretation.columns import Choice
from api.plants.interpretation.doubts import Doubts
from api.plants.interpretation.frame import Frame
from api.plants.interpretation.mapping import Mapping, Quantity
from api.plants.interpretation.scoring import Level, level, level_cost
from api.plants.model import PlantModel

_UNITS: dict[Quantity, tuple[str, ...]] = {
    "energi": ("kWh", "Wh", "MWh"),
    "effekt": ("kW", "W", "MW"),
    "teller": ("kWh", "Wh", "MWh"),
}
_LARGE_KWP, _RARE_COST = 500.0, 5.0  # of MW and MWh where nobody states them
_OTHER_COST = 2.0  # of power where a heading without a unit says energy, and of two mistakes in one unit
_ASKED_BELOW, _OPEN = 0.93, 0.6
_WRONG_FROM = 5.0  # cost of a stated unit from which others are tried
_FITS, _CLEARLY = 1.5, 4.0
_IMPOSSIBLE = 20.0  # times the clear sky, on the best day but one; little may be snow
_NEAR = 40.0  # readings within this factor: without a clear day each may be true
_PLAUSIBLE = (0.15, 1.3)  # of the best day without a clear one
# Changes that are only asked about: a plant of which half is registered looks like a unit that is wrong by two, and one
# under snow or in shade like kW for kWh of short intervals.
_SMALL_FALL, _SMALL_RISE = 1 / 3, 20.0
_NEAR_CLEAR = 0.85, 1.2  # of the clear sky, after a change


def with_choice(mapping: Mapping, choice: Choice, unit: str) -> Mapping:
    """Return a mapping that reads a choice in a unit; power and energy follow from it, a counter stays one."""
    quantity: Quantity = "effekt" if unit in _UNITS["effekt"] else "teller" if choice.quantity == "teller" else "energi"
    return replace(mapping, values=choice.values, unit=unit, quantity=quantity)


def likeliest_unit(choice: Choice) -> str:
    """Return the unit of a choice, a usual one where none is stated."""
    return choice.unit or ("kW" if choice.quantity == "effekt" else "kWh")


def decide_unit(
    frame: Frame,
    mapping: Mapping,
    choice: Choice,
    model: PlantModel,
    answers: Answers,
    doubts: Doubts,
    *,
    correct: bool,
) -> Mapping:
    """Return the mapping with its unit.

    Parameters
    ----------
    frame, mapping, choice, model, answers
        The mapping has everything but the unit.
    doubts : Doubts
        Gets questions and corrections.
    correct : bool
        Whether a stated unit may be corrected where it cannot be true.
    """
    if answers.unit is not None:
        return with_choice(mapping, choice, answers.unit)
    is_hint = all(not frame.headings[one].unit for one in choice.values)  # of a title or a file name
    if is_hint and choice.unit and correct:
        stated = with_choice(mapping, choice, choice.unit)
        if level_cost(level(hours_of(frame, stated), model)) >= _WRONG_FROM:
            choice = choice._replace(unit="")
    if not choice.unit:
        readings = [
            _try(frame, one, model, _OTHER_COST * (choice.quantity not in ("", one.quantity)))
            for one in _readings(mapping, choice)
        ]
        return _most_likely(readings, mapping.interval_s, doubts)
    stated = with_choice(mapping, choice, choice.unit)
    reached = level(hours_of(frame, stated), model)
    cost = level_cost(reached)
    if cost >= _WRONG_FROM and correct:
        readings = [_try(frame, one, model, _twice_wrong(stated, one)) for one in _readings(mapping, choice)]
        least, found, best = min(readings, key=lambda one: one[0])
        is_better = least < _FITS and cost - least > _CLEARLY and found.is_anchored
        if is_better or (cost - least > _CLEARLY and reached.best > _IMPOSSIBLE):
            factor = _scale(best) / _scale(stated)
            is_near = _NEAR_CLEAR[0] < np.fmax(found.clear, found.best) < _NEAR_CLEAR[1]
            if _SMALL_FALL < factor < _SMALL_RISE or (factor > 1 / _SMALL_RISE and not is_near):
                doubts.ask("wrong_unit", _OPEN, stated=choice.unit, unit=best.unit, kwp=model.kwp)
                return stated
            doubts.change("enhet", 0.9, stated=choice.unit, unit=best.unit, kwp=model.kwp)
            return best
    doubts.decide(0.97 if cost < _WRONG_FROM else 0.7)
    return stated


def _readings(mapping: Mapping, choice: Choice) -> list[Mapping]:
    """Return the units in which a choice can be read, as energy and as power; equal outcomes come once."""
    quantities: tuple[Quantity, ...] = ("teller",) if choice.quantity == "teller" else ("energi", "effekt")
    if choice.quantity == "effekt":
        quantities = ("effekt",) if choice.is_proven else ("effekt", "energi")
    out: list[Mapping] = []
    for quantity in quantities:
        for unit in _UNITS[quantity]:
            one = with_choice(mapping, choice, unit)
            if not any(math.isclose(_scale(one), _scale(other)) for other in out):
                out.append(one)
    return out


def _scale(mapping: Mapping) -> float:
    """Return the energy of 1 in a mapping's unit, Wh."""
    return abs(mapping.factor) * (mapping.interval_s / HOUR_S if mapping.quantity == "effekt" else 1.0)


def _twice_wrong(stated: Mapping, other: Mapping) -> float:
    """Return what a reading costs of which both quantity and prefix differ from what is stated."""
    return _OTHER_COST * (stated.quantity != other.quantity and stated.factor != other.factor)


def _try(frame: Frame, mapping: Mapping, model: PlantModel, prior: float) -> tuple[float, Level, Mapping]:
    found = level(hours_of(frame, mapping), model)
    rare = _RARE_COST if mapping.unit.startswith("M") and model.kwp < _LARGE_KWP else 0.0
    return level_cost(found) + rare + prior, found, mapping


def _most_likely(tried: list[tuple[float, Level, Mapping]], interval_s: int, doubts: Doubts) -> Mapping:
    """Return the likeliest of readings; ask where another is nearly as likely, or where nothing anchors the level."""
    (least, found, best), *others = sorted(tried, key=lambda one: one[0])
    if not others:
        doubts.decide(0.9)
        return best
    certainty = 1 / (1 + sum(math.exp(least - other) for other, _, _ in others))
    near = [one for _, _, one in others if abs(math.log(_scale(one) / _scale(best))) < math.log(_NEAR)]
    is_open = not found.is_anchored and (bool(near) or not _PLAUSIBLE[0] < found.best < _PLAUSIBLE[1])
    if is_open or level_cost(found) > _WRONG_FROM:
        certainty = min(certainty, _OPEN)
    if certainty < _ASKED_BELOW:
        other = near[0] if near else others[0][2]
        doubts.ask("unit", certainty, unit=best.unit, other=other.unit, minutes=interval_s // 60)
    doubts.decide(certainty)
    return best
