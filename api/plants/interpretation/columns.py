"""Which columns are the plant's production: by their headings first, by their numbers where headings leave it open."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.plants.interpretation.apply import Rows
from api.plants.interpretation.counters import HOUR_S, Proven, counter_kind, fineness, is_coarse, proven_power
from api.plants.interpretation.frame import Frame
from api.plants.interpretation.headings import Heading, plain
from api.plants.interpretation.times import DAY_S

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Kind = Literal["energi", "effekt", "teller", "dagteller", ""]
GRID_ROLES = ("feed_in", "import", "consumption")
NO_PRODUCTION = frozenset(
    {"price", "ratio", "theory", "irradiance", "other", "battery", "self_use", "phase", "inverter_id"}
)
_RANKS = {
    "production": 30.0, "generic": 20.0, "unknown": 10.0, "phase": 8.0, "dc": 6.0, "feed_in": 4.0, "import": 1.0,
    "consumption": 0.0,
}  # fmt: skip
_QUANTITY_RANKS = {"energi": 3.0, "effekt": 2.5, "dagteller": 1.0}
_SAME, _PROVEN = 0.005, 5.0
_ROWS_A_DAY = 8
# Names of a plant's parts: columns that differ in these alone add up.
_PLACES = re.compile(
    r"\b(ost|vest|sor|nord|soder|norr|vast|east|west|south|north|sud|oost|zuid|noord|est|ouest|tak\w*|roof|dach|dak|toit"
    r"|garasje\w*|garage|hus\w*|laave\w*|lave\w*|fjos\w*|vegg\w*|left|right|links|rechts|sno?|[a-d])\b|[^a-z ]"
)
TOTAL = re.compile(r"\b(total|totalt|sum|summe|gesamt|totaal|plant|anlegg(et)?|anlage|all|samlet|site)\b")
SITE = re.compile(r"\b(plants?|anlegg\w*|anlage|site|address|adresse?|eiendom|installation|kunde|customer)\b")
_UNITS = re.compile(r"\b[km]? ?wh?\b")
_DEVICE = re.compile(
    r"\b(inverter|omformer|vekselretter|vaxelriktare|wechselrichter|wr|omvormer|onduleur|inv|sn)(?![a-z])"
)


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
        `production`, `generic`, `unknown`, `dc`, `phase`, or a role of the grid.
    rank : float
        Of several choices the highest is the likeliest by its headings.
    is_total : bool
        Whether it is the sum of other columns.
    is_proven : bool
        Whether counters beside it prove the quantity.
    """

    values: tuple[int, ...]
    quantity: Literal["energi", "effekt", "teller", ""]
    unit: str
    role: str
    rank: float
    is_total: bool = False
    is_proven: bool = False


class _Group(NamedTuple):
    """Columns of one role and quantity, with their numbers as float64 (columns, n), missing ones as nought."""

    role: str
    quantity: Kind
    columns: list[int]
    values: Floats


def choices_of(frame: Frame, rows: Rows, step_s: int, unit_of_notes: str) -> list[Choice]:
    """Return the columns that may be the plant's production, the likeliest first.

    Parameters
    ----------
    frame : Frame
    rows : Rows
        In the order of time, of one device.
    step_s : int
        Length of an interval.
    unit_of_notes : str
        What titles say of the unit.
    """
    row, day = rows.row, rows.local // DAY_S
    groups = _groups(frame, row, day, NO_PRODUCTION)
    if all(group.role in (*GRID_ROLES, "dc") for group in groups):
        groups = _groups(frame, row, day, NO_PRODUCTION - {"phase"})
    groups = groups or _groups(frame, row, day, NO_PRODUCTION, zeros=True)
    totals = _totals(groups)
    groups = _without_dc(groups, totals)
    out: list[Choice] = []
    for group in groups:
        if set(group.columns) & totals.keys():
            some: list[tuple[int, ...]] = [(column,) for column in group.columns if column in totals]
        elif any(group is part for part in totals.values()):
            continue
        else:
            some = _sums(frame, group)
        rank = _RANKS[group.role] + _QUANTITY_RANKS.get(group.quantity, 0.0)
        rank += fineness(group.values[0]) if group.quantity == "teller" else 0.0
        for place, columns in enumerate(some):
            unit = frame.headings[columns[0]].unit or unit_of_notes
            quantity: Literal["energi", "effekt", "teller", ""] = (
                "teller" if group.quantity == "dagteller" else group.quantity
            )
            is_total = columns[0] in totals
            more = max(_rank_of(totals[columns[0]]) - rank, 0.0) + 0.5 if is_total else -0.01 * place
            out.append(Choice(columns, quantity, unit, group.role, rank + more, is_total))
    if not any(heading.text for heading in frame.headings) and (proven := _proven(groups, step_s)):
        rank = _RANKS["unknown"] + _PROVEN
        unit = proven.unit or unit_of_notes
        out.append(Choice(proven.columns, "effekt", unit, "unknown", rank, is_proven=True))
    out.sort(key=lambda one: -one.rank)
    return [*_finer(frame, groups, out[0], rows.local // HOUR_S, step_s), *out] if out else []


def _finer(frame: Frame, groups: Sequence[_Group], best: Choice, hour: Ints, step_s: int) -> Iterator[Choice]:
    """Yield the power that says the same as a counter of coarse steps: its hours are exact."""
    columns = {c: v for g in groups for c, v in zip(g.columns, g.values, strict=True)}
    if best.quantity != "teller" or len(best.values) > 1 or not is_coarse(columns[best.values[0]], hour):
        return
    power = {c: columns[c] for g in groups if g.quantity == "effekt" and g.role not in GRID_ROLES for c in g.columns}
    if proven := proven_power(power, {best.values[0]: columns[best.values[0]]}, step_s):
        unit = frame.headings[proven.columns[0]].unit or proven.unit
        yield best._replace(values=proven.columns, quantity="effekt", unit=unit, rank=best.rank + _PROVEN)


def _proven(groups: Sequence[_Group], step_s: int) -> Proven | None:
    """Return the power that counters beside it prove, in a table without headings."""
    columns = {
        kind: {c: v for g in groups if bool(g.quantity) == kind for c, v in zip(g.columns, g.values, strict=True)}
        for kind in (True, False)
    }
    return proven_power(columns[False], columns[True], step_s)


def _without_dc(groups: Sequence[_Group], totals: dict[int, _Group]) -> list[_Group]:
    """Return groups without the sums of direct current that stand beside alternating current."""
    out = []
    for group in groups:
        sums = [one for one in group.columns if one in totals and totals[one].role == "dc"]
        kept = [place for place, one in enumerate(group.columns) if one not in sums]
        for one in sums if kept else ():
            del totals[one]
        columns = [group.columns[place] for place in kept]
        out.append(group._replace(columns=columns, values=group.values[kept]) if kept else group)
    return out


def siblings_of(frame: Frame, choice: Choice) -> list[int]:
    """Return the columns that are named as those of a choice but for a number, and are not in it nor their sum."""
    names = {_part(plain(frame.headings[one].text)) for one in choice.values} - {""}
    others = [one for one in frame.numeric if one not in choice.values]
    same = {_numbered(frame, one) for one in choice.values}  # their power beside their energy
    alike = [one for one in others if _part(plain(frame.headings[one].text)) in names]
    alike = [one for one in alike if _numbered(frame, one) not in same and np.nan_to_num(frame.numbers(one)).any()]
    return [one for one in alike if not choice.is_total and _DEVICE.search(plain(frame.headings[one].text))]


def _numbered(frame: Frame, column: int) -> str:
    return re.sub(r"[^a-z0-9]", "", _UNITS.sub("", plain(frame.headings[column].text)))


def _rank_of(group: _Group) -> float:
    return _RANKS[group.role] + _QUANTITY_RANKS.get(group.quantity, 0.0)


def _groups(frame: Frame, rows: Ints, day: Ints, left_out: frozenset[str], *, zeros: bool = False) -> list[_Group]:
    found: dict[tuple[str, Kind], list[int]] = {}
    for column in frame.numeric:
        heading, values = frame.headings[column], frame.numbers(column)[rows]
        is_nothing = not np.nan_to_num(values).any() and not (zeros and heading.role == "production")
        if heading.role in left_out or is_nothing or _is_index(values):
            continue
        kind = quantity_of(heading, values, day)
        if kind != "teller" and _is_constant_by_day(values, day):  # such as the day before's
            continue
        found.setdefault((heading.role, kind), []).append(column)
    return [
        _Group(*key, columns, np.array([np.nan_to_num(frame.numbers(column)[rows]) for column in columns]))
        for key, columns in found.items()
    ]


def _is_index(values: Floats) -> bool:
    """Return whether numbers count the rows, from 0 or 1."""
    steps = np.diff(values)
    return (
        bool(steps.size)
        and values.min() in (0.0, 1.0)
        and bool((np.abs(steps) == 1).all())
        and bool((steps == steps[0]).all())
    )


def _is_constant_by_day(values: Floats, day: Ints) -> bool:
    """Return whether numbers stay the same through each of the days, of which there are many rows."""
    days = np.unique(day).size
    same = np.diff(day) == 0
    moves = np.diff(np.nan_to_num(values)) != 0
    return len(values) >= _ROWS_A_DAY * days and bool(moves[same].sum() <= days and (values != 0).mean() > 0.5)


def quantity_of(heading: Heading, values: Floats, day: Ints) -> Kind:
    """Return what a column's numbers are: by its unit, else by whether they only rise, else by its words."""
    if heading.is_power:
        return "effekt"
    given = ~np.isnan(values)
    if kind := counter_kind(values[given], day[given]):
        return kind
    if heading.daily and heading.is_energy and np.unique(values[given]).size <= 3:
        return "dagteller"
    return "energi" if heading.quantity == "teller" else heading.quantity


def _totals(groups: Sequence[_Group]) -> dict[int, _Group]:
    """Return the columns that are the sum of others, with the group of these."""
    out: dict[int, _Group] = {}
    for group in groups:
        for place, column in enumerate(group.columns):
            one = group.values[place]
            for parts in groups:
                rest = [other for other in range(len(parts.columns)) if parts is not group or other != place]
                if (
                    parts.quantity != group.quantity
                    or parts.role in GRID_ROLES
                    or group.role in GRID_ROLES
                    or len(rest) < 2
                ):
                    continue
                if _is_sum(one, parts.values[rest]):
                    out[column] = parts
    return out


def _is_sum(one: Floats, parts: Floats) -> bool:
    """Return whether numbers (n,) are the sum of parts (m, n), wherever all of these are given."""
    given = (parts != 0).all(axis=0)
    if given.sum() < 0.2 * (one != 0).sum():
        return False
    return bool(np.abs(parts.sum(axis=0) - one)[given].sum() <= _SAME * np.abs(one)[given].sum())


def _sums(frame: Frame, group: _Group) -> list[tuple[int, ...]]:
    """Return what of a group may be the production: a column that is called total, devices together, or each alone."""
    columns = group.columns
    if len(columns) == 1:
        return [tuple(columns)]
    texts = {column: plain(frame.headings[column].text) for column in columns}
    units = {frame.headings[column].unit for column in columns}
    parts: dict[str, list[int]] = {}
    for column, text in texts.items():
        parts.setdefault(_part(text), []).append(column)
    named = [column for column in columns if TOTAL.search(texts[column])]
    if len(named) == 1 and not all(map(_DEVICE.search, texts.values())):
        return [tuple(named), *((one,) for one in columns if one not in named)]
    if len(units) > 1:
        return [(one,) for one in _distinct(group)]
    if group.role in ("dc", "phase"):
        return [tuple(some) for some in parts.values()]
    alone: list[tuple[int, ...]] = [(one,) for one in _distinct(group)]
    if len(parts) > 1 and not all(map(_DEVICE.search, texts.values())):
        return alone
    if not all(texts.values()) or any(re.search(r"\b(19|20)\d\d\b", text) for text in texts.values()):
        return alone
    # Numbers alone may be of anything, and plants of somebody else.
    words = [_UNITS.sub("", text) for text in texts.values() if not _DEVICE.search(text)]
    is_open = any(SITE.search(text) or not re.search(r"[a-z]{3}", text) for text in words)
    return [tuple(columns), *alone] if is_open else [tuple(columns)]


def _part(text: str) -> str:
    """Return a plain heading without numbers, units and names of a plant's parts."""
    return _PLACES.sub("", _UNITS.sub("", re.sub(r"[^a-z]*\d[\w-]*", " ", text))).replace(" ", "")


def _distinct(group: _Group) -> list[int]:
    """Return the columns of a group without those that repeat another's numbers."""
    kept: list[int] = []
    for place, values in enumerate(group.values):
        if not any(np.abs(values - group.values[one]).sum() <= _SAME * np.abs(values).sum() for one in kept):
            kept.append(place)
    return [group.columns[place] for place in kept]
