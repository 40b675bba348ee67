"""The patterns that travel over the country: a fixed table of plane waves, and their sums.

Every wave is cos(k.x + warp(x) + phase - omega t). Place and time separate, so for a list of places the
cosines and sines of k.x + warp(x) are computed once, and the patterns at any moments are matrix products.
The table comes from low-discrepancy sequences (multiples of irrational numbers), not from a random
generator, so it is the same everywhere.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infra.simulator.forecast_error import NO_ERROR, ForecastError

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

_FRONT_SHARPNESS = 7.0
# How many; wavelengths from and to, km; speeds from and to, m/s, or that of the wind that carries them; how much the
# static warp bends them. In this order.
_KINDS = np.array(
    [
        (10, 700, 2600, 6, 13, 0.4),  # lows and highs
        (3, 4000, 9000, 3, 5, 0.4),  # regimes
        (3, 1500, 2400, 9, 13, 1.0),  # fronts
        (12, 45, 220, 9.5, 9.5, 0.0),  # patches
        (8, 14, 32, 5, 5, 0.0),  # convective cells
    ]
)
# Waves that are summed: lows, highs and regimes; each front alone; patches; cells.
_GROUPS = (slice(0, 13), *(slice(i, i + 1) for i in (13, 14, 15)), slice(16, 28), slice(28, 36))


class Table(NamedTuple):
    """All waves, arrays (n_waves,)."""

    k_east: Doubles  # rad/km
    k_north: Doubles  # rad/km
    omega: Doubles  # rad/s
    phase: Doubles  # rad
    warp: Doubles  # how much the static warp bends the wave


@cache
def table() -> Table:
    """Return the fixed table of waves."""
    kind = np.repeat(np.arange(len(_KINDS)), _KINDS[:, 0].astype(int))
    count = np.arange(1, len(kind) + 1)
    spreads = ((0.6180339887, 0.11), (0.7548776662, 0.37), (0.5698402910, 0.73), (0.4142135624, 0.2))
    a, b, c, d = (np.asarray((start + ratio * count) % 1.0) for ratio, start in spreads)
    _, shortest, longest, slowest, fastest, warp = _KINDS[kind].T
    large = kind < 3
    length = np.where(large, shortest + (longest - shortest) * a, shortest * (longest / shortest) ** a)
    heading = np.where(large, 2 * (c - 0.45), 2 * np.pi * c)  # radians from east towards north
    # small ones are carried by one wind towards 0.3 rad, each a little differently
    carried = slowest * (0.9 + 0.2 * b) * np.cos(heading - 0.3)
    speed = np.where(large, slowest + (fastest - slowest) * b, carried)
    k = 2 * np.pi / length
    return Table(k * np.cos(heading), k * np.sin(heading), k * speed / 1000, 2 * np.pi * d, warp)


class Patterns(NamedTuple):
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
            np.concatenate([np.cos(angle[group]), np.sin(angle[group])]).astype(np.float32) for group in _GROUPS
        ]

    def at(self, times: Doubles, error: ForecastError = NO_ERROR) -> Patterns:
        """Return the patterns at moments (n_times,) in unix seconds, displaced as the error has it."""
        waves = table()
        # reduced in double precision: omega t is thousands of turns
        theta = (waves.phase - np.outer(times - error.late_s, waves.omega)) % (2 * np.pi)
        theta -= np.outer(error.east_km, waves.k_east) + np.outer(error.north_km, waves.k_north)
        synoptic, *fronts, meso, cells = (
            _sum(theta[:, group], basis) for group, basis in zip(_GROUPS, self._basis, strict=True)
        )
        quadrature = _sum(theta[:, _GROUPS[0]] - np.pi / 2, self._basis[0])
        # a front's one wave has amplitude sqrt 2 in _sum
        sharp = sum(np.exp(_FRONT_SHARPNESS * (front * np.float32(np.sqrt(0.5)) - 1)) for front in fronts)
        return Patterns(synoptic, quadrature, np.asarray(sharp), meso, cells)


def _sum(theta: Doubles, basis: Floats) -> Floats:
    """Return the sum of waves of equal amplitude and unit variance, (n_times, n)."""
    amplitude = np.sqrt(2 / theta.shape[1])
    weights = amplitude * np.concatenate([np.cos(theta), -np.sin(theta)], axis=1)
    return np.asarray(weights.astype(np.float32) @ basis)
