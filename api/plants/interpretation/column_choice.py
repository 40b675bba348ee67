"""The choice among columns: as the caller says, else by rank, else by how well they follow the sun."""

import re

import numpy as np

from api.plants.interpretation.answers import Answers
from api.plants.interpretation.apply import Hours, hours_of
from api.plants.interpretation.columns import Choice, siblings_of
from api.plants.interpretation.doubts import Doubts
from api.plants.interpretation.frame import Frame
from api.plants.interpretation.mapping import Mapping
from api.plants.interpretation.problems import not_interpreted
from api.plants.interpretation.scoring import level
from api.plants.interpretation.units import likeliest_unit, with_choice
from api.plants.model import PlantModel

_RIVAL, _CLEARLY, _FIRST = 0.3, 0.15, 0.02
_TOO_MUCH, _FITS, _TOO_LITTLE = 1.5, 1.2, 0.5  # of the clear sky's energy, on the best day
_ALIKE = 0.01  # of the energy: decimals are cut
_LISTED = 12


def decide_column(
    frame: Frame, mapping: Mapping, choices: list[Choice], model: PlantModel, answers: Answers, doubts: Doubts
) -> Choice:
    """Return the columns that are read.

    Parameters
    ----------
    frame, mapping, model, answers
        The mapping has time columns and interval.
    choices : list of Choice
        The likeliest first.
    doubts : Doubts
        Gets questions.

    Raises
    ------
    ApiError
        `NOT_INTERPRETED`: there is no such column.
    """
    if answers.column is not None:
        return _named(frame, choices, answers.column)
    if not choices:
        raise not_interpreted("no_values")
    best = choices[0]
    if len(best.values) > 1 and not best.is_total and (alone := _alone(frame, mapping, best, model)) is not None:
        doubts.ask("column", 0.5, column=_name(frame, alone), other=_name(frame, best))
        return alone
    if siblings := siblings_of(frame, best):
        doubts.ask(
            "siblings", 0.5, column=_name(frame, best), other=_name(frame, best._replace(values=tuple(siblings)))
        )
    rivals = [one for one in choices if one.rank > best.rank - _RIVAL and one.role == best.role]
    if len(rivals) == 1:
        doubts.decide(0.97 if best.role == "production" else 0.9)
        return best
    hours = [hours_of(frame, with_choice(mapping, one, likeliest_unit(one))) for one in rivals]
    follows = [
        level(one, model).correlation + _FIRST * (rival is best) for one, rival in zip(hours, rivals, strict=True)
    ]
    first, *others = (int(place) for place in np.argsort(follows)[::-1])
    doubts.decide(0.9)
    total = float(np.nansum(hours[first].wh))

    def scale(one: int) -> float:
        """Return what makes both as much where a unit is unknown."""
        is_known = rivals[one].unit and rivals[first].unit
        return 1.0 if is_known else float(np.nansum(hours[one].wh)) / max(total, 1e-9)

    second = next((one for one in others if not _is_alike(hours[one], hours[first], scale(one))), None)
    if second is not None and follows[first] - follows[second] < _CLEARLY:
        doubts.ask("column", 0.6, column=_name(frame, rivals[first]), other=_name(frame, rivals[second]))
    return rivals[first]


def _is_alike(hours: Hours, others: Hours, scale: float = 1.0) -> bool:
    """Return whether two columns say the same, such as one in Wh beside one in kWh."""
    if not np.array_equal(hours.starts, others.starts):
        return False
    wh, other = np.nan_to_num(hours.wh), np.nan_to_num(others.wh)
    return float(np.abs(wh - other * scale).sum()) < _ALIKE * float(np.abs(wh).sum())


def _alone(frame: Frame, mapping: Mapping, choice: Choice, model: PlantModel) -> Choice | None:
    """Return the largest of columns whose sum is more than the plant can give, where that one alone fits."""

    def best_day(one: Choice) -> float:
        return level(hours_of(frame, with_choice(mapping, one, likeliest_unit(one))), model).best

    if not choice.unit or best_day(choice) < _TOO_MUCH:
        return None
    largest = max(choice.values, key=lambda one: float(np.nansum(frame.numbers(one))))
    alone = choice._replace(values=(largest,))
    return alone if _TOO_LITTLE < best_day(alone) < _FITS else None


def _name(frame: Frame, choice: Choice) -> str:
    names = [frame.headings[one].text or f"nr. {one + 1}" for one in choice.values]
    return " + ".join(f"«{one}»" for one in names[:4]) + (" + ..." if len(names) > 4 else "")


def _named(frame: Frame, choices: list[Choice], text: str) -> Choice:
    """Return the columns that the caller names: headings or numbers from 1, several with a plus between them."""
    matches = _columns(frame, text)
    if not matches:
        listed = ", ".join(frame.headings[one].text or str(one + 1) for one in frame.numeric[:_LISTED])
        raise not_interpreted("no_column", column=text[:60], columns=listed)
    known = next((one for one in choices if set(matches) <= set(one.values)), None)
    for heading in (frame.headings[one] for one in matches):
        if heading.is_foreign:
            raise not_interpreted("foreign_column", column=heading.text[:60], unit=heading.unit)
    heading = frame.headings[matches[0]]
    role = known.role if known else heading.role
    named = known or Choice((), "", heading.unit, "production", 0.0)
    return named._replace(values=tuple(matches), role="feed_in" if role == "feed_in" else "production")


def _columns(frame: Frame, text: str) -> list[int]:
    wanted = text.strip().lower()
    by_name: dict[str, int] = {}
    for column in frame.numeric:
        by_name.setdefault(frame.headings[column].text.strip().lower(), column)
    if wanted in by_name:
        return [by_name[wanted]]
    numbered = re.fullmatch(r"\d{1,4}([+ ]+\d{1,4})*", wanted)  # in a query a plus may come as a blank
    parts = re.split(r"[+ ]+" if numbered else r"\s*\+\s*", wanted)
    found = [int(part) - 1 if part.isdigit() else by_name.get(part, -1) for part in parts]
    return list(dict.fromkeys(found)) if found and set(found) <= set(frame.numeric) else []
