"""What a day was like: the ten numbers of each day of UTC+1 that months are compared by."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kernels.sizes import require_size

INDICES = (
    "temp_air_max",
    "temp_air_min",
    "temp_air_mean",
    "dew_point_max",
    "dew_point_min",
    "dew_point_mean",
    "wind_speed_max",
    "wind_speed_mean",
    "ghi_sum",
    "dni_sum",
)
"""In the order in which statistics and weights have them; the first eight are `weather_days`."""
N_WEATHER = 8

MAGNUS_B, MAGNUS_C = 17.62, 243.12
_DRIEST = 1.0
_F = np.float32
_LN2 = _F(np.log(2.0))


def weather_days(
    temp_air: NDArray[np.float32], rel_hum: NDArray[np.float32], wind_speed: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Give largest, smallest and mean temperature and dew point, and largest and mean wind, of each day.

    Parameters
    ----------
    temp_air, rel_hum, wind_speed : float32 (n,)
        Degrees C, % and m/s, at each full hour from 00 UTC on; n is a whole number of days.

    Returns
    -------
    float32 (8, n / 24)
        In the order of `INDICES`; of days of UTC+1, the first without its first hour.

    Notes
    -----
    Dew point after Magnus with the constants of Sonntag, Z. Meteorol. 40 (1990) 340-344; air drier than 1 % is taken
    as of 1 %. Within 0.001 K of the formula: the logarithm is a polynomial.
    """
    n = temp_air.size
    require_size(n, temp_air=temp_air, rel_hum=rel_hum, wind_speed=wind_speed)
    _require_days(n)
    dew = np.empty(n, np.float32)
    humid = np.maximum(rel_hum, _F(_DRIEST)) * _F(0.01)
    _dew_points(temp_air, humid.view(np.int32), dew)
    out = np.empty((N_WEATHER, n // 24), np.float32)
    _three(temp_air, out[0], out[1], out[2])
    _three(dew, out[3], out[4], out[5])
    _three(wind_speed, out[6], np.empty(n // 24, np.float32), out[7])
    return out


def day_sums(series: NDArray[np.float32], n: int) -> NDArray[np.float64]:
    """Give the sum of the first n hours by days of UTC+1.

    Parameters
    ----------
    series : float32 (at least n,)
        Means of hours.
    n : int
        A whole number of days.

    Returns
    -------
    float64 (n / 24 + 1,)
        The last is the one hour of the day that begins at 23 UTC. NaN where an hour is.
    """
    _require_days(n)
    if series.size < n:
        msg = f"a series of {series.size} hours has no {n}"
        raise ValueError(msg)
    out = np.empty(n // 24 + 1)
    _sums(series[:n], out)
    return out


def _require_days(n: int) -> None:
    if n < 24 or n % 24:
        msg = f"{n} hours are no whole number of days"
        raise ValueError(msg)


@njit(nogil=True, cache=True, error_model="numpy")
def _dew_points(temp_air, humid_bits, out):  # type: ignore[no-untyped-def]
    """Fill the dew points; `humid_bits` are the bits of relative humidity as a fraction, > 0.

    Without a call into the library for the logarithm the compiler works on many hours at once: 4 ms become 0.5.
    """
    for i in range(out.size):
        exponent = (humid_bits[i] >> 23) - 126
        # The mantissa, 0.5..1, over 1/sqrt(2): ln((1 + z) / (1 - z)) = 2 (z + z^3/3 + ...), |z| < 0.18.
        mantissa = _F((humid_bits[i] & 0x7FFFFF) | 0x800000) * _F(2.0**-24)
        z = (mantissa - _F(0.70710678)) / (mantissa + _F(0.70710678))
        square = z * z
        series = _F(1) + square * (_F(1 / 3) + square * (_F(1 / 5) + square * (_F(1 / 7) + square * _F(1 / 9))))
        logarithm = _F(2) * z * series + (_F(exponent) - _F(0.5)) * _LN2
        gamma = logarithm + _F(MAGNUS_B) * temp_air[i] / (_F(MAGNUS_C) + temp_air[i])
        out[i] = _F(MAGNUS_C) * gamma / (_F(MAGNUS_B) - gamma)


@njit(nogil=True, cache=True, error_model="numpy")
def _three(series, largest, smallest, mean):  # type: ignore[no-untyped-def]
    for day in range(mean.size):
        first, end = max(24 * day - 1, 0), 24 * day + 23
        most, least, total = series[first], series[first], _F(0)
        for i in range(first, end):
            most = max(most, series[i])
            least = min(least, series[i])
            total += series[i]
        largest[day], smallest[day], mean[day] = most, least, total / _F(end - first)


@njit(nogil=True, cache=True, error_model="numpy")
def _sums(series, out):  # type: ignore[no-untyped-def]
    for day in range(out.size):
        total = 0.0
        for i in range(max(24 * day - 1, 0), min(24 * day + 23, series.size)):
            total += series[i]
        out[day] = total
