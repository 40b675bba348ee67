"""Columns of cells as numbers: decimal comma or point, thousands, units behind the number, marks of missing values."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MISSING = frozenset({
    "", "-", "--", "---", "----", "–", "—", ".", "..", "?", "*", "x", "n/a", "#n/a", "#i/t", "na", "k.a.", "nan",
    "null", "none", "nil", "inf", "-inf", "undefined", "unknown", "unavailable", "missing", "mangler", "ingen",
    "no data", "no value", "ingen data", "keine daten", "geen data",
})  # fmt: skip
_BLANKS = str.maketrans("\u2212", "-", " '\u2019\t\u00a0\u202f\u2009")
# Perhaps with a unit, and a mark of quality such as <0,01, 1,23* or 4.5(est.).
_NUMBER = re.compile(
    r"(?:[<>≈~]|ca\.?|kwh)?([+-]?(?=[.,]?\d)[\d.,]+(?:e[+-]?\d+)?)([a-zA-Z/%°²]{0,8})"
    r"(?:[*#!†?~¹³⁴]|[(\[][\w.*]{1,10}[)\]])?",
    re.IGNORECASE,
)
_LOST_BLANKS = re.compile(r"(?<=\d)[?\ufffd](?=\d{3}(?!\d))")
_LARGEST = 1e15


def _bare(text: str) -> str:
    """Return a number's text without blanks, also those that an encoding turned to question marks: 26?660?869."""
    text = text.translate(_BLANKS)
    return _LOST_BLANKS.sub("", text) if "?" in text or "\ufffd" in text else text


def is_missing(cell: Any) -> bool:
    """Return whether a cell says that there is no value."""
    return isinstance(cell, str) and cell.strip().lower() in _MISSING


def is_number(cell: Any) -> bool:
    """Return whether a cell is a number, perhaps with a unit behind it."""
    if isinstance(cell, float | int):
        return True
    if not isinstance(cell, str):
        return False
    bare = _bare(cell)
    return bool(_NUMBER.fullmatch(bare))


def units_of_cells(cells: Iterable[Any]) -> set[str]:
    """Return the units and letters that stand behind the numbers of a column."""
    found = {match[2] for cell in cells if isinstance(cell, str) and (match := _NUMBER.fullmatch(_bare(cell)))}
    return found - {"", "e", "E"}


def scaled(cells: Sequence[Any], mark: str, units: Mapping[str, float]) -> list[float]:
    """Return cells such as `900 W` and `1.2 kW` as numbers in one unit.

    Parameters
    ----------
    cells : sequence (n,)
    mark : str
        The decimal mark.
    units : mapping of str to float
        What each unit is in the one.
    """
    values = numbers(cells, mark).tolist()
    behind = [_NUMBER.fullmatch(_bare(cell)) if isinstance(cell, str) else None for cell in cells]
    return [value * units.get(match[2], 1.0) if match else value for value, match in zip(values, behind, strict=True)]


def decimal_mark(samples: Iterable[str], delimiter: str = "") -> str:
    """Return the decimal mark of a file, `,` or `.`, from texts of its numbers.

    Parameters
    ----------
    samples : iterable of str
    delimiter : str
        Of the file: between commas the mark is a point.
    """
    votes = {",": 0, ".": 0}
    threes: dict[str, set[str]] = {",": set(), ".": set()}  # the units behind numbers such as 4,620
    whole: set[str] = set()  # and behind those without a mark
    for text in samples:
        bare = _bare(text)
        if not (match := _NUMBER.fullmatch(bare)):
            continue
        bare = match[1]
        last = max(bare.rfind(","), bare.rfind("."))
        if last < 0:
            whole |= {match[2]} if bare.strip("+-0") else set()
            continue
        mark, other = bare[last], "." if bare[last] == "," else ","
        digits = len(re.match(r"\d*", bare[last + 1 :])[0])  # type: ignore[index]
        if bare.count(mark) > 1:  # 1.234.567
            votes[other] += 5
        elif other in bare:  # 1.234,5
            votes[mark] += 5
        elif digits != 3 or not re.match(r"[+-]?[1-9]\d{0,2}[.,]", bare):  # 4321.000 and 0.123 have no thousands
            votes[mark] += 3
        else:
            threes[mark].add(match[2])
    for mark, other in ((",", "."), (".", ",")):
        if whole & threes[mark] and not votes[mark]:  # 20 beside 4,620: thousands
            votes[other] += 1
    if votes[","] == votes["."]:
        return "," if delimiter == ";" else "."
    return max(votes, key=lambda mark: votes[mark])


def numbers(cells: Sequence[Any], mark: str) -> NDArray[np.float64]:
    """Return cells as float64 (n,), NaN where a cell holds no number.

    Parameters
    ----------
    cells : sequence (n,)
    mark : str
        The decimal mark of text cells.
    """
    known: dict[Any, float] = {}
    out = np.empty(len(cells))
    for row, cell in enumerate(cells):
        if type(cell) is float:
            out[row] = cell
            continue
        value = known.get(cell)
        if value is None:
            value = _number(cell, mark)
            if len(known) < 200_000:
                known[cell] = value
        out[row] = value
    out[~(np.abs(out) < _LARGEST)] = np.nan
    return out


def _number(cell: Any, mark: str) -> float:
    if isinstance(cell, bool) or cell is None:
        return float("nan")
    if isinstance(cell, float | int):
        return float(cell)
    if isinstance(cell, timedelta):
        return float("nan")
    if not isinstance(cell, str):
        return float("nan")
    if (match := _NUMBER.fullmatch(_bare(cell))) is None:
        return float("nan")
    bare = match[1]
    other = "." if mark == "," else ","
    if mark not in bare and bare.count(other) == 1 and len(bare.partition(other)[2]) != 3:
        bare = bare.replace(other, ".")  # a point in a file of commas: no thousands
    else:
        bare = bare.replace(other, "").replace(mark, ".")
    try:
        return float(bare)
    except ValueError:
        return float("nan")
