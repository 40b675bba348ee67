"""What makes winters differ: spells and seasons that are warmer or colder, wetter or drier than their normals.

They are noise along the days alone, one in the south and one in the north of the country, and blend between them. The
truth's own patterns come back within weeks: without this all its winters would be alike.
"""

import numpy as np
from numpy.typing import NDArray

from infra.simulator.heights.noise import uniform

Floats = NDArray[np.float32]
Days = NDArray[np.int64]

_SEASON_DAYS, _SPELL_DAYS = 91, 11
_SEASON_K, _SPELL_K = 1.9, 3.4  # of temperature in winter, half of it in summer
_SEASON_WET = 0.30  # of the logarithm of precipitation
_SOUTH, _NORTH = 61.0, 69.0  # degrees: at and beyond them there is but one of the two
# What uniform numbers of 0 to 1 lack to a deviation of 1
_TO_UNIT = float(np.sqrt(12))


def _wander(days: Days, step: int, seed: int) -> Floats:
    """Return noise along days, of mean 0 and a deviation of 0.8: straight lines between nodes `step` days apart."""
    node = days // step
    part = ((days - node * step) / step).astype(np.float32)
    before, after = uniform(seed, node), uniform(seed, node + 1)
    return np.asarray((before + part * (after - before) - np.float32(0.5)) * np.float32(_TO_UNIT))


def _blend(lat: NDArray[np.float64]) -> Floats:
    """Return how the southern and the northern noise weigh at places, (2, n)."""
    turn = np.clip((lat - _SOUTH) / (_NORTH - _SOUTH), 0, 1) * np.pi / 2
    return np.array([np.cos(turn), np.sin(turn)], dtype=np.float32)


def anomaly_k(days: Days, winter: NDArray[np.float64], lat: NDArray[np.float64]) -> Floats:
    """Return how much warmer days are than their normals, K, (n_days, n).

    Parameters
    ----------
    days : int64 (n_days,)
        Since 1970.
    winter : float64 (n_days,)
        1 in midwinter to -1 in midsummer.
    lat : float64 (n,)
    """
    strength = (0.75 + 0.25 * winter).astype(np.float32)
    noise = [
        _SEASON_K * _wander(days, _SEASON_DAYS, 700 + k) + _SPELL_K * _wander(days, _SPELL_DAYS, 710 + k)
        for k in range(2)
    ]
    return np.asarray((strength * np.array(noise, dtype=np.float32)).T @ _blend(lat), dtype=np.float32)


def wet_factor(days: Days, lat: NDArray[np.float64]) -> Floats:
    """Return how much wetter days are than their normals, a factor, (n_days, n)."""
    noise = np.array([_SEASON_WET * _wander(days, _SEASON_DAYS, 720 + k) for k in range(2)], dtype=np.float32)
    return np.asarray(np.exp(noise.T @ _blend(lat) - np.float32(_SEASON_WET**2 * 0.32)), dtype=np.float32)
