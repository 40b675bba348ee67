"""Packed integers back to what they stand for, value = packed * scale + offset: a few variables of one place at once.

The same with numpy is a handful of small operations, which take longer than an engine.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import register_jitable
from numpy.typing import NDArray

from kernels.compiled import BYTES, ROWS, TABLE, compiled


class Packed(NamedTuple):
    """Packed series of some variables, one after the other.

    Parameters
    ----------
    values : bytes
        k n little-endian uint16.
    units : float64 (at least k, 2)
        Scale and offset of each variable.
    first : int
        How many values of each series are left out at its beginning.
    """

    values: bytes
    units: NDArray[np.float64]
    first: int = 0


def require_series(packed: Packed, k: int) -> int:
    """Return how many values each of k series has from the first on.

    Raises
    ------
    ValueError
        The bytes are not k series longer than that.
    """
    n, rest = divmod(len(packed.values), 2 * k)
    if rest or not 0 <= packed.first < n or packed.units.shape[0] < k or packed.units.shape[1] != 2:
        raise ValueError(f"{len(packed.values)} bytes are no {k} series of more than {packed.first} values")
    return n - packed.first


def unpack(packed: Packed, k: int) -> NDArray[np.float64]:
    """Unpack the series of k variables: float64 (k, n - first).

    Raises
    ------
    ValueError
        As `require_series`.
    """
    out = np.empty((k, require_series(packed, k)))
    _unpack(*packed, out)
    return out


@register_jitable
def unpack_into(values, units, first, out):  # type: ignore[no-untyped-def]
    """Fill `out` as `unpack` says."""
    packed, at = np.frombuffer(values, np.uint16), 0
    for variable in range(len(out)):
        at += first
        for i in range(out.shape[1]):
            out[variable, i] = packed[at] * units[variable, 0] + units[variable, 1]
            at += 1


@compiled(BYTES, TABLE, types.int64, ROWS)
def _unpack(values, units, first, out):  # type: ignore[no-untyped-def]
    unpack_into(values, units, first, out)
