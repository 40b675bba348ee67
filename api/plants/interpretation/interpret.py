"""From a workbook to an interpretation: columns, unit, dates, zone and stamp, each with the margin by which it won."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.core.prose import prose
from api.plants.interpretation import clocks, frames
from api.plants.interpretation.apply import Hours, hours_of, interval_of, rows_of
from api.plants.interpretation.columns import Choice, busiest_rows, choices_of, mixed_rows
from api.plants.interpretation.frame import Frame
from api.plants.interpretation.headings import unit_in
from api.plants.interpretation.mapping import FILE, OSLO, Mapping
from api.plants.interpretation.problems import not_interpreted
from api.plants.interpretation.scoring import level, level_cost
from api.plants.interpretation.times import Order, local_seconds, orders_of
from api.plants.model import PlantModel
from api.plants.reading.workbook import Workbook

DAY_S, HOUR_S = 86_400, 3600
_LONGEST_S, _LEAST_VALUES = 3600, 12
_ASKED_BELOW, _UNIT_ASKED_BELOW = 0.8, 0.93
_UNITS = {"energi": ("kWh", "Wh", "MWh"), "effekt": ("kW", "W", "MW"), "teller": ("kWh", "Wh", "MWh")}
_LARGE_KWP = 500.0
_RARE = {"MW": 5.0, "MWh": 5.0}  # of a unit that nobody states
_WRONG_FROM = 5.0  # cost of a stated level from which other units are tried


class Answers(NamedTuple):
    """What the caller says of a file, by query parameters; None where nothing is said."""

    unit: str | None = None
    zone: str | None = None
    stamp: str | None = None
    column: str | None = None
    order: str | None = None


@dataclass
class Interpretation:
    """How a file is read, and what it gives.

    Parameters
    ----------
    mapping : Mapping
    hours : Hours
    columns : list of str
        Headings of the columns that are read.
    role : str
        Of these columns: `production`, `generic`, `unknown`, `dc`, `feed_in`, `import` or `consumption`.
    certainty : float
        0 to 1: of the least certain decision.
    questions, changes : list
        Sentences; corrections with `kode` and `tekst`.
    source : str
        `regelbasert`, `lagret tolkning` or `SunPoint datatolkning`.
    fingerprint : str
        Of the headings.
    """

    mapping: Mapping
    hours: Hours
    columns: list[str]
    role: str
    certainty: float
    questions: list[str]
    changes: list[dict[str, str]]
    source: str
    fingerprint: str


def interpret(
    workbook: Workbook,
    model: PlantModel,
    answers: Answers = Answers(),
    remembered: Sequence[tuple[str, Mapping]] = (),
    *,
    file_name: str = "",
    correct: bool = True,
) -> Interpretation:
    """Return the interpretation of a file.

    Parameters
    ----------
    workbook : Workbook
    model : PlantModel
        Decides what headings leave open.
    answers : Answers
    remembered : sequence of (fingerprint, Mapping)
        Confirmed before.
    file_name : str
        May name the unit.
    correct : bool
        Whether what is stated may be corrected where it cannot be true.

    Raises
    ------
    ApiError
        `NOT_INTERPRETED`, with a sentence that says what to send instead.
    """
    frame = frames.frame_of_workbook(workbook)
    frame.notes = f"{frame.notes} {re.sub(r'[-_.]', ' ', file_name)}"
    known = dict(remembered).get(frame.fingerprint)
    if known is not None and answers == Answers() and _still_fits(known, frame):
        hours = hours_of(frame, known)
        if level_cost(level(hours, model).top) < _WRONG_FROM:
            return Interpretation(
                known, hours, [frame.headings[one].text for one in known.values], "production", 0.99, [], [],
                "lagret tolkning", frame.fingerprint,
            )  # fmt: skip
    return _by_rules(frame, model, answers, correct)


def _still_fits(mapping: Mapping, frame: Frame) -> bool:
    return set(mapping.time) <= set(frame.moments) and set(mapping.values) <= set(frame.numeric)


def _by_rules(frame: Frame, model: PlantModel, answers: Answers, correct: bool) -> Interpretation:
    questions: list[str] = []
    mapping, order_certainty = _dates(frame, answers, questions)
    rows = rows_of(frame, mapping)
    if len(rows.local) < _LEAST_VALUES:
        raise not_interpreted("daily" if interval_of(rows.local)[0] >= 20 * HOUR_S else "few")
    mixed = mixed_rows(frame, rows.local, rows.index)
    single = rows if mixed is None else busiest_rows(frame, rows, mixed.label, mixed.kept)
    interval, _ = interval_of(single.local)
    if interval >= 20 * HOUR_S:
        raise not_interpreted("daily")
    if interval > _LONGEST_S:
        raise not_interpreted("coarse", hours=interval / HOUR_S)
    has_offsets = len(rows.offset) > 0 and np.isfinite(rows.offset).mean() > 0.9
    mapping = replace(mapping, interval_s=interval or HOUR_S, zone=FILE if has_offsets else OSLO)
    if mixed is not None:
        mapping = replace(mapping, label=mixed.label, kept=mixed.kept)
    choices = choices_of(frame, single.index, single.local // DAY_S, unit_in(frame.notes))
    if mixed is not None and mixed.role != "production":
        choices = [one._replace(role=mixed.role) for one in choices]
    choice, column_certainty = _column(frame, mapping, choices, model, answers, questions)
    mapping = replace(mapping, values=choice.values)
    clocked = clocks.clock_of(frame, rows, _with(mapping, choice, choice.unit or "kWh"), model, answers)
    mapping, unit_certainty, changes = _unit(frame, clocked.mapping, choice, model, answers, questions, correct)
    questions += clocked.questions
    hours = hours_of(frame, mapping, rows)
    if choice.role == "feed_in":
        questions.append(_ask("feed_in", column=_name(frame, choice)))
    certainty = min(order_certainty, column_certainty, clocked.certainty, unit_certainty)
    names = [frame.headings[one].text for one in mapping.values]
    return Interpretation(
        mapping, hours, names, choice.role, certainty, questions, changes, "regelbasert", frame.fingerprint
    )


def _ask(name: str, **values: Any) -> str:
    return prose(__file__, "questions")[name].format(**values)


def _dates(frame: Frame, answers: Answers, questions: list[str]) -> tuple[Mapping, float]:
    """Return a mapping with the time columns and the order of dates, and how sure the order is."""
    dated, clock = frames.time_columns(frame)
    orders = orders_of(frame.moments[dated])
    if len(orders) > 1 and any(isinstance(cell, str) and re.match(r"\d{1,2}\.", cell.strip()) for cell in frame.cells(dated)[:20]):
        orders = orders[-1:] if orders[-1] == "dmy" else orders[:1]  # nobody writes months first with points
    time_columns = (dated,) if clock is None else (dated, clock)
    certainty, order = 1.0, orders[0]
    if answers.order in ("dmy", "mdy", "ymd"):
        order = answers.order  # type: ignore[assignment]
    elif len(orders) > 1:
        disorder = [_disorder(frame, time_columns, one) for one in orders]
        order = orders[int(np.argmin(disorder))]
        if abs(disorder[0] - disorder[1]) < 0.1:
            certainty = 0.7
            questions.append(_ask("order", order="dag/måned" if order == "dmy" else "måned/dag"))
    return Mapping(frame.sheet, time_columns, order, OSLO, "start", HOUR_S, (), "kWh", "energi"), certainty


def _disorder(frame: Frame, time_columns: tuple[int, ...], order: Order) -> float:
    """Return the part of days that do not follow the day before in an order of day and month, 0 to 1."""
    clock = frame.moments[time_columns[1]] if len(time_columns) > 1 else None
    local, valid = local_seconds(frame.moments[time_columns[0]], clock, order)
    days = local[valid] // DAY_S
    days = days[np.append(True, np.diff(days) != 0)] if days.size else days
    if days.size < 2:
        return 1.0
    return 1 - float((np.abs(np.diff(days)) <= 1).mean() * valid.mean())


def _with(mapping: Mapping, choice: Choice, unit: str) -> Mapping:
    """Return a mapping that reads a choice in a unit."""
    quantity = choice.quantity or ("effekt" if unit in ("W", "kW", "MW") else "energi")
    if quantity == "teller" and unit in ("W", "kW", "MW"):
        quantity = "effekt"
    if quantity == "effekt" and unit in ("Wh", "kWh", "MWh"):
        quantity = "energi"
    return replace(mapping, values=choice.values, unit=unit, quantity=quantity)


def _name(frame: Frame, choice: Choice) -> str:
    names = [frame.headings[one].text or f"nr. {one + 1}" for one in choice.values]
    return " + ".join(f"«{one}»" for one in names[:4]) + (" + ..." if len(names) > 4 else "")


def _column(
    frame: Frame, mapping: Mapping, choices: list[Choice], model: PlantModel, answers: Answers, questions: list[str]
) -> tuple[Choice, float]:
    if answers.column is not None:
        return _named(frame, choices, answers.column), 1.0
    if not choices:
        raise not_interpreted("no_values")
    best = choices[0]
    if len(best.values) > 1 and (alone := _too_much(frame, mapping, best, model)) is not None:
        single = best._replace(values=(alone,))
        questions.append(_ask("column", column=_name(frame, single), other=_name(frame, best)))
        return single, 0.5
    rivals = [one for one in choices[1:] if one.rank > best.rank - 0.3 and one.role == best.role]
    if not rivals:
        return best, 0.97 if best.role == "production" else 0.9
    scored = [(level(hours_of(frame, _with(mapping, one, one.unit or "kWh")), model), one) for one in [best, *rivals]]
    scored.sort(key=lambda pair: -pair[0].correlation - 0.02 * (pair[1] is best))
    (first, best), (second, other) = scored[0], scored[1]
    if first.correlation - second.correlation > 0.15:
        return best, 0.9
    questions.append(_ask("column", column=_name(frame, best), other=_name(frame, other)))
    return best, 0.6


def _too_much(frame: Frame, mapping: Mapping, choice: Choice, model: PlantModel) -> int | None:
    """Return the largest of columns whose sum is more than the plant can give, where that one alone is not."""
    def cost(values: tuple[int, ...]) -> float:
        return level_cost(level(hours_of(frame, _with(mapping, choice._replace(values=values), choice.unit or "kWh")), model).top)

    if not choice.unit or (together := cost(choice.values)) < 2.0:
        return None
    largest = max(choice.values, key=lambda one: float(np.nansum(frame.numbers(one))))
    return largest if cost((largest,)) < together - 2.0 else None


def _named(frame: Frame, choices: list[Choice], text: str) -> Choice:
    """Return the columns that the caller names: a heading, or numbers from 1 such as `3` and `3+4`."""
    wanted = text.strip().lower()
    matches = [one for one in frame.numeric if frame.headings[one].text.strip().lower() == wanted][:1]
    if not matches and re.fullmatch(r"\d{1,4}(\+\d{1,4})*", wanted):
        matches = [number - 1 for number in map(int, wanted.split("+")) if number - 1 in frame.numeric]
    if not matches:
        listed = ", ".join(frame.headings[one].text or str(one + 1) for one in frame.numeric[:12])
        raise not_interpreted("no_column", column=text[:60], columns=listed)
    known = next((one for one in choices if set(matches) <= set(one.values)), None)
    heading = frame.headings[matches[0]]
    named = known or Choice((), heading.quantity, heading.unit, "production", 0.0)
    return named._replace(values=tuple(dict.fromkeys(matches)), role="production")


def _unit(
    frame: Frame,
    mapping: Mapping,
    choice: Choice,
    model: PlantModel,
    answers: Answers,
    questions: list[str],
    correct: bool,
) -> tuple[Mapping, float, list[dict[str, str]]]:
    """Return the mapping with its unit, how sure that is, and whether what the file states was corrected."""
    if answers.unit is not None:
        return _with(mapping, choice._replace(quantity=""), answers.unit), 1.0, []
    stated = choice.unit
    if stated:
        plain = _with(mapping, choice, stated)
        cost = _cost(frame, plain, model, stated)
        if cost < _WRONG_FROM or not correct:
            return plain, 0.97, []
    costs = _costs(frame, mapping, choice, model, free=bool(stated))
    if costs[0][0] > _WRONG_FROM and choice.quantity in ("energi", "effekt"):
        costs = _costs(frame, mapping, choice, model, free=True)
    (least, best), others = costs[0], costs[1:]
    if stated:
        if least > 1.5 or cost - least < 4.0:
            return plain, 0.7, []
        text = prose(__file__, "changes")["unit"].format(stated=stated, unit=best.unit, kwp=model.kwp)
        return best, 0.9, [{"kode": "enhet", "tekst": text}]
    if not others:
        return best, 0.9, []
    certainty = 1 / (1 + sum(math.exp(least - other) for other, _ in others))
    if certainty < _UNIT_ASKED_BELOW:
        questions.append(_ask("unit", unit=best.unit, other=others[0][1].unit))
    return best, certainty, []


def _cost(frame: Frame, mapping: Mapping, model: PlantModel, stated: str = "") -> float:
    found = level(hours_of(frame, mapping), model)
    return level_cost(found.top, found.is_telling) + (0.0 if mapping.unit in stated else _RARE.get(mapping.unit, 0.0))


def _costs(
    frame: Frame, mapping: Mapping, choice: Choice, model: PlantModel, *, free: bool
) -> list[tuple[float, Mapping]]:
    """Return the units in which a choice can be read with their costs, the likeliest first; equal outcomes once."""
    quantities = ("energi", "effekt") if (free or not choice.quantity) and choice.quantity != "teller" else (choice.quantity,)
    found: list[tuple[float, Mapping]] = []
    seen: list[float] = []
    for quantity in quantities:
        for unit in _UNITS[quantity][: 3 if model.kwp > _LARGE_KWP else 2]:
            tried = _with(mapping, choice._replace(quantity=quantity), unit)
            scale = tried.factor * (mapping.interval_s / HOUR_S if quantity == "effekt" else 1.0)
            if not any(math.isclose(scale, one, rel_tol=1e-6) for one in seen):
                seen.append(scale)
                found.append((_cost(frame, tried, model), tried))
    return sorted(found, key=lambda pair: pair[0])


def whole(hours: Hours) -> NDArray[np.bool_]:
    """Return which hours rows cover for the most part, (n,)."""
    return hours.covered > 0.5
