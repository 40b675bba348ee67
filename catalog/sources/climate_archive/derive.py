"""Weather that a file holds in another form: humidity from the dew point, sea level pressure from the surface's."""

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

_MAGNUS_A, _MAGNUS_B = 17.625, 243.04
_LAPSE_K_M, _EXPONENT, _ZERO_K = 0.0065, 5.257, 273.15


def humidity_of_dew_point(temp_air: Doubles, dew_point: Doubles) -> Doubles:
    """Return relative humidity over water, %.

    Parameters
    ----------
    temp_air, dew_point : float64, same shape
        degC.

    References
    ----------
    Magnus form with the coefficients of Alduchov and Eskridge (1996), J. Appl. Meteor. 35, 601-609.
    """
    exponent = _MAGNUS_A * dew_point / (_MAGNUS_B + dew_point) - _MAGNUS_A * temp_air / (_MAGNUS_B + temp_air)
    return np.asarray(100 * np.exp(exponent))


def sea_level_pressure(pressure: Doubles, temp_air: Doubles, altitude: Doubles) -> Doubles:
    """Return pressure reduced to sea level, in the unit of `pressure`.

    Parameters
    ----------
    pressure, temp_air : float64 (n_times, n_points)
        At the surface; degC.
    altitude : float64 (n_points,)
        Of that surface, m.

    References
    ----------
    The standard atmosphere's lapse rate of 6.5 K/km: p0 = p (1 - L z / (T + L z))^-5.257.
    """
    rise = _LAPSE_K_M * altitude
    return np.asarray(pressure * (1 - rise / (temp_air + _ZERO_K + rise)) ** -_EXPONENT)
