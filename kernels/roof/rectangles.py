"""Rectangles that an outline of right angles is made of."""

from itertools import pairwise, product

import numpy as np
import shapely
from shapely import Polygon, affinity, box

_FROM_M = 1.0
_NARROWEST_M = 3.0
_COVERED = 0.9
_MOST = 4


def partitions(outline: Polygon, direction: float) -> list[list[Polygon]]:
    """Return the ways to cut an outline into few rectangles: into strips one way, and across.

    Parameters
    ----------
    outline : Polygon
    direction : float
        In which most of its sides run, or across it, radians from east.
    """
    middle = outline.centroid
    level = affinity.rotate(outline, -direction, middle, use_radians=True)
    at = shapely.get_coordinates(level)
    cuts = [_cuts(at[:, axis]) for axis in (0, 1)]
    cells = {
        (i, j): box(west, south, east, north)
        for (i, (west, east)), (j, (south, north)) in product(
            enumerate(pairwise(cuts[0])), enumerate(pairwise(cuts[1]))
        )
        if box(west, south, east, north).intersection(level).area > 0.5 * (east - west) * (north - south)
    }
    found: list[list[Polygon]] = []
    for across in (0, 1):
        parts = _strips(cells, across)
        covered = shapely.union_all(parts).intersection(level).area > _COVERED * level.area
        narrow = any(min(e - w, n - s) < _NARROWEST_M for w, s, e, n in shapely.bounds(parts))
        if 0 < len(parts) <= _MOST and covered and not narrow:
            turned = [affinity.rotate(part, direction, middle, use_radians=True) for part in parts]
            found += [turned] if not any(len(turned) == len(other) == 1 for other in found) else []
    return found


def _cuts(places: np.ndarray) -> list[float]:
    """Return places of which near ones are one."""
    ordered = np.sort(places)
    groups = np.split(ordered, 1 + np.flatnonzero(np.diff(ordered) > _FROM_M))
    return [float(group.mean()) for group in groups]


def _strips(cells: dict[tuple[int, int], Polygon], across: int) -> list[Polygon]:
    """Return cells joined along an axis, and strips of the same ends joined across it."""
    strips: dict[tuple[int, int], list[int]] = {}
    for line in sorted({key[1 - across] for key in cells}):
        run = sorted(key[across] for key in cells if key[1 - across] == line)
        for group in np.split(run, 1 + np.flatnonzero(np.diff(run) > 1)):
            strips.setdefault((int(group[0]), int(group[-1])), []).append(line)
    found = []
    for (first, last), lines in strips.items():
        for group in np.split(lines, 1 + np.flatnonzero(np.diff(lines) > 1)):
            keys = product(range(first, last + 1), group)
            found.append(shapely.union_all([cells[(k, n) if across == 0 else (n, k)] for k, n in keys]).envelope)
    return [one for one in found if isinstance(one, Polygon)]
