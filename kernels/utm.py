"""UTM on GRS80 (EPSG:25833 by default): the transverse Mercator projection by Krueger's series.

Source: C. F. F. Karney, Transverse Mercator with an accuracy of a few nanometers, J. Geodesy 85 (2011)
475-485, equations 7-9, 14-26 and 35-36, to the sixth order in the third flattening.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]

SEMI_MAJOR_AXIS = 6_378_137.0
FLATTENING = 1 / 298.257222101
SCALE = 0.9996
FALSE_EASTING = 500_000.0

_N = FLATTENING / (2 - FLATTENING)
_E2 = FLATTENING * (2 - FLATTENING)
_E = np.sqrt(_E2)
_RECTIFYING_RADIUS = SEMI_MAJOR_AXIS / (1 + _N) * (1 + _N**2 / 4 + _N**4 / 64 + _N**6 / 256)

# Rows j = 1..6: the coefficients of n^j .. n^6.
_ALPHA_ROWS = (
    (1 / 2, -2 / 3, 5 / 16, 41 / 180, -127 / 288, 7891 / 37800),
    (13 / 48, -3 / 5, 557 / 1440, 281 / 630, -1983433 / 1935360),
    (61 / 240, -103 / 140, 15061 / 26880, 167603 / 181440),
    (49561 / 161280, -179 / 168, 6601661 / 7257600),
    (34729 / 80640, -3418889 / 1995840),
    (212378941 / 319334400,),
)
_BETA_ROWS = (
    (1 / 2, -2 / 3, 37 / 96, -1 / 360, -81 / 512, 96199 / 604800),
    (1 / 48, 1 / 15, -437 / 1440, 46 / 105, -1118711 / 3870720),
    (17 / 480, -37 / 840, -209 / 4480, 5569 / 90720),
    (4397 / 161280, -11 / 504, -830251 / 7257600),
    (4583 / 161280, -108847 / 3991680),
    (20648693 / 638668800,),
)


def _sum_rows(rows: tuple[tuple[float, ...], ...]) -> NDArray[np.float64]:
    powers = [[c * _N ** (j + k) for k, c in enumerate(row)] for j, row in enumerate(rows, start=1)]
    return np.array([sum(row) for row in powers])


_ALPHA, _BETA = _sum_rows(_ALPHA_ROWS), _sum_rows(_BETA_ROWS)
_J2 = 2.0 * np.arange(1, 7)


def forward(lat: ArrayLike, lon: ArrayLike, lon0: float = 15.0) -> Pair:
    """Project geographic coordinates.

    Parameters
    ----------
    lat, lon : (...)
        Degrees, GRS80 (WGS84 within a metre), |lon - lon0| < 60.
    lon0 : float
        Central meridian, degrees: 15 is UTM 33, 9 UTM 32, 21 UTM 34, 27 UTM 35.

    Returns
    -------
    x, y : float64 (...)
        Easting and northing, m; within 1 mm of PROJ over 57-72 N, 4-32 E.
    """
    tau, lam = _conformal(lat), np.deg2rad(np.asarray(lon, dtype=np.float64) - lon0)
    xi, eta = _spherical(tau, lam)
    scale = SCALE * _RECTIFYING_RADIUS
    a, b = _J2 * xi[..., None], _J2 * eta[..., None]
    y = scale * (xi + (np.sin(a) * np.cosh(b)) @ _ALPHA)
    x = FALSE_EASTING + scale * (eta + (np.cos(a) * np.sinh(b)) @ _ALPHA)
    return x, y


def inverse(x: ArrayLike, y: ArrayLike, lon0: float = 15.0) -> Pair:
    """Give the geographic coordinates of projected ones.

    Parameters
    ----------
    x, y : (...)
        Easting and northing, m.
    lon0 : float
        Central meridian, degrees.

    Returns
    -------
    lat, lon : float64 (...)
        Degrees.
    """
    scale = SCALE * _RECTIFYING_RADIUS
    xi = np.asarray(y, dtype=np.float64) / scale
    eta = (np.asarray(x, dtype=np.float64) - FALSE_EASTING) / scale
    xi, eta = np.broadcast_arrays(xi, eta)
    a, b = _J2 * xi[..., None], _J2 * eta[..., None]
    xi1 = xi - (np.sin(a) * np.cosh(b)) @ _BETA
    eta1 = eta - (np.cos(a) * np.sinh(b)) @ _BETA
    conformal = np.sin(xi1) / np.hypot(np.sinh(eta1), np.cos(xi1))
    lon = lon0 + np.rad2deg(np.arctan2(np.sinh(eta1), np.cos(xi1)))
    return np.rad2deg(np.arctan(_geodetic_tangent(conformal))), lon


def grid_convergence(lat: ArrayLike, lon: ArrayLike, lon0: float = 15.0) -> NDArray[np.float64]:
    """Give the bearing of grid north, clockwise from true north (positive east of the central meridian).

    A direction's azimuth from true north is its azimuth from grid north plus this.

    Parameters
    ----------
    lat, lon : (...)
        Degrees.
    lon0 : float
        Central meridian, degrees.

    Returns
    -------
    float64 (...)
        Degrees.
    """
    tau, lam = _conformal(lat), np.deg2rad(np.asarray(lon, dtype=np.float64) - lon0)
    xi, eta = _spherical(tau, lam)
    a, b = _J2 * xi[..., None], _J2 * eta[..., None]
    p = 1 + (np.cos(a) * np.cosh(b)) @ (_J2 * _ALPHA)
    q = (np.sin(a) * np.sinh(b)) @ (_J2 * _ALPHA)
    spherical = np.arctan2(tau * np.sin(lam), np.sqrt(1 + tau**2) * np.cos(lam))
    convergence: NDArray[np.float64] = np.rad2deg(spherical + np.arctan2(q, p))
    return convergence


def _conformal(lat: ArrayLike) -> NDArray[np.float64]:
    """Give the tangent of the conformal latitude."""
    return _conformal_tangent(np.tan(np.deg2rad(np.asarray(lat, dtype=np.float64))))


def _conformal_tangent(tau: NDArray[np.float64]) -> NDArray[np.float64]:
    sigma = np.sinh(_E * np.arctanh(_E * tau / np.sqrt(1 + tau**2)))
    conformal: NDArray[np.float64] = tau * np.sqrt(1 + sigma**2) - sigma * np.sqrt(1 + tau**2)
    return conformal


def _geodetic_tangent(conformal: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solve for the tangent of the geodetic latitude by Newton's method; three steps reach rounding."""
    tau = conformal / (1 - _E2)
    for _ in range(3):
        guess = _conformal_tangent(tau)
        slope = (1 + (1 - _E2) * tau**2) / ((1 - _E2) * np.sqrt(1 + tau**2))
        tau = tau + (conformal - guess) / np.sqrt(1 + guess**2) * slope
    return tau


def _spherical(tau: NDArray[np.float64], lam: NDArray[np.float64]) -> Pair:
    """Give Gauss-Schreiber northing and easting (rad) from the conformal tangent and the longitude."""
    tau, lam = np.broadcast_arrays(tau, lam)
    return np.arctan2(tau, np.cos(lam)), np.arcsinh(np.sin(lam) / np.hypot(tau, np.cos(lam)))
