"""An exponential and a logarithm for the innermost loops of numba.

Plain arithmetic without branches, which a processor does for several numbers at once; a call of the library does one.
"""

import math

import numpy as np
from numba.extending import register_jitable

_LN_2, _ROOT_2 = math.log(2.0), math.sqrt(2.0)
_HALVINGS = 1.0 / 32.0
_MANTISSA, _EXPONENT_OF_1, _BITS = 0x000F_FFFF_FFFF_FFFF, 0x3FF0_0000_0000_0000, 52
_BIAS = 1023


@register_jitable
def exp_down(x):  # type: ignore[no-untyped-def]
    """Give e to the power of x for -6.5 <= x <= 0, within 4e-9 of it: a series for x / 32, squared five times."""
    x *= _HALVINGS
    p = 1 + x * (1 + x * (1 / 2 + x * (1 / 6 + x * (1 / 24 + x * (1 / 120 + x * (1 / 720 + x * (1 / 5040)))))))
    p *= p
    p *= p
    p *= p
    p *= p
    return p * p


@register_jitable
def log_into(values, out):  # type: ignore[no-untyped-def]
    """Fill `out` with natural logarithms, within 2e-11.

    Parameters
    ----------
    values : float64 (n,)
        Normal numbers above 0.
    out : float64 (n,)

    Notes
    -----
    Of the exponent in the number's bits, and of the mantissa by the series of the inverse hyperbolic tangent around the
    root of two.
    """
    bits, mantissa = values.view(np.int64), out.view(np.int64)
    for i in range(values.size):
        mantissa[i] = (bits[i] & _MANTISSA) | _EXPONENT_OF_1
    for i in range(values.size):
        s = (out[i] - _ROOT_2) / (out[i] + _ROOT_2)
        q = s * s
        of_mantissa = 2.0 * s * (1.0 + q * (1 / 3 + q * (1 / 5 + q * (1 / 7 + q * (1 / 9 + q * (1 / 11))))))
        out[i] = ((bits[i] >> _BITS) - _BIAS + 0.5) * _LN_2 + of_mantissa
