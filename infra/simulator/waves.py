"""The patterns that travel over the country: a fixed table of plane waves, and their sums.

Every wave is cos(k.x + warp(x) + phase - omega t). Place and time separate, so for a list of places the
cosines and sines of k.x + warp(x) are computed once, and the patterns at any moments are matrix products.
The table comes from low-discrepancy sequences (multiples of irrational numbers), not from a random
generator, so it is the same everywhere.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

N_SYNOPTIC, N_FRONTS, N_MESO, N_CELLS = 13, 3, 12, 8
_FRONT_SHARPNESS = 7.0
_FIRST_MESO, _FIRST_CELL = N_SYNOPTIC + N_FRONTS, N_SYNOPTIC + N_FRONTS + N_MESO
GROUPS = [  # each front is a group of its own
    slice(0, N_SYNOPTIC),
    *(slice(i, i + 1) for i in range(N_SYNOPTIC, _FIRST_MESO)),
    slice(_FIRST_MESO, _FIRST_CELL),
    slice(_FIRST_CELL, _FIRST_CELL + N_CELLS),
]


@dataclass(frozen=True)
class Table:
    """All waves, in the order synoptic, fronts, meso, cells; arrays (n_waves,)."""

    k_east: Doubles  # rad/km
    k_north: Doubles  # rad/km
    omega: Doubles  # rad/s
    phase: Doubles  # rad
    warp: Doubles  # how much the static warp bends the wave


@dataclass(frozen=True)
class Displacement:
    """How a forecast's patterns differ from the true ones, at each of its moments; arrays (n_times,)."""

    east_km: Doubles
    north_km: Doubles
    late_s: Doubles


def _spread(n: int, ratio: float, start: float) -> Doubles:
    return np.asarray((start + ratio * np.arange(1, n + 1)) % 1.0, dtype=np.float64)


@cache
def table() -> Table:
    """Return the fixed table of waves.

    Synoptic: ten of 700-2600 km moving east at 6-13 m/s, three of 4000-9000 km at 3-5 m/s (weather regimes).
    Fronts: 1500-2400 km apart. Meso: 45-220 km, carried at about 9.5 m/s. Convective cells: 14-32 km, at
    about 5 m/s.
    """
    n = N_SYNOPTIC + N_FRONTS + N_MESO + N_CELLS
    a, b, c = _spread(n, 0.6180339887, 0.11), _spread(n, 0.7548776662, 0.37), _spread(n, 0.5698402910, 0.73)
    length = np.empty(n)
    heading = np.empty(n)  # radians from east towards north
    speed = np.empty(n)  # m/s along the heading
    edges = np.cumsum([10, N_SYNOPTIC - 10, N_FRONTS, N_MESO, N_CELLS])
    travelling, regime, fronts, meso, cells = (
        slice(start, stop) for start, stop in zip([0, *edges[:-1]], edges, strict=True)
    )
    length[travelling], speed[travelling] = 700 + 1900 * a[travelling], 6 + 7 * b[travelling]
    length[regime], speed[regime] = 4000 + 5000 * a[regime], 3 + 2 * b[regime]
    length[fronts], speed[fronts] = 1500 + 900 * a[fronts], 9 + 4 * b[fronts]
    heading[travelling] = heading[regime] = 0.0
    heading[: edges[2]] = (c[: edges[2]] - 0.45) * 2.0
    for group, shortest, longest, wind in ((meso, 45.0, 220.0, 9.5), (cells, 14.0, 32.0, 5.0)):
        length[group] = shortest * (longest / shortest) ** a[group]
        heading[group] = 2 * np.pi * c[group]
        # carried by one wind towards 0.3 rad, each a little differently
        speed[group] = wind * (0.9 + 0.2 * b[group]) * np.cos(heading[group] - 0.3)
    k = 2 * np.pi / length
    warp = np.zeros(n)
    warp[: edges[1]] = 0.4
    warp[fronts] = 1.0
    return Table(
        k * np.cos(heading),
        k * np.sin(heading),
        k * speed / 1000,
        2 * np.pi * _spread(n, 0.4142135624, 0.2),
        warp,
    )


@dataclass(frozen=True)
class Patterns:
    """The patterns at moments and places; arrays (n_times, n_places), each of about unit spread."""

    synoptic: Floats  # > 0 under low pressure
    quadrature: Floats  # the same waves a quarter of a wavelength on: ahead of a low it is mild
    fronts: Floats  # 0 away from fronts .. about 1 on one
    meso: Floats
    cells: Floats


class Basis:
    """The waves over a fixed list of places.

    Parameters
    ----------
    lat, lon : (n,) float64
        Degrees north and east.
    """

    def __init__(self, lat: Doubles, lon: Doubles):
        waves = table()
        east = 111.2 * np.cos(np.radians(lat)) * (lon - 15)
        north = 111.2 * (lat - 64)
        bend = 0.9 * np.sin(2 * np.pi * (east + 0.6 * north) / 1700) + 0.6 * np.sin(
            2 * np.pi * (0.8 * east - north) / 950
        )
        angle = waves.k_east[:, None] * east + waves.k_north[:, None] * north + waves.warp[:, None] * bend
        self._basis = [
            np.concatenate([np.cos(angle[group]), np.sin(angle[group])]).astype(np.float32) for group in GROUPS
        ]

    def at(self, times: Doubles, displaced: Displacement | None = None) -> Patterns:
        """Return the patterns at moments.

        Parameters
        ----------
        times : (n_times,) float64
            Unix seconds.
        displaced : Displacement, optional
            The forecast's error in place and time; the truth when absent.
        """
        waves = table()
        when = times if displaced is None else times - displaced.late_s
        # reduced in double precision: omega t is thousands of turns
        theta = (waves.phase - np.outer(when, waves.omega)) % (2 * np.pi)
        if displaced is not None:
            theta -= np.outer(displaced.east_km, waves.k_east) + np.outer(displaced.north_km, waves.k_north)
        synoptic, *fronts, meso, cells = (
            _sum(theta[:, group], basis) for group, basis in zip(GROUPS, self._basis, strict=True)
        )
        quadrature = _sum(theta[:, GROUPS[0]] - np.pi / 2, self._basis[0])
        # a front's one wave has amplitude sqrt 2 in _sum
        sharp = sum(np.exp(_FRONT_SHARPNESS * (front * np.float32(np.sqrt(0.5)) - 1)) for front in fronts)
        return Patterns(synoptic, quadrature, np.asarray(sharp), meso, cells)


def _sum(theta: Doubles, basis: Floats) -> Floats:
    """Return the sum of waves of equal amplitude and unit variance, (n_times, n)."""
    amplitude = np.sqrt(2 / theta.shape[1])
    weights = amplitude * np.concatenate([np.cos(theta), -np.sin(theta)], axis=1)
    return np.asarray(weights.astype(np.float32) @ basis)
