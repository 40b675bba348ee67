"""Numbers as they are printed: whole tenths, so that every printed sum is exact, and their text in rows of JSON.

As one loop this takes a fifth of what joining prepared parts and texts takes, which was half of an answer's work.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import register_jitable
from numpy.typing import NDArray

from kernels.compiled import BYTES, TABLE, compiled

_WHOLES = types.Array(types.int64, 2, "C", readonly=True)

# Of hundreds of arrays over weeks even the total is a whole number of 64 bits.
_LARGEST = 1e12
# Digits of the largest, its point, one digit that stands before it at least.
_WIDEST = 20
_BRACE, _POINT, _END = ord("}"), ord("."), 0
_NOUGHT = np.uint8(ord("0"))
# Unsigned places: of a signed one numba asks each time whether it counts from the end, which is half of a copy's time.
# TRAP: it makes a float of an unsigned and a signed integer.
_ZERO, _ONE, _TEN = np.uintp(0), np.uintp(1), np.uint64(10)
_POWERS = np.array([10**k for k in range(_WIDEST)], np.uint64)


class Rows(NamedTuple):
    """Rows of JSON, and what is to be appended to each.

    Parameters
    ----------
    json : bytes
        An array of n objects, each with a field at least; no brace but theirs is in it.
    keys : bytes
        What stands before each of k numbers, such as `,"name":`, each ended by a NUL (JSON has none). The first may be
        empty: then it stands in the rows already, each of which ends with it.
    fields : int64 (k, 2)
        Of each number the row of the values, and how many digits stand behind its point, 1..9: of noughts at the end
        only the first is written.
    """

    json: bytes
    keys: bytes
    fields: NDArray[np.int64]

    def size(self, n: int) -> int:
        """Return how many bytes are enough for the text of n rows."""
        return len(self.json) + n * (len(self.keys) + len(self.fields) * _WIDEST)


def whole_tenths(values: NDArray[np.float64]) -> tuple[NDArray[np.int64], int, int]:
    """Round values to tenths, and sum what is rounded.

    Parameters
    ----------
    values : float64 (m, n)
        0..1e12.

    Returns
    -------
    tenths : int64 (m + 1, n)
        The last row is the sum of the others.
    total, peak : int
        Sum and largest of that row.

    Raises
    ------
    ValueError
        A value is none, negative or out of all measure.
    """
    values = np.ascontiguousarray(values, np.float64)
    out = np.empty((values.shape[0] + 1, values.shape[1]), np.int64)
    total, peak = _whole_tenths(values, out)
    require_number(total)
    return out, total, peak


def require_number(total: int) -> None:
    """Refuse the total that `tenths_into` gives of values that are none, negative or out of all measure.

    Raises
    ------
    ValueError
    """
    if total < 0:
        raise ValueError("a value to be printed is none, negative or out of all measure")


def append_fields(rows: Rows, values: NDArray[np.int64]) -> bytes:
    """Append numbers to each of the objects in a JSON array.

    Parameters
    ----------
    rows : Rows
    values : int64 (m, n)
        Fixed-point numbers, at least 0.

    Raises
    ------
    ValueError
        Sizes do not agree, or a number is negative.
    """
    out = np.empty(rows.size(values.shape[1]), np.uint8)
    size = require_text(_append_fields(*rows, values, out))
    return out[:size].tobytes()


def require_text(size: int) -> int:
    """Return the size that `append_into` gives, but of a text that it could not write.

    Raises
    ------
    ValueError
    """
    if size < 0:
        raise ValueError("rows, keys, fields and values do not agree in size, or a value is negative")
    return size


@register_jitable
def tenths_into(values, out):  # type: ignore[no-untyped-def]
    """Fill `out` and give the sums as `whole_tenths` says; the total is negative where a value is none."""
    m, n = values.shape
    total = peak = 0
    for i in range(n):
        together = 0
        for p in range(m):
            value = values[p, i]
            if not 0.0 <= value <= _LARGEST:  # NaN too
                return -1, -1
            out[p, i] = np.int64(np.rint(value * 10.0))
            together += out[p, i]
        out[m, i] = together
        total += together
        peak = max(peak, together)
    return total, peak


@compiled(TABLE, types.Array(types.int64, 2, "C"))
def _whole_tenths(values, out):  # type: ignore[no-untyped-def]
    return tenths_into(values, out)


@register_jitable
def _write_number(value, decimals, out, at):  # type: ignore[no-untyped-def]
    digits = decimals + _ONE
    while value >= _POWERS[digits]:
        digits += _ONE
    end = place = at + digits + _ONE
    point = end - decimals - _ONE
    while place > at:
        place -= _ONE
        if place == point:
            out[place] = _POINT
        else:
            rest = value // _TEN
            out[place] = np.uint8(value - rest * _TEN) + _NOUGHT
            value = rest
    while decimals > _ONE and out[end - _ONE] == _NOUGHT:
        end -= _ONE
        decimals -= _ONE
    return end


@register_jitable
def _agree(keys, fields, values):  # type: ignore[no-untyped-def]
    ends = 0
    for key in keys:
        ends += key == _END
    agree = ends == len(fields) and fields.shape[1] == 2 and (keys.size == 0 or keys[-1] == _END)
    for k in range(len(fields) if agree else 0):
        agree &= 0 <= fields[k, 0] < values.shape[0] and 1 <= fields[k, 1] <= 9
    return agree


@register_jitable
def append_into(rows, keys, fields, values, out):  # type: ignore[no-untyped-def]
    """Fill `out` as `append_fields` says and give the text's size; it is negative where sizes do not agree."""
    if not _agree(keys, fields, values):
        return -1
    row, at = 0, _ZERO
    for place in range(np.uintp(rows.size)):
        if rows[place] == _BRACE:
            if row == values.shape[1]:
                return -1
            key = _ZERO
            for k in range(len(fields)):
                while keys[key] != _END:
                    out[at] = keys[key]
                    at += _ONE
                    key += _ONE
                key += _ONE
                value = values[fields[k, 0], row]
                if value < 0:
                    return -1
                at = _write_number(np.uint64(value), np.uintp(fields[k, 1]), out, at)
            row += 1
        out[at] = rows[place]
        at += _ONE
    return np.int64(at) if row == values.shape[1] else -1


@compiled(BYTES, BYTES, _WHOLES, _WHOLES, types.Array(types.uint8, 1, "C"))
def _append_fields(json, keys, fields, values, out):  # type: ignore[no-untyped-def]
    return append_into(np.frombuffer(json, np.uint8), np.frombuffer(keys, np.uint8), fields, values, out)
