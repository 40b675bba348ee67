"""Lists of rows as JSON: one object per row, or with `layout=columns` one array per field.

What stands before the number of each row does not depend on the place: a `RowTemplate` prepares it once per tile.
Numbers are texts already, from a table or from `number_texts`; the rows are parts, joined. With production the kernels
write the numbers into the prepared rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import orjson
from numpy.typing import NDArray

Layout = Literal["rows", "columns"]


class RowTemplate:
    """Rows of which only one number changes from place to place.

    Parameters
    ----------
    fixed : mapping of str to sequence
        The fields that every row begins with, such as `hour` and `timestamp`: values of all n rows.
    name : str
        Of the number, which comes last.

    Attributes
    ----------
    rows : bytes
        As JSON, without their numbers.
    """

    def __init__(self, fixed: Mapping[str, Sequence[Any]], name: str) -> None:
        rows = [dict(zip(fixed, values, strict=True)) for values in zip(*fixed.values(), strict=True)]
        # A row's dumped beginning without its closing brace; the next row's closes the one before.
        heads = [orjson.dumps(row)[:-1] + b"," + key(name) for row in rows]
        self._heads = [b"[" + heads[0], *(b"}," + head for head in heads[1:]), b"}]"]
        self.rows = b"".join(self._heads)
        self._columns = orjson.dumps({name: list(values) for name, values in fixed.items()})[:-1] + b"," + key(name)

    def render(self, texts: Sequence[bytes], layout: Layout = "rows") -> bytes:
        """Return the rows as JSON.

        Parameters
        ----------
        texts : sequence of bytes (n)
            The numbers.
        layout : {"rows", "columns"}
        """
        if layout == "columns":
            return b"%b[%b]}" % (self._columns, b",".join(texts))
        parts = [b""] * (2 * len(self._heads) - 1)
        parts[0::2] = self._heads
        parts[1::2] = texts
        return b"".join(parts)


def number_texts(values: NDArray[np.float64]) -> list[bytes]:
    """Return the JSON of numbers, flat: the shortest text that is read back as the same number.

    Parameters
    ----------
    values : float64 (...)
        Finite; round them first.
    """
    flat = np.ascontiguousarray(values, np.float64).ravel()
    return orjson.dumps(flat, option=orjson.OPT_SERIALIZE_NUMPY)[1:-1].split(b",")


def as_columns(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return rows that are dicts as one array per field; what a row lacks is null there."""
    given = list(rows)
    names = dict.fromkeys(name for row in given for name in row)
    return {name: [row.get(name) for row in given] for name in names}


def as_rows(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return columns as rows; a field is absent where it is NaN or None."""
    names = tuple(columns)
    return [
        {name: value for name, value in zip(names, row, strict=True) if value is not None and value == value}
        for row in zip(*columns.values(), strict=True)
    ]


def with_columns(rows: bytes, columns: Mapping[str, NDArray[np.float64]]) -> bytes:
    """Return rows that are JSON, laid out in either way, with more fields."""
    lists: dict[str, list[Any]] = {name: values.tolist() for name, values in columns.items()}
    given = orjson.loads(rows)
    if isinstance(given, dict):
        return orjson.dumps(given | lists)
    return orjson.dumps([row | more for row, more in zip(given, as_rows(lists), strict=True)] if lists else given)


def stamps(times: NDArray[np.int64], unit: Literal["s", "ms"] = "s") -> list[str]:
    """Return moments in unix seconds as ISO 8601 UTC."""
    return [f"{text}Z" for text in np.datetime_as_string(times.astype("datetime64[s]"), unit).tolist()]


def key(name: str) -> bytes:
    """Return a field's name as it stands before its value."""
    return orjson.dumps(name) + b":"
