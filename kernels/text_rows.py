"""Tables as text: what stands before each row, numbers with so many digits behind the point, and what is between them.

The 8760 hours of a weather file take a thirtieth of the time that a data frame's own writer takes.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import ArrayLike, NDArray

from kernels.compiled import TABLE, compiled
from kernels.printed import ONE, OUT, PLACES, TEXT, ZERO, copy_into, digits_into

_MOST = 9
# Beyond it a float no longer holds every whole number.
_LARGEST = 1e15
# Its digits, a sign, a point; a number below one has at most ten digits.
_WIDEST = 18
_MINUS = np.uint8(ord("-"))
_SCALES = np.array([10.0**k for k in range(_MOST + 1)])
_DISAGREE, _NO_NUMBER = -1, -2


class Texts(NamedTuple):
    """Texts, one after the other.

    Parameters
    ----------
    text : uint8 (size,)
    ends : uint64 (n,)
        Where each ends; the next begins there.
    """

    text: NDArray[np.uint8]
    ends: NDArray[np.uint64]

    @classmethod
    def of(cls, texts: Sequence[bytes]) -> "Texts":
        """Return texts as one."""
        return cls(np.frombuffer(b"".join(texts), np.uint8), np.cumsum([len(text) for text in texts], dtype=np.uint64))

    @classmethod
    def empty(cls, n: int) -> "Texts":
        """Return n texts without a letter."""
        return cls(np.zeros(0, np.uint8), np.zeros(n, np.uint64))


def text_rows(stamps: Texts, columns: ArrayLike, decimals: Sequence[int], literals: Sequence[bytes]) -> bytes:
    """Print a table: each row is its stamp, then literal, number, literal, number, ..., literal.

    Parameters
    ----------
    stamps : Texts (n,)
        What each row begins with.
    columns : float64 (k, n)
        Numbers, less than 1e15 in units of their last digit.
    decimals : k integers 0..9
        How many digits stand behind the point of each column; without any there is no point.
    literals : k + 1 texts
        What stands before each column, and at the row's end.

    Returns
    -------
    bytes
        A number is rounded half away from zero, after multiplication by its power of ten; no nought has a sign.

    Raises
    ------
    ValueError
        Sizes do not agree, or a number is none, infinite or too large.
    """
    columns = np.ascontiguousarray(columns, np.float64)
    if columns.ndim != 2:
        raise ValueError(f"columns has shape {columns.shape}, not (columns, rows)")
    between, digits = Texts.of(literals), np.array(decimals, np.uint64)
    k, n = columns.shape
    out = np.empty(stamps.text.size + n * (between.text.size + k * _WIDEST), np.uint8)
    size = _text_rows(*stamps, columns, digits, *between, out)
    if size == _DISAGREE:
        raise ValueError("stamps, columns, decimals and literals do not agree in size")
    if size == _NO_NUMBER:
        raise ValueError("a value to be printed is none, infinite or too large")
    return out[:size].tobytes()


@register_jitable
def _in_order(ends, size):  # type: ignore[no-untyped-def]
    before, good = ZERO, True
    for end in ends:
        good &= before <= end
        before = end
    return good and before == np.uintp(size)


@register_jitable(inline="always")
def _write(value, decimals, out, at):  # type: ignore[no-untyped-def]
    scaled = abs(value) * _SCALES[decimals]
    whole = np.uint64(scaled)
    # Not floor(x + 0.5): of the largest number below a half the sum is 1.
    if scaled - np.float64(whole) >= 0.5:
        whole += ONE
    if value < 0.0 and whole > ZERO:
        out[at] = _MINUS
        at += ONE
    return digits_into(whole, decimals, out, at)


@compiled(TEXT, PLACES, TABLE, PLACES, TEXT, PLACES, OUT)
def _text_rows(stamps, stamp_ends, columns, decimals, literals, literal_ends, out):  # type: ignore[no-untyped-def]
    k, n = columns.shape
    agree = stamp_ends.size == n and decimals.size == k and literal_ends.size == k + 1
    if not (agree and _in_order(stamp_ends, stamps.size) and _in_order(literal_ends, literals.size)):
        return _DISAGREE
    for column in range(k):
        if decimals[column] > np.uint64(_MOST):
            return _DISAGREE
    at = begin = ZERO
    for row in range(np.uintp(n)):
        at = copy_into(stamps, begin, stamp_ends[row], out, at)
        begin = stamp_ends[row]
        literal = ZERO
        for column in range(np.uintp(k)):
            at = copy_into(literals, literal, literal_ends[column], out, at)
            literal = literal_ends[column]
            value = columns[column, row]
            if not abs(value) * _SCALES[decimals[column]] < _LARGEST:  # NaN too
                return _NO_NUMBER
            at = _write(value, decimals[column], out, at)
        at = copy_into(literals, literal, np.uintp(literals.size), out, at)
    return np.int64(at)
