"""Columns that are called production and are measured elsewhere: at the grid, or behind a battery."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from api.plants.interpretation.apply import hours_of
from api.plants.interpretation.columns import GRID_ROLES, Choice
from api.plants.interpretation.counters import counter_kind
from api.plants.interpretation.frame import Frame
from api.plants.interpretation.headings import plain, read_heading, words
from api.plants.interpretation.mapping import Mapping
from api.plants.interpretation.units import likeliest_unit, with_choice

_NOTHING, _PART, _MOSTLY = 0.05, 0.4, 0.5
_FEWEST_HOURS = 12
_METERING_POINT = re.compile(r"(?:70|57|64|73|54|87|40)\d{16}")


def is_grid_meter(frame: Frame, mapping: Mapping, choice: Choice) -> bool:
    """Return whether the production is what own use left over.

    Titles or a metering point's number say so, or consumption beside it is nothing in hours with much of it: a house
    always takes some.

    Parameters
    ----------
    frame, mapping
        The mapping has time columns, interval and labels.
    choice : Choice
        Columns of the production.
    """
    if choice.role in GRID_ROLES or not choice.values:
        return False
    if _titles_say_so(frame) or any(is_metering_point(cell) for row in frame.rows[:3] for cell in row):
        return True
    read = with_choice(mapping, choice, likeliest_unit(choice))
    production = hours_of(frame, read)
    for other in _consumption(frame, read):
        consumption = hours_of(frame, other)
        both, ours, theirs = np.intersect1d(
            production.starts, consumption.starts, assume_unique=True, return_indices=True
        )
        given, taken = np.maximum(production.wh[ours], 0), consumption.wh[theirs]
        if both.size < _FEWEST_HOURS or not (taken > 0).any() or (taken < 0).any() or given.sum() <= 0:
            continue
        dark = given <= 0
        if other.values != read.values and dark.any() and (taken[dark] > 0).mean() < _MOSTLY:
            continue  # a house takes some at night
        nothing = taken < _NOTHING * np.median(taken[taken > 0])
        if given[nothing].sum() > _PART * given.sum():
            return True
    return False


def is_behind_battery(frame: Frame, choice: Choice) -> bool:
    """Return whether the production is an inverter's output that charges and discharges a battery too."""
    patterns = words()["titles"]
    names = [plain(frame.headings[column].text) for column in choice.values]
    has_battery = any(
        frame.headings[column].role == "battery"
        and not frame.headings[column].is_foreign
        and np.nan_to_num(frame.numbers(column)).any()
        for column in frame.numeric
    )
    return has_battery and all(patterns["output"].search(one) and not patterns["sun"].search(one) for one in names)


def _titles_say_so(frame: Frame) -> bool:
    if any(frame.headings[column].role == "feed_in" for column in frame.numeric):
        return False
    titles, patterns = plain(frame.notes), words()["titles"]
    is_sold = any(one.role == "price" and patterns["feed_in"].search(plain(one.text)) for one in frame.headings)
    return is_sold or bool(patterns["feed_in"].search(titles) and not patterns["production"].search(titles))


def is_metering_point(cell: Any) -> bool:
    """Return whether a cell is the number of a grid company's metering point (GSRN)."""
    return isinstance(cell, str) and bool(_METERING_POINT.fullmatch(cell))


def _consumption(frame: Frame, read: Mapping) -> Iterator[Mapping]:
    """Yield mappings that read what may be consumption in place of production: another column, or other labels."""
    roles = {frame.headings[column].role for column in frame.numeric}
    names_both = bool(roles & {"feed_in", "consumption", "battery", "self_use"})  # then it is no grid company's file
    chosen = frame.headings[read.values[0]]
    is_solar = bool(words()["titles"]["solar"].search(plain(chosen.text)))
    for column in frame.numeric:
        heading = frame.headings[column]
        if (
            not heading.is_energy
            and not heading.is_power
            and (heading.unit or chosen.unit or heading.role == "unknown")
        ):
            continue
        is_other = heading.role in ("generic", "unknown", "import") and not (names_both or is_solar)
        if (heading.role == "consumption" or is_other) and column not in read.values:
            own = replace(read, values=(column,), unit=heading.unit or read.unit)
            if heading.is_power or read.quantity != "teller":
                yield replace(own, quantity="effekt" if heading.is_power else "energi")
            elif counter_kind(np.nan_to_num(frame.numbers(column)), np.zeros(len(frame.rows), np.int64)):
                yield own
    if read.label is not None:
        labels = dict.fromkeys(frame.labels(read.label).tolist())
        others = {one: read_heading(one).role for one in labels if one not in read.kept}
        roles = {"consumption"} if "feed_in" in others.values() else {"consumption", "import"}
        if kept := tuple(one for one, role in others.items() if role in roles):
            yield replace(read, kept=kept)
