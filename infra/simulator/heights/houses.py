"""Houses on their lots: gabled, hipped and flat roofs 4-9 m high, in the middle of cities blocks of 15-25 m."""

import numpy as np
from numpy.typing import NDArray

from infra.simulator.heights.lots import Lots
from infra.simulator.heights.noise import Field, Whole, uniform

_BUILT = 0.88  # of the lots
_GABLED, _HIPPED = 0.62, 0.84  # shares of roofs, added up
_LOWEST, _HIGHEST = 4.0, 9.0
_LEAST_BLOCK, _MOST_BLOCK = 15.0, 25.0


def roofs(lots: Lots) -> Field:
    """Return how high the roof over each place is, above the ground in the middle of its lot, m.

    Parameters
    ----------
    lots : Lots
        Of n places.

    Returns
    -------
    float32 (n,), NaN where there is no roof.
    """
    key = lots.number
    roof = _house(lots, key)
    block = lots.settled & (_draw(80, key) < 0.45 * lots.central)
    # a block fills its lot but for a gap to the next
    within = (np.abs(lots.along) < 11.5) & (np.abs(lots.across) < 13.0)
    tall = _LEAST_BLOCK + (_MOST_BLOCK - _LEAST_BLOCK) * _draw(81, key)
    return np.where(block, np.where(within, tall, np.nan), roof).astype(np.float32)


def _house(lots: Lots, key: Whole) -> Field:
    length, width = 9.5 + 5 * _draw(82, key), 7 + 2.5 * _draw(83, key)
    turned = _draw(84, key) < 0.3  # the gable to the street
    p = np.where(turned, lots.across, lots.along) - 3 * (_draw(85, key) - 0.5)
    q = np.where(turned, lots.along, lots.across) - 3 * (_draw(86, key) - 0.5)
    from_gable, from_eaves = length / 2 - np.abs(p), width / 2 - np.abs(q)
    stands = lots.settled & (_draw(87, key) < _BUILT) & (from_gable > 0) & (from_eaves > 0)
    steep = 0.45 + 0.4 * _draw(88, key)  # tangent of the roof's angle: 24 to 40 degrees
    ridge = width / 2 * steep
    eaves = np.minimum(_LOWEST - 1.2 + 3.4 * _draw(89, key), _HIGHEST - ridge)
    kind = _draw(90, key)
    gabled = eaves + steep * from_eaves
    hipped = eaves + steep * np.minimum(from_eaves, from_gable)
    flat = np.clip(eaves + 1.6, _LOWEST, _HIGHEST)
    roof = np.where(kind < _GABLED, gabled, np.where(kind < _HIPPED, hipped, flat))
    return np.where(stands, roof, np.nan).astype(np.float32)


def _draw(seed: int, key: Whole) -> NDArray[np.float32]:
    return uniform(seed, key)
