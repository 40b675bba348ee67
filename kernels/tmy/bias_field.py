"""From the bias at stations to that at any cell: nearer stations count more, few stations move little."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernels.sun import vertical

EARTH_RADIUS_KM = 6371.0088
SOFTENING_KM = 25.0
"""Within which all stations count nearly the same."""
KM_PER_100_M = 10.0
"""Of distance that a difference in height counts as."""
REACH_KM = 300.0
MOST_STATIONS = 12
CAUTION = 2.0
"""Stations without bias that seem to stand beside the real ones: n of them move a cell by n / (n + 2)."""


class Sites(NamedTuple):
    """Where cells or stations are; three (n,): latitude, longitude in degrees, altitude in m."""

    lat: ArrayLike
    lon: ArrayLike
    altitude: ArrayLike


def separation(cells: Sites, stations: Sites) -> NDArray[np.float64]:
    """Give the distance of cells from stations, km, (cells, stations), with differences in height."""
    one, other = (vertical(np.atleast_1d(s.lat), np.atleast_1d(s.lon)) for s in (cells, stations))
    chord = np.linalg.norm(one[:, :, None] - other[:, None, :], axis=0)
    level = 2 * EARTH_RADIUS_KM * np.arcsin(np.minimum(chord / 2, 1))
    heights = (np.atleast_1d(np.asarray(s.altitude, np.float64)) for s in (cells, stations))
    climb = np.subtract.outer(*heights) / 100 * KM_PER_100_M
    apart: NDArray[np.float64] = np.hypot(level, climb)
    return apart


def interpolate(
    cells: Sites, stations: Sites, bias: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Carry the bias of stations to cells.

    Parameters
    ----------
    cells : Sites
        Of n cells.
    stations : Sites
        Of m stations; none is allowed.
    bias : float64 (m, 12)
        Of each month, W/m2; NaN where a station cannot tell.

    Returns
    -------
    bias : float64 (n, 12)
        Mean of the twelve nearest stations that can tell within 300 km, weighted by 1 / (d^2 + 25^2), times
        n / (n + 2); 0 where there is none.
    stations : int64 (n,)
        Stations that count in at least one month.

    Raises
    ------
    ValueError
        The bias is not of these stations.
    """
    bias = np.asarray(bias, np.float64)
    if bias.shape != (np.size(stations.lat), 12):
        msg = f"bias has shape {bias.shape}, not ({np.size(stations.lat)}, 12)"
        raise ValueError(msg)
    return _weigh(separation(cells, stations), bias)


def leave_one_out(stations: Sites, bias: NDArray[np.float64]) -> tuple[float, float]:
    """Tell how good the correction is where there is no station: each is corrected by the others.

    Parameters
    ----------
    stations, bias
        As `interpolate` takes them.

    Returns
    -------
    uncorrected, corrected : float
        Mean absolute bias over stations and months, W/m2, before and after.

    Raises
    ------
    ValueError
        Fewer than two stations, or no bias at all.
    """
    bias = np.asarray(bias, np.float64)
    apart = separation(stations, stations)
    if len(apart) < 2 or not np.isfinite(bias).any():
        raise ValueError("at least two stations with a bias are needed to leave one out")
    np.fill_diagonal(apart, np.inf)
    told, _ = _weigh(apart, bias)
    return float(np.nanmean(np.abs(bias))), float(np.nanmean(np.abs(bias - told)))


def _weigh(apart: NDArray[np.float64], bias: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    out = np.zeros((len(apart), 12))
    used = np.zeros(apart.shape, bool)
    for month in range(12):
        tells = np.flatnonzero(np.isfinite(bias[:, month]))
        # Stable, so that of stations as far the same ones count on every run.
        nearest = np.argsort(apart[:, tells], axis=1, kind="stable")[:, :MOST_STATIONS]
        distance = np.take_along_axis(apart[:, tells], nearest, 1)
        near = distance <= REACH_KM
        weight = near / (np.where(near, distance, 0) ** 2 + SOFTENING_KM**2)
        n = near.sum(axis=1)
        mean = (weight * bias[tells, month][nearest]).sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-12)
        out[:, month] = mean * n / (n + CAUTION)
        rows, columns = np.nonzero(near)
        used[rows, tells[nearest[rows, columns]]] = True
    return out, used.sum(axis=1)
