"""Meters at the grid, whose production is what own use left over: their consumption is nothing while they deliver."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from api.plants.interpretation.apply import hours_of
from api.plants.interpretation.columns import GRID_ROLES, Choice
from api.plants.interpretation.frame import Frame
from api.plants.interpretation.headings import read_heading
from api.plants.interpretation.mapping import Mapping
from api.plants.interpretation.units import likeliest_unit, with_choice

_NOTHING, _PART = 0.05, 0.4
_FEWEST_HOURS = 12


def is_grid_meter(frame: Frame, mapping: Mapping, choice: Choice) -> bool:
    """Return whether consumption beside the production is nothing in hours with much of it: a house always takes some.

    Parameters
    ----------
    frame, mapping
        The mapping has time columns, interval and labels.
    choice : Choice
        Columns of the production.
    """
    if choice.role in GRID_ROLES or not choice.values:
        return False
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
