"""Values of JSON: which are cells, which are columns, and which numbers belong to a record alone."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from api.plants.reading.workbook import Cell

_CLOCK = re.compile(r"\d:\d\d")
_EPOCH = 9e8
# Values that a number which says the same of several records, such as an id, has at most.
_FEW = 3


def is_scalar(value: Any) -> bool:
    """Return whether a value is neither an object nor a list."""
    return not isinstance(value, dict | list)


def are_scalars(values: Iterable[Any]) -> bool:
    """Return whether all values are cells."""
    return all(map(is_scalar, values))


def has_rows(value: Any) -> bool:
    """Return whether a value is a list of lists."""
    return isinstance(value, list) and bool(value) and isinstance(value[0], list)


def listed(value: Any) -> Any:
    """Return the values of an object whose keys count from 0, as pandas writes columns; others as they are."""
    if isinstance(value, dict) and len(value) > 1 and are_scalars(value.values()) and "0" in value:
        return list(value.values()) if list(value) == list(map(str, range(len(value)))) else value
    return value


def measured(records: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the keys of numbers that change from record to record, where each record has a time of day.

    They belong to the record: with each row of a list inside it they would count several times.
    """
    seen: dict[str, set[Any]] = {}
    for cells in records:
        for key, cell in cells.items():
            seen.setdefault(key, set()).add(cell)
    moving = {key: next(iter(values)) for key, values in seen.items() if len(values) > _FEW}
    numbers = {key for key, one in moving.items() if isinstance(one, float | int) and one < _EPOCH}
    has_clock = any(
        key not in numbers and (not isinstance(one, str) or _CLOCK.search(one)) for key, one in moving.items()
    )
    return numbers if has_clock else set()


def cell_of(value: Any, number: type[float] | type[str] = float) -> Cell:
    """Return a value as a cell; numbers become `number`, null and NaN are empty."""
    if isinstance(value, str):
        return value.replace("\0", "").strip()
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    return str(value).lower() if isinstance(value, bool) else number(value)
