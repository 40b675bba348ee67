"""Packed integers back to what they stand for, value = packed * scale + offset: a few variables of one place at once.

The same with numpy is a handful of small operations, which take longer than an engine.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from kernels.compiled import TABLE, compiled


def unpack(packed: bytes, units: NDArray[np.float64], first: int = 0) -> NDArray[np.float64]:
    """Unpack the series of k variables, one after the other, each of n values.

    Parameters
    ----------
    packed : bytes
        k n little-endian uint16.
    units : float64 (k, 2)
        Scale and offset of each variable.
    first : int
        How many values of each series are left out at its beginning.

    Returns
    -------
    float64 (k, n - first)

    Raises
    ------
    ValueError
        The bytes are not k series longer than `first`.
    """
    numbers, (k, _) = np.frombuffer(packed, "<u2"), units.shape
    n, rest = divmod(numbers.size, k)
    if rest or not 0 <= first < n:
        raise ValueError(f"{len(packed)} bytes are no {k} series of more than {first} values")
    out = np.empty((k, n - first))
    _unpack(numbers, units, first, out)
    return out


@compiled(types.Array(types.uint16, 1, "C", readonly=True), TABLE, types.int64, types.Array(types.float64, 2, "C"))
def _unpack(packed, units, first, out):  # type: ignore[no-untyped-def]
    at = 0
    for variable in range(len(out)):
        at += first
        for i in range(out.shape[1]):
            out[variable, i] = packed[at] * units[variable, 0] + units[variable, 1]
            at += 1
