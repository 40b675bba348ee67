"""Tables in which the rows of several inverters or registers stand under each other."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from api.plants.interpretation.apply import Rows
from api.plants.interpretation.columns import GRID_ROLES, NO_PRODUCTION
from api.plants.interpretation.frame import Frame
from api.plants.interpretation.headings import read_heading

_REPEATED, _TOLD_APART = 0.2, 0.97


class Mixed(NamedTuple):
    """Rows of several devices or registers under each other.

    Parameters
    ----------
    label : int
        Column that tells them apart; -1 where none does.
    kept : tuple of str
        Labels that are production; all that are there where words tell none apart.
    role : str
        As that of a `Choice`.
    """

    label: int
    kept: tuple[str, ...]
    role: str


def mixed_rows(frame: Frame, rows: Rows) -> Mixed | None:
    """Return what tells rows with the same stamp apart, None where stamps hardly repeat."""
    repeated = 1 - len(np.unique(rows.local)) / max(len(rows.local), 1)
    if repeated < _REPEATED:
        return None
    best: tuple[int, Mixed] | None = None
    for column, found in frame.label_columns():
        _, code = np.unique(frame.labels(column)[rows.row], return_inverse=True)
        pairs = np.unique(rows.local * len(found) + code).size
        if pairs >= _TOLD_APART * len(rows.local) and (best is None or len(found) < best[0]):
            best = len(found), Mixed(column, *_production(found))
    if best is None:
        return None if _repeats_itself(frame, rows) else Mixed(-1, (), "unknown")
    return best[1]


def _repeats_itself(frame: Frame, rows: Rows) -> bool:
    """Return whether rows with the same stamp have the same numbers: they were exported twice."""
    if not frame.numeric:
        return True
    order = np.argsort(rows.local, kind="stable")
    same = np.diff(rows.local[order]) == 0
    numbers = np.array([np.nan_to_num(frame.numbers(column))[rows.row][order] for column in frame.numeric])
    return bool((np.diff(numbers, axis=1)[:, same] == 0).all(axis=0).mean() > _TOLD_APART)


def _production(labels: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Return the labels that are production, and their role: those that say so, else devices, else the grid's."""
    roles = {label: read_heading(label).role for label in labels}
    if said := tuple(one for one in labels if roles[one] == "production"):
        return said, "production"
    devices = tuple(one for one in labels if roles[one] not in (*GRID_ROLES, *NO_PRODUCTION - {"inverter_id", "other"}))
    grid = next((role for role in GRID_ROLES if role in roles.values()), "")
    if grid and len(devices) < 2:
        return tuple(one for one in labels if roles[one] == grid), grid
    return devices or tuple(labels), "production"


def busiest_rows(frame: Frame, rows: Rows, label: int, kept: Sequence[str]) -> Rows:
    """Return the rows of the label that has the most numbers other than nought: an inverter that works."""
    given = np.array([np.nan_to_num(frame.numbers(one)) != 0 for one in frame.numeric]).sum(axis=0)
    labels = frame.labels(label)
    busiest = max(kept, key=lambda one: int(given[labels == one].sum()))
    return rows.taken((labels == busiest)[rows.row])
