"""Rows of racks that shade each other: which stands in front of which, and which stay."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Numbers = NDArray[np.intp]

_OF_ONE = 0.51


def in_front(middle: Floats, azimuth: float, length: float, spacing: float) -> Numbers:
    """Return the module of the next row that stands in front of each, -1 for none.

    Parameters
    ----------
    middle : float64 (n, 2)
        Of modules that face an azimuth, m. A row that is half a spacing farther off, as over a wide walkway, is not in
        front; one that is nearer than that counts as if it stood at the spacing.
    azimuth : float
        Degrees.
    length, spacing : float
        Of a module along its row; from row to row, 0 in a roof's plane, where none stands in front; m.
    """
    if not spacing:
        return np.full(len(middle), -1)
    east, north = math.sin(math.radians(azimuth)), math.cos(math.radians(azimuth))
    # along the row in modules, ahead in rows
    places = middle @ np.array([[north, east], [-east, north]]) / [length, spacing]
    far, nearest = cKDTree(places).query(places + np.array([0, 1]), p=np.inf)
    return np.where(far < _OF_ONE, nearest, -1)


def sunny(alone: Floats, shaded: Floats, ahead: Numbers, order: Numbers, most: float) -> tuple[Flags, Floats]:
    """Return the units that lose at most so much to shade, with those that are left out gone, and what parts lose.

    Parameters
    ----------
    alone, shaded : float64 (parts, n)
        Loss of each part of each unit without and with a row in front of it.
    ahead : int (parts, n)
        The unit in front of each part, -1 for none.
    order : int (n,)
        Units from the one farthest ahead of the first part.
    most : float
    """
    kept = np.zeros(alone.shape[1], bool)
    for n in order:
        behind_row = [front >= 0 and bool(kept[front]) for front in ahead[:, n]]
        losses = [(shaded if is_behind else alone)[part, n] for part, is_behind in enumerate(behind_row)]
        # the unit in front has this one in front of its other part
        kept[n] = max(losses) <= most and not (behind_row[0] and (shaded[1:, ahead[0, n]] > most).any())
    return kept, np.where((ahead >= 0) & kept[ahead], shaded, alone)
