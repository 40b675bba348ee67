"""Which columns are the plant's production: by their headings first, by their numbers where headings leave it open."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.plants.interpretation.apply import Rows
from api.plants.interpretation.frame import Frame, labels
from api.plants.interpretation.headings import Heading, plain, read_heading
from api.plants.interpretation.mapping import Quantity

Floats = NDArray[np.float64]
_NEVER = frozenset({"price", "ratio", "theory", "irradiance", "other", "battery", "self_use", "phase", "inverter_id"})
_GRID = frozenset({"feed_in", "import", "consumption"})
_SAME = 0.005
# Names of a plant's parts: columns that differ in these alone add up.
_PLACES = re.compile(
    r"\b(ost|vest|sor|nord|soder|norr|vast|east|west|south|north|sud|oost|zuid|noord|est|ouest|tak|roof|dach|dak|toit|garasje|garage"
    r"|hus|laave|lave|fjos|vegg|left|right|links|rechts|sno?)\b|[^a-z ]"
)
_TOTAL = re.compile(r"\b(total|totalt|sum|summe|gesamt|totaal|plant|anlegg|anlage|all|samlet|site)\b")


class Choice(NamedTuple):
    """Columns that together may be the plant's production.

    Parameters
    ----------
    values : tuple of int
    quantity : {"energi", "effekt", "teller"} or ""
        Empty where neither words nor numbers tell.
    unit : str
        Empty where none is said.
    role : str
        `production`, `generic`, `unknown`, `dc`, or a role of the grid.
    rank : float
        Of several choices the highest is the likeliest by its headings.
    """

    values: tuple[int, ...]
    quantity: Quantity | str
    unit: str
    role: str
    rank: float


class Mixed(NamedTuple):
    """Rows of several devices or registers under each other.

    Parameters
    ----------
    label : int
        Column that tells them apart.
    kept : tuple of str
        Labels that are production; all that are there where words tell none apart.
    role : str
        As `Choice`.
    """

    label: int
    kept: tuple[str, ...]
    role: str


def mixed_rows(frame: Frame, local: NDArray[np.int64], index: NDArray[np.int64]) -> Mixed | None:
    """Return what tells rows with the same stamp apart, None where stamps hardly repeat or nothing tells them apart."""
    repeated = 1 - len(np.unique(local)) / max(len(local), 1)
    if repeated < 0.2:
        return None
    best: tuple[int, Mixed] | None = None
    for column, found in labels(frame):
        cells = [str(cell) for cell in frame.cells(column)]
        pairs = {(stamp, cells[row]) for stamp, row in zip(local.tolist(), index.tolist(), strict=True)}
        if len(pairs) < 0.97 * len(local) or (best and best[0] <= len(found)):
            continue
        roles = {label: read_heading(label).role for label in found}
        groups = [
            ([one for one in found if roles[one] == role], role) for role in ("production", "feed_in", "import", "consumption")
        ]
        others = [one for one in found if roles[one] not in (*_GRID, *_NEVER - {"inverter_id", "other"}, "production")]
        kept, role = next(((some, role) for some, role in groups if some), (others or found, "production"))
        if role in _GRID and others and not any(roles[one] in _GRID for one in others) and len(others) > 1:
            kept, role = others, "production"
        best = len(found), Mixed(column, tuple(kept), role)
    return None if best is None else best[1]


def choices_of(frame: Frame, rows: NDArray[np.int64], day: NDArray[np.int64], unit_of_notes: str) -> list[Choice]:
    """Return the columns that may be the plant's production, the likeliest first.

    Parameters
    ----------
    frame : Frame
    rows : int64 (n,)
        Rows in the order of time.
    day : int64 (n,)
        Number of the day of each, for counters that begin anew each day.
    unit_of_notes : str
        What titles say of the unit.
    """
    groups: dict[tuple[str, str], list[int]] = {}
    for column in frame.numeric:
        heading = frame.headings[column]
        values = frame.numbers(column)[rows]
        if heading.role in _NEVER or not (np.nan_to_num(frame.numbers(column)) != 0).any():
            continue
        groups.setdefault((heading.role, quantity_of(heading, values, day)), []).append(column)
    out = [_choice(frame, rows, columns, role, quantity, unit_of_notes) for (role, quantity), columns in groups.items()]
    flat = [one for some in out for one in some]
    return sorted(flat, key=lambda one: -one.rank)


def quantity_of(heading: Heading, values: Floats, day: NDArray[np.int64]) -> str:
    """Return what a column's numbers are: by its unit, else by whether they only rise."""
    if heading.is_power:
        return "effekt"
    given = ~np.isnan(values)
    kind = counter_kind(values[given], day[given])
    if kind:
        return kind
    if heading.daily and heading.is_energy:
        return "dagteller"
    return "energi" if heading.quantity == "teller" else heading.quantity


def counter_kind(values: Floats, day: NDArray[np.int64]) -> str:
    """Return `teller` for a counter, `dagteller` for one that begins anew each day, else nothing."""
    steps = np.diff(values)
    rises, falls = (steps > 0).sum(), (steps < 0).sum()
    if rises < 5 or np.nanmax(values, initial=0) <= 0:
        return ""
    resets = ((steps < 0) & (values[1:] < 0.01 * values[:-1])).sum()
    if falls <= 0.002 * len(steps) or (falls <= 3 and falls == resets and rises > 50 * falls):
        return "teller"
    within = np.diff(day) == 0
    days = len(np.unique(day))
    return "dagteller" if (steps[within] < 0).sum() <= 0.02 * rises + 0.2 * days and falls >= 0.3 * (days - 1) else ""


def _choice(
    frame: Frame, rows: NDArray[np.int64], columns: list[int], role: str, quantity: str, unit_of_notes: str
) -> list[Choice]:
    """Return the choices among columns of one role and quantity: a total, inverters that add up, or each alone."""
    rank = {"production": 30.0, "generic": 20.0, "unknown": 10.0, "dc": 8.0, "feed_in": 4.0, "import": 1.0, "consumption": 0.0}[role]
    values = np.array([np.nan_to_num(frame.numbers(column)[rows]) for column in columns])
    rank += {"energi": 3.0, "teller": _fineness(values), "effekt": 2.5, "dagteller": 1.0}.get(quantity, 0.0)
    meaning = "teller" if quantity == "dagteller" else quantity

    def choice(some: Sequence[int], more: float = 0.0) -> Choice:
        unit = frame.headings[some[0]].unit or unit_of_notes
        return Choice(tuple(some), meaning, unit, role, rank + more)

    if len(columns) == 1:
        return [choice(columns)]
    total = values.sum(axis=0)
    for place, column in enumerate(columns):
        rest = total - values[place]
        if np.abs(rest - values[place]).sum() <= _SAME * np.abs(values[place]).sum() and len(columns) > 2:
            return [choice([column], 0.5)]
    kept: list[int] = []
    for place, column in enumerate(columns):  # the same numbers twice
        if not any(np.abs(values[place] - values[columns.index(one)]).sum() <= _SAME * values[place].sum() for one in kept):
            kept.append(column)
    if len(kept) == 1:
        return [choice(kept)]
    named = [column for column in kept if _TOTAL.search(plain(frame.headings[column].text))]
    if len(named) == 1:
        return [choice(named, 0.4), *(choice([one], -0.5) for one in kept if one not in named)]
    alike = {_PLACES.sub("", re.sub(r"[^a-z]*\d[\w-]*", " ", plain(frame.headings[column].text))).replace(" ", "") for column in kept}
    units = {frame.headings[column].unit for column in kept}
    if len(units) == 1 and ((len(alike) == 1 and alike != {""}) or role == "dc" or _are_devices(frame, kept)):
        return [choice(kept)]
    return [choice([column], -0.01 * place) for place, column in enumerate(kept)]


def _are_devices(frame: Frame, columns: Sequence[int]) -> bool:
    pattern = re.compile(r"\b(inverter|omformer|vekselretter|vaxelriktare|wechselrichter|wr|omvormer|onduleur|inv)\b")
    return all(pattern.search(plain(frame.headings[column].text)) for column in columns)


def _fineness(values: Floats) -> float:
    """Return the rank of a counter: above power where its steps are fine, below where they are coarse."""
    steps = np.diff(values[0])
    steps = steps[steps > 0]
    if steps.size < 5:
        return 1.5
    return 2.8 if np.median(steps) >= 5 * max(np.diff(np.unique(np.round(values[0], 6))).min(initial=np.inf), 1e-9) else 1.5


def busiest_rows(frame: Frame, rows: Rows, label: int, kept: Sequence[str]) -> Rows:
    """Return the rows of the label that has the most numbers other than nought: an inverter that works."""
    given = sum((np.nan_to_num(frame.numbers(one)) != 0).astype(int) for one in frame.numeric)
    cells = np.array([str(cell) for cell in frame.cells(label)], dtype=object)
    busiest = max(kept, key=lambda one: int(np.sum(given * (cells == one))))
    chosen = (cells == busiest)[rows.index]
    return Rows(rows.index[chosen], rows.local[chosen], rows.offset[chosen])
