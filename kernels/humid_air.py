"""Moist air near the ground: its dew point, and its pressure at a height. Plain numpy."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_B, _C = 17.62, 243.12
_LEAST_HUMIDITY = 1.0
_LAPSE, _EXPONENT, _ZERO_C = 0.0065, 5.257, 273.15


def dew_point(temp_air: ArrayLike, rel_hum: ArrayLike) -> Floats:
    """Give the dew point over water.

    Parameters
    ----------
    temp_air : float64 (n,)
        degC, -45..60.
    rel_hum : float64 (n,)
        %; below 1 it is taken as 1, above 100 as 100.

    Returns
    -------
    float64 (n,)
        degC.

    Notes
    -----
    Source: Magnus' formula, coefficients of WMO-No. 8, Guide to Instruments and Methods of Observation, annex 4.B.
    """
    temp_air = np.asarray(temp_air, np.float64)
    gamma = np.log(np.clip(rel_hum, _LEAST_HUMIDITY, 100.0) / 100.0) + _B * temp_air / (_C + temp_air)
    return _C * gamma / (_B - gamma)


def station_pressure(mslp: ArrayLike, temp_air: ArrayLike, elevation: float) -> Floats:
    """Give the pressure at a height from the pressure reduced to sea level.

    Parameters
    ----------
    mslp : float64 (n,)
        Pressure at mean sea level; any unit.
    temp_air : float64 (n,)
        degC, at the height.
    elevation : float
        m above sea level.

    Returns
    -------
    float64 (n,)
        In the unit of `mslp`.

    Notes
    -----
    Source: the barometric formula with the standard atmosphere's lapse rate of 6.5 K/km.
    """
    drop = _LAPSE * elevation
    kelvin = np.asarray(temp_air, np.float64) + _ZERO_C
    return np.asarray(mslp, np.float64) * (1.0 - drop / (kelvin + drop)) ** _EXPONENT
