"""Places for the numbers of objects, so that none lies on another."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_MOST = 10
_ROUNDS = 200


def numbered(objects: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return the objects that have a number in the drawings: the first, which cost the most, if they cost anything."""
    return [one for one in objects[:_MOST] if one["yield_loss_pct"] > 0]


def spread(
    places: Floats, gap: float, low: Sequence[float], high: Sequence[float], fixed: Sequence[Sequence[float]] = ()
) -> Floats:
    """Move places apart, each as little as it takes.

    Parameters
    ----------
    places : (n, 2)
        Where they would be best.
    gap : float
        Between two of them, at least; less only where there is no room for all.
    low, high : (2,)
        Corners of the room.
    fixed : (m, 2)
        Places of other things, to which they keep the same distance.

    Returns
    -------
    float64 (n, 2)
    """
    found = np.clip(places, low, high)
    # two on the same place part to the sides, the first to the left
    found[:, 0] += np.linspace(-1e-3, 1e-3, len(found))
    still = np.array(fixed, np.float64).reshape(-1, 2)
    share = np.concatenate([np.full(len(found), 0.5), np.ones(len(still))])
    for _ in range(_ROUNDS):
        between = found[:, None] - np.concatenate([found, still])[None]
        apart = np.hypot(between[..., 0], between[..., 1])
        np.fill_diagonal(apart, np.inf)
        close = np.maximum(gap - apart, 0) * share
        if not (close > 1e-2).any():
            break
        found = np.clip(found + (between * (close / np.maximum(apart, 1e-9))[..., None]).sum(axis=1), low, high)
    return found
