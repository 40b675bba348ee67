"""Tables in which the rows of several inverters or registers stand under each other."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.plants.interpretation.apply import HOUR_S, Rows, interval_of
from api.plants.interpretation.columns import GRID_ROLES, NO_PRODUCTION, TOTAL
from api.plants.interpretation.frame import Frame
from api.plants.interpretation.headings import plain, read_heading

Ints = NDArray[np.int64]
_REPEATED, _TOLD_APART = 0.2, 0.97
_QUICK, _QUICK_S = 0.15, 300  # of a device's interval, and at most
_SAME = 0.01


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
    is_alike : bool
        Whether two have the same numbers: an inverter and its plant, or two inverters.
    """

    label: int
    kept: tuple[str, ...]
    role: str
    is_alike: bool = False


def mixed_rows(frame: Frame, rows: Rows) -> Mixed | None:
    """Return what tells rows with the same stamp apart, None where stamps hardly repeat.

    Devices that are asked one after the other have stamps that differ by some seconds.
    """
    best: tuple[tuple[bool, int], Mixed] | None = None
    for column, found in frame.label_columns():
        names, code = np.unique(frame.labels(column)[rows.row], return_inverse=True)
        time = _rounds(rows.local, code)
        pairs = np.unique(time * len(found) + code).size
        if not _repeated(time) or pairs < _TOLD_APART * len(time):
            continue
        kept, role, is_said = _production(found)
        rank = (not is_said, len(found))
        if best is None or rank < best[0]:
            is_kept = np.isin(names, kept)[code]
            total = _total(frame, rows.row[is_kept], time[is_kept], frame.labels(column)[rows.row[is_kept]])
            is_alike = len(kept) == 2 and bool(total) and not TOTAL.search(plain(total))
            best = rank, Mixed(column, (total,) if total and not is_alike else kept, role, is_alike)
    if best is None and _repeated(rows.local):
        return None if _repeats_itself(frame, rows) else Mixed(-1, (), "unknown")
    return best[1] if best else None


def _total(frame: Frame, row: Ints, time: Ints, labels: NDArray[np.str_]) -> str:
    """Return the label whose numbers are the sum of all others', such as the plant's; empty where there is none.

    It has a name of its own: of three inverters one may be as much as two.
    """
    names, code = np.unique(labels, return_inverse=True)
    _, slot = np.unique(time, return_inverse=True)
    for column in frame.numeric if len(names) > 1 else ():
        numbers = np.nan_to_num(frame.numbers(column)[row])
        heading = frame.headings[column]
        is_measured = heading.role in ("production", "generic") or heading.is_energy or heading.is_power
        if not is_measured or np.unique(numbers).size <= len(names):  # such as serial numbers
            continue
        every = np.bincount(slot, numbers)
        for place, name in sorted(enumerate(names.tolist()), key=lambda one: not TOTAL.search(plain(one[1]))):
            own = np.bincount(slot[code == place], numbers[code == place], every.size)
            is_alike = any(_numberless(name) == _numberless(one) for one in names.tolist() if one != name)
            if not is_alike and np.abs(every - 2 * own).sum() < _SAME * np.abs(own).sum():
                return str(name)
    return ""


def _numberless(name: str) -> str:
    return re.sub(r"\d+", "", name)


def _repeated(time: Ints) -> bool:
    return bool(1 - np.unique(time).size / max(len(time), 1) >= _REPEATED)


def _rounds(local: Ints, code: Ints) -> Ints:
    """Return the stamps, (n,), or the first stamp of each round where devices are asked in quick succession."""
    step = interval_of(local[code == np.bincount(code).argmax()])[0]
    if step > HOUR_S:
        return local
    order = np.argsort(local, kind="stable")
    begins = np.append(True, np.diff(local[order]) > min(_QUICK * step, _QUICK_S))
    out = np.empty_like(local)
    out[order] = local[order][np.flatnonzero(begins)[np.cumsum(begins) - 1]]
    return out


def _repeats_itself(frame: Frame, rows: Rows) -> bool:
    """Return whether rows with the same stamp have the same numbers: they were exported twice."""
    if not frame.numeric:
        return True
    order = np.argsort(rows.local, kind="stable")
    same = np.diff(rows.local[order]) == 0
    numbers = np.array([np.nan_to_num(frame.numbers(column))[rows.row][order] for column in frame.numeric])
    return bool((np.diff(numbers, axis=1)[:, same] == 0).all(axis=0).mean() > _TOLD_APART)


def _production(labels: Sequence[str]) -> tuple[tuple[str, ...], str, bool]:
    """Return the labels that are production, their role, and whether words tell them from others.

    Production are those that say so, else devices, else the grid's.
    """
    roles = {label: read_heading(label).role for label in labels}
    if said := tuple(one for one in labels if roles[one] == "production"):
        return said, "production", len(said) < len(labels)
    devices = tuple(one for one in labels if roles[one] not in (*GRID_ROLES, *NO_PRODUCTION - {"inverter_id", "other"}))
    grid = next((role for role in GRID_ROLES if role in roles.values()), "")
    if grid and len(devices) < 2:
        return tuple(one for one in labels if roles[one] == grid), grid, True
    return devices or tuple(labels), "production", bool(devices) and len(devices) < len(labels)


def busiest_rows(frame: Frame, rows: Rows, label: int, kept: Sequence[str]) -> Rows:
    """Return the rows of the label that has the most numbers other than nought: an inverter that works."""
    given = np.array([np.nan_to_num(frame.numbers(one)) != 0 for one in frame.numeric]).sum(axis=0)
    labels = frame.labels(label)
    busiest = max(kept, key=lambda one: int(given[labels == one].sum()))
    return rows.taken((labels == busiest)[rows.row])
