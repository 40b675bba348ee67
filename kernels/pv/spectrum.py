"""What the colour of the light adds or takes: First Solar's factor, by air mass and water in the air."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

FIRST_SOLAR = {
    "crystSi": (0.84090, -0.027539, -0.0079224, 0.13570, 0.038024, -0.0021218),
    "CIS": (0.85252, -0.022314, -0.0047216, 0.13666, 0.013342, -0.0008945),
    "CdTe": (0.86273, -0.038948, -0.012506, 0.098871, 0.084658, -0.0042948),
}
"""c1..c6 by technology: multicrystalline silicon, CIGS, CdTe."""

_WATER_CM = (0.1, 8.0)
_MASSES = (0.58, 10.0)


def precipitable_water(temp_air: ArrayLike, rel_hum: ArrayLike) -> NDArray[np.float64]:
    """Estimate the water above a place from the air at its ground.

    Parameters
    ----------
    temp_air : (n,)
        Degrees C.
    rel_hum : (n,)
        Per cent.

    Returns
    -------
    float64 (n,)
        cm, at least 0.1.

    Notes
    -----
    Source: Gueymard, Solar Energy 53 (1994) 57-71, as in Keogh & Blakers, Progress in Photovoltaics 12 (2004) 1-19.
    """
    kelvin = np.asarray(temp_air, np.float64) + 273.15
    theta, hundreds = kelvin / 273.15, kelvin / 100.0
    height_km = 0.4976 + 1.5265 * theta + np.exp(theta * (13.6897 - 14.9188 * (theta * theta)))
    saturated_mbar = np.exp(22.330 - 49.140 / hundreds - 10.922 / (hundreds * hundreds) - 0.39015 * hundreds)
    vapour_g_m3 = 216.7 * np.asarray(rel_hum, np.float64) / (100.0 * kelvin) * saturated_mbar
    water: NDArray[np.float64] = np.maximum(0.1 * height_km * vapour_g_m3, _WATER_CM[0])
    return water


def spectral_factor(technology: str, masses: ArrayLike, water: ArrayLike) -> NDArray[np.float64]:
    """Give the part of the irradiance that modules can use, of what they could in the standard spectrum.

    Parameters
    ----------
    technology : {"crystSi", "CIS", "CdTe"}
    masses : (n,)
        Absolute air mass (corrected for pressure); held within 0.58..10.
    water : (n,)
        Precipitable water, cm; held within 0.1..8.

    Returns
    -------
    float64 (n,)
        About 1.

    Notes
    -----
    Source: Lee & Panchula, IEEE Photovoltaic Specialists Conference, Portland, 2016.
    """
    c1, c2, c3, c4, c5, c6 = FIRST_SOLAR[technology]
    mass, depth = np.clip(masses, *_MASSES), np.clip(water, *_WATER_CM)
    root = np.sqrt(depth)
    factor: NDArray[np.float64] = c1 + c2 * mass + c3 * depth + c4 * np.sqrt(mass) + c5 * root + c6 * mass / root
    return factor
