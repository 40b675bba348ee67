"""Wind over roughness and orography: EN 1991-1-4, 4.3 to 4.5, with the national values of Norway."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Indices = int | NDArray[np.int_]

AIR_DENSITY = 1.25
"""kg/m3 (4.5, note 2)."""


class Category(NamedTuple):
    """One terrain category.

    Parameters
    ----------
    name : str
    z0, z_min : float
        Roughness length, and height below which the profile is constant, m.
    k_r : float
        Terrain factor.
    """

    name: str
    z0: float
    z_min: float
    k_r: float


# Table NA.4.1, as two independent Norwegian programs have it; the annex itself was not at hand.
CATEGORIES = (
    Category("0", 0.003, 2.0, 0.16),
    Category("I", 0.01, 2.0, 0.17),
    Category("II", 0.05, 4.0, 0.19),
    Category("III", 0.3, 8.0, 0.22),
    Category("IV", 1.0, 16.0, 0.24),
)
NAMES = tuple(category.name for category in CATEGORIES)
_Z0, _Z_MIN, _K_R = (np.array(column) for column in zip(*(c[1:] for c in CATEGORIES), strict=True))


class Wind(NamedTuple):
    """Wind at a height; float64 (...) each.

    Parameters
    ----------
    c_r : roughness factor
    v_m : mean wind, m/s
    i_v : turbulence intensity
    q_p : peak velocity pressure, Pa
    """

    c_r: Floats
    v_m: Floats
    i_v: Floats
    q_p: Floats


def wind_at(v_b: float, category: Indices, z: ArrayLike, c_o: ArrayLike = 1.0, k_i: ArrayLike = 1.0) -> Wind:
    """Return mean wind, turbulence and peak velocity pressure.

    Parameters
    ----------
    v_b : float
        Basic wind velocity, m/s.
    category : int (...)
        Index into `CATEGORIES`.
    z : (...)
        Height above the ground, m; at most 200, beyond which the standard's profile does not hold (1.1(2)).
    c_o, k_i : (...)
        Orography factor, turbulence factor.

    Notes
    -----
    EN 1991-1-4:2005: c_r by (4.4), v_m by (4.3), I_v by (4.7), q_p by (4.8).
    """
    height = np.log(np.maximum(z, _Z_MIN[category]) / _Z0[category])
    c_r = _K_R[category] * height
    v_m = c_r * np.asarray(c_o) * v_b
    i_v = np.asarray(k_i) / (np.asarray(c_o) * height)
    return Wind(c_r, v_m, i_v, peak_pressure(v_m, i_v))


def peak_pressure(v_m: ArrayLike, i_v: ArrayLike) -> Floats:
    """Return q_p (4.8), Pa, of mean wind, m/s, and turbulence intensity."""
    i_v, v_m = np.asarray(i_v, np.float64), np.asarray(v_m, np.float64)
    return np.asarray((1 + 7 * i_v) * 0.5 * AIR_DENSITY * v_m**2)
