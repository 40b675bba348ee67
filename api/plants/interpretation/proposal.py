"""A language model's proposal on how to read a file: one more candidate, read by the same code, judged by the same sun.

It is asked where the rules are unsure, where the operator has set one up, and the plant's owner has consented. Headings
and 20 masked rows leave the house.
"""

import logging
import re
from collections.abc import Callable, Sequence
from typing import Any

from api.core.errors import ApiError
from api.core.prose import prose
from api.plants.interpretation.answers import Answers
from api.plants.interpretation.frame import Frame
from api.plants.interpretation.frames import frame_of_workbook
from api.plants.interpretation.interpret import Interpretation, interpret
from api.plants.interpretation.numbers import is_number
from api.plants.interpretation.scoring import level, level_cost, timing, timing_cost
from api.plants.interpretation.times import style_of
from api.plants.model import PlantModel
from api.plants.reading.workbook import Workbook
from catalog.sources.errors import SourceError
from catalog.sources.file_reader import Proposal

SOURCE = "SunPoint datatolkning"
_ROWS, _LONGEST = 20, 80
_SURE, _CLEARLY, _DIFFERENT = 0.9, 1.0, 0.03

log = logging.getLogger("solflis.api")

Ask = Callable[[Sequence[str], Sequence[Sequence[str]]], Proposal]
"""Asks a model, from headings and masked rows."""


def interpret_with(
    ask: Ask | None, workbook: Workbook, model: PlantModel, answers: Answers, **others: Any
) -> Interpretation:
    """Return the interpretation of a file; where the rules are unsure, a model may propose another.

    Parameters
    ----------
    ask : callable or None
        None asks nobody.
    workbook, model, answers, **others
        As `interpret` takes them.

    Raises
    ------
    ApiError
        As `interpret`.
    """
    refusal: ApiError | None = None
    by_rules: Interpretation | None = None
    try:
        by_rules = interpret(workbook, model, answers, **others)
    except ApiError as error:
        refusal = error
    if ask is None or answers != Answers() or (by_rules is not None and by_rules.certainty >= _SURE):
        if by_rules is None:
            raise refusal or AssertionError
        return by_rules
    proposed = _proposed(ask, workbook, model, **others)
    if by_rules is None:
        if proposed is None:
            raise refusal or AssertionError
        return proposed
    return by_rules if proposed is None else _better(by_rules, proposed, model)


def _proposed(ask: Ask, workbook: Workbook, model: PlantModel, **others: Any) -> Interpretation | None:
    """Return what a model proposes, None where it answers nothing that can be read."""
    try:
        frame = frame_of_workbook(workbook)
        proposal = ask(*masked(frame))
        columns = "+".join(str(column + 1) for column in proposal.value_columns)
        answers = Answers(unit=proposal.unit, column=columns, order=proposal.date_order)
        found = interpret(workbook, model, answers, **others)
    except (ApiError, SourceError) as error:
        log.warning("the model that reads files is passed over: %s", type(error).__name__)
        return None
    found.source = SOURCE
    return found if _cost(found, model) < 5.0 else None


def _better(by_rules: Interpretation, proposed: Interpretation, model: PlantModel) -> Interpretation:
    """Return the reading that fits the plant better; where both fit alike and differ, the other one is asked about."""
    ours, theirs = _cost(by_rules, model), _cost(proposed, model)
    used, other = (proposed, by_rules) if theirs < ours else (by_rules, proposed)
    energy = float(used.hours.wh.sum()), float(other.hours.wh.sum())
    if abs(ours - theirs) < _CLEARLY and abs(energy[0] - energy[1]) > _DIFFERENT * max(energy):
        names = " + ".join(f"«{name}»" for name in other.columns)
        used.questions.append(prose(__file__, "questions")["proposal"].format(column=names, unit=other.mapping.unit))
        used.certainty = min(used.certainty, by_rules.certainty)
    return used


def _cost(found: Interpretation, model: PlantModel) -> float:
    leveled = level(found.hours, model)
    return level_cost(leveled) + timing_cost(timing(found.hours, model))


def masked(frame: Frame) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows from all over a file in which texts, such as names and serials, are masked."""
    headings = [re.sub(r"\w*\d{4,}\w*", "#", one.text)[:_LONGEST] for one in frame.headings]
    step = max(1, len(frame.rows) // _ROWS)
    return headings, [[_mask(cell) for cell in row] for row in frame.rows[::step][:_ROWS]]


def _mask(cell: Any) -> str:
    text = str(cell)[:_LONGEST]
    if cell == "" or is_number(cell) or style_of([cell]):
        return text
    return re.sub(r"\w", "x", text)
