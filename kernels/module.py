"""How warm a module gets and what it gives: Faiman, Huld, and the simple linear form. Arrays, or in numba loops."""

import numpy as np
from numba.extending import register_jitable

HULD = {
    "pvgis5": {
        "crystSi": (-0.017237, -0.040465, -0.004702, 0.000149, 0.000170, 0.000005),
        "CIS": (-0.005554, -0.038724, -0.003723, -0.000905, -0.001256, 0.000001),
        "CdTe": (-0.046689, -0.072844, -0.002262, 0.000276, 0.000159, -0.000006),
    },
    "pvgis6": {
        "crystSi": (-0.006756, -0.016444, -0.003015, -0.000045, -0.000043, 0.0),
        "CIS": (-0.011001, -0.029734, -0.002887, 0.000217, -0.000163, 0.0),
        "CdTe": (-0.020644, -0.035136, -0.003406, 0.000073, -0.000141, 0.000002),
    },
}
"""k1..k6 of Huld's model by edition of PVGIS and technology."""

FAIMAN = {
    "free": {"crystSi": (26.9, 6.2), "CIS": (22.64, 3.6), "CdTe": (23.37, 5.44)},
    "building": {"crystSi": (20.0, 3.2), "CIS": (20.0, 2.0), "CdTe": (20.0, 3.2)},
}
"""U0 (W/m2/K) and U1 (W s/m3/K) of Faiman's model by mounting and technology, as PVGIS has them."""

MODULE_HEIGHT = 0.67
"""Wind where modules stand, as a part of that 10 m above ground."""

_ROSS = 0.0342
"""K per W/m2: a free-standing module without wind speed."""


@register_jitable
def faiman(plane, temp_air, wind, u0, u1):  # type: ignore[no-untyped-def]
    """Give the temperature of a module.

    Parameters
    ----------
    plane : scalar or array
        Irradiance on the module, W/m2.
    temp_air : scalar or array
        Degrees C.
    wind : scalar or array
        At the module, m/s (`MODULE_HEIGHT`).
    u0, u1 : float
        `FAIMAN`.

    Returns
    -------
    Degrees C.

    Notes
    -----
    Source: Faiman, Progress in Photovoltaics 16 (2008) 307-315.
    """
    return temp_air + plane / (u0 + u1 * np.maximum(wind, 0.0))


@register_jitable
def huld(effective, temp_module, k1, k2, k3, k4, k5, k6):  # type: ignore[no-untyped-def]
    """Give the power of modules of 1 kWp.

    Parameters
    ----------
    effective : scalar or array
        Irradiance that reaches the cells (after `kernels.incidence`), W/m2.
    temp_module : scalar or array
        Degrees C.
    k1, k2, k3, k4, k5, k6 : float
        `HULD`.

    Returns
    -------
    W, at least 0 (the polynomial in the logarithm falls below 0 under a fraction of a W/m2).

    Notes
    -----
    Source: Huld et al., Solar Energy Materials & Solar Cells 95 (2011) 3359-3369.
    """
    return huld_of(effective, np.log(np.maximum(effective, 1e-3) / 1000.0), temp_module, k1, k2, k3, k4, k5, k6)


@register_jitable
def huld_of(effective, log, temp_module, k1, k2, k3, k4, k5, k6):  # type: ignore[no-untyped-def]
    """Give what `huld` does, where the logarithm of the irradiance in kW/m2 is known."""
    warmer = temp_module - 25.0
    relative = 1.0 + log * (k1 + k2 * log) + warmer * (k3 + log * (k4 + k5 * log) + k6 * warmer)
    return np.maximum(effective * relative, 0.0)


@register_jitable
def simple_temperature(plane, temp_air):  # type: ignore[no-untyped-def]
    """Give a cell temperature without wind: air plus 0.0342 K per W/m2 on the module; degrees C."""
    return temp_air + _ROSS * plane


@register_jitable
def linear(plane, temp_cell, temp_coeff):  # type: ignore[no-untyped-def]
    """Give the power of modules of 1 kWp that is linear in irradiance (W/m2) and temperature; W, at least 0."""
    return np.maximum(plane * (1.0 + temp_coeff * (temp_cell - 25.0)), 0.0)
