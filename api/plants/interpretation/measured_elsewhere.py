"""Columns that are called production and are measured elsewhere: at the grid, or behind a battery."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from api.plants.interpretation.apply import hours_of
from api.plants.interpretation.columns import GRID_ROLES, Choice
from api.plants.interpretation.frame import Frame
from api.plants.interpretation.headings import plain, read_heading, words
from api.plants.interpretation.mapping import Mapping
from api.plants.interpretation.units import likeliest_unit, with_choice

_NOTHING, _PART = 0.05, 0.4
_FEWEST_HOURS = 12


def is_grid_meter(frame: Frame, mapping: Mapping, choice: Choice) -> bool:
    """Return whether the production is what own use left over.

    Titles say so, or consumption beside it is nothing in hours with much of it: a house always takes some.

    Parameters
    ----------
    frame, mapping
        The mapping has time columns, interval and labels.
    choice : Choice
        Columns of the production.
    """
    if choice.role in GRID_ROLES or not choice.values:
        return False
    if _titles_say_so(frame):
        return True
    read = with_choice(mapping, choice, likeliest_unit(choice))
    production = hours_of(frame, read)
    for other in _consumption(frame, read):
        consumption = hours_of(frame, other)
        both, ours, theirs = np.intersect1d(
            production.starts, consumption.starts, assume_unique=True, return_indices=True
        )
        given, taken = np.maximum(production.wh[ours], 0), consumption.wh[theirs]
        if both.size < _FEWEST_HOURS or not (taken > 0).any() or given.sum() <= 0:
            continue
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
        and frame.numbers(column).any()
        for column in frame.numeric
    )
    return has_battery and all(patterns["output"].search(one) and not patterns["sun"].search(one) for one in names)


def _titles_say_so(frame: Frame) -> bool:
    titles, patterns = plain(frame.notes), words()["titles"]
    is_said = bool(patterns["feed_in"].search(titles)) and not patterns["production"].search(titles)
    return is_said and not any(frame.headings[column].role == "feed_in" for column in frame.numeric)


def _consumption(frame: Frame, read: Mapping) -> Iterator[Mapping]:
    """Yield mappings that read consumption in place of production: another column, or other labels."""
    for column in frame.numeric:
        heading = frame.headings[column]
        if heading.role == "consumption" and column not in read.values and not heading.is_foreign:
            yield replace(read, values=(column,))
    if read.label is not None:
        labels = dict.fromkeys(frame.labels(read.label).tolist())
        if kept := tuple(one for one in labels if read_heading(one).role == "consumption"):
            yield replace(read, kept=kept)
