"""Objects near a point that hide its sky, and which of them makes the horizon in each direction."""

import math
from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import register_jitable
from numpy.typing import NDArray

from kernels.compiled import ROW, VECTOR, compiled
from kernels.horizon import earth
from kernels.horizon.earth import DROP
from kernels.horizon.levels import MISSING, Level
from kernels.horizon.rays import AZIMUTHS, STEP_DEG, Profile

EXCESS_DEG = 1.0
"""By so much an object stands over what is behind it."""
STANDS_M = 2.0
"""Height over the ground from which something stands on it; what is lower is ground."""

# By objects of two real places, surfaces of 1 m. Of detached houses 98 % are smoother than 0.12 m; of terraces with
# steep small roofs and dormers 90 % than 0.26 m seen from a roof, 85 % than 0.36 m from the ground, past trees. Of
# trees 90 % are rougher than 0.4 m, in gardens with bushes than 0.31 m.
SMOOTH_M, ROUGH_M = 0.28, 0.36
"""Below is a building, above are plants."""

OWN_ROOF_M, OWN_PLANE_M = 10.0, 0.3
"""So near, and so close to a panel's plane, the surface is the roof that the panel lies on."""

_LEAST_DEG, _JUMP = 2.0, 1.5
_TOP, _AROUND, _BEHIND = 2, 4, 1.0
"""Cells to each side in which the height is looked for, and the roughness; the latter so many cells behind."""
_FEWEST = 6
"""Cells whose roughness is known, at least: a mast has fewer."""
_TERRAIN, _BUILDING, _PLANTS, _UNKNOWN = 0, 1, 2, 3
_KINDS = "terreng", "bygning", "vegetasjon", "ukjent"

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class NearObject(NamedTuple):
    """An object that makes the horizon in adjacent directions.

    Parameters
    ----------
    azimuth : float
        Of its middle, degrees clockwise from true north, 0..360.
    width : float
        Degrees.
    highest : float
        Azimuth of its highest direction, as `azimuth`.
    elevation : float
        There, degrees.
    distance : float
        To what is seen there, m.
    height : float
        Of that above the eye, m.
    kind : str
        "bygning", "vegetasjon", "terreng" or "ukjent".
    """

    azimuth: float
    width: float
    highest: float
    elevation: float
    distance: float
    height: float
    kind: str


def near_objects(
    near: Profile, far: Floats, x: float, y: float, surface: Level, ground: Level
) -> tuple[tuple[NearObject, ...], Ints]:
    """Return the objects near a point, and which of them makes the horizon in each direction.

    Parameters
    ----------
    near : Profile
        Of the surface near by.
    far : float64 (720,)
        Horizon of what is beyond, degrees; NaN where not known.
    x, y : float
        The point, m in the coordinates of the levels (UTM 33).
    surface, ground : Level
        Surface and terrain around the point, on one grid of 1 m.

    Returns
    -------
    objects : tuple of NearObject
        In the order of the azimuths at which they begin.
    owner : int64 (720,)
        Index of the object in each direction, -1 where nothing near stands 1 degree over what is beyond.

    Raises
    ------
    ValueError
        The levels are not of one grid.

    Notes
    -----
    Directions side by side are one object unless the kind changes, or the distance grows or shrinks by a factor of 1.5;
    pieces narrower than 2 degrees go to the neighbour whose distance is most like theirs; they count for
    its width alone, not for its elevation, distance and height.

    Kinds are told by the surface around and behind the sample that makes the horizon. What is less than 2 m over the
    ground is terrain. Of the rest the roughness decides: the median, over cells, of the least second difference in four
    directions, which is small on planes, along ridges and along edges of roofs.
    """
    if surface.z.shape != ground.z.shape or surface[1:] != ground[1:]:
        raise ValueError("surface and ground are not of one grid")
    owned = near.elevation >= np.fmax(far, 0.0) + EXCESS_DEG
    at = np.flatnonzero(owned)
    height, roughness = np.full((2, AZIMUTHS), np.nan)
    height[at], roughness[at] = _look(near.distance[at], at, (x, y), surface, ground)
    standing = np.select([roughness < (SMOOTH_M + ROUGH_M) / 2, np.isfinite(roughness)], [_BUILDING, _PLANTS], _UNKNOWN)
    label, distance = np.where(height < STANDS_M, _TERRAIN, standing), near.distance.copy()
    _settle(owned, label, distance)
    owner, pieces = np.full(AZIMUTHS, -1), _pieces(owned, label, distance)
    for index, piece in enumerate(pieces):
        owner[piece] = index
    own = distance == near.distance
    return tuple(_object(near, piece, own, _kind(height[piece], roughness[piece])) for piece in pieces), owner


def own_roof(near: Profile, tilt: float, azimuth: float) -> NDArray[np.bool_]:
    """Return in which directions (720,) the roof that a panel lies on makes its horizon: it shades nothing.

    Parameters
    ----------
    near : Profile
        Of the surface near by.
    tilt, azimuth : float
        Of the panel, degrees from level; degrees clockwise from true north.
    """
    around, steep = np.radians(STEP_DEG * np.arange(AZIMUTHS) - azimuth), math.radians(tilt)
    above = near.distance * (math.sin(steep) * np.cos(around) + math.cos(steep) * np.tan(np.radians(near.elevation)))
    own: NDArray[np.bool_] = (near.distance < OWN_ROOF_M) & (np.abs(above) < OWN_PLANE_M)
    return own


def _object(near: Profile, piece: Ints, own: NDArray[np.bool_], kind: str) -> NearObject:
    tops = piece[own[piece]]
    highest = tops[near.elevation[tops].argmax()]
    elevation, distance = float(near.elevation[highest]), float(near.distance[highest])
    height = distance * (math.tan(math.radians(elevation)) + DROP * distance)
    middle = STEP_DEG * (float(piece[0]) + (len(piece) - 1) / 2) % 360
    return NearObject(middle, STEP_DEG * len(piece), STEP_DEG * float(highest), elevation, distance, height, kind)


def _kind(height: Floats, roughness: Floats) -> str:
    """Give the kind that most of an object's directions say."""
    if 2 * np.count_nonzero(height < STANDS_M) > height.size:
        return _KINDS[_TERRAIN]
    known = roughness[np.isfinite(roughness)]
    if 2 * known.size < height.size:
        return _KINDS[_UNKNOWN]
    rough = np.median(known)
    return _KINDS[_BUILDING if rough < SMOOTH_M else _PLANTS if rough > ROUGH_M else _UNKNOWN]


def _pieces(owned: NDArray[np.bool_], label: Ints, distance: Floats) -> list[Ints]:
    """Give the directions of each object, clockwise; one may reach across north."""
    begins = [k for k in range(AZIMUTHS) if owned[k] and _splits(owned, label, distance, k)]
    if not begins:
        return [np.arange(AZIMUTHS)] if owned.all() else []
    ends = [*begins[1:], begins[0] + AZIMUTHS]
    around = (np.arange(begin, end) % AZIMUTHS for begin, end in zip(begins, ends, strict=True))
    return [directions[owned[directions]] for directions in around]


def _look(
    distance: Floats, at: Ints, point: tuple[float, float], surface: Level, ground: Level
) -> tuple[Floats, Floats]:
    """Give the height over the ground and the roughness (n,) of what is seen, m; NaN where they cannot be told."""
    direction = np.radians(STEP_DEG * at - float(earth.convergence(*point)))
    east, north = np.sin(direction), np.cos(direction)
    away = distance * float(earth.scale(*point))
    column, row = (point[0] + away * east - surface.x0), (point[1] + away * north - surface.y0)
    height, roughness = np.empty((2, distance.size))
    samples = column / surface.cell, row / surface.cell, east * _BEHIND, north * _BEHIND
    _look_at(surface.z, ground.z, samples, height, roughness)
    return height, roughness


_FLAGS = types.Array(types.boolean, 1, "C", readonly=True)
_LABELS = types.Array(types.int64, 1, "C")
_HEIGHTS = types.Array(types.float32, 2, "C", readonly=True)
_NONE = MISSING / 2


@register_jitable
def _splits(owned, label, distance, k):  # type: ignore[no-untyped-def]
    """Say whether direction k and the one before are of two objects."""
    before = (k - 1) % owned.size
    far, close = max(distance[k], distance[before]), min(distance[k], distance[before])
    return not owned[before] or label[k] != label[before] or far > _JUMP * close


@compiled(_FLAGS, _LABELS, ROW)
def _settle(owned, label, distance):  # type: ignore[no-untyped-def]
    """Give each narrow piece the label and distance of the end of its neighbour, the narrowest first."""
    size = owned.size
    while True:
        narrowest, begin = int(_LEAST_DEG / STEP_DEG), -1
        for k in range(size):
            if not (owned[k] and _splits(owned, label, distance, k)):
                continue
            width = 1
            while width < size and owned[(k + width) % size]:
                if _splits(owned, label, distance, (k + width) % size):
                    break
                width += 1
            if width < narrowest and (owned[(k - 1) % size] or owned[(k + width) % size]):
                narrowest, begin = width, k
        if begin < 0:
            return
        first, last = (begin - 1) % size, (begin + narrowest) % size
        to_first = abs(math.log(distance[first] / distance[begin])) if owned[first] else math.inf
        to_last = abs(math.log(distance[last] / distance[(last - 1) % size])) if owned[last] else math.inf
        other = first if to_first <= to_last else last
        for k in range(begin, begin + narrowest):
            label[k % size], distance[k % size] = label[other], distance[other]


@register_jitable
def _over_ground(surface, ground, i, j):  # type: ignore[no-untyped-def]
    """Give the surface's height over the ground in a cell; NaN outside the grid, or where one is not known."""
    rows, columns = surface.shape
    if not (0 <= i < rows and 0 <= j < columns) or surface[i, j] < _NONE or ground[i, j] < _NONE:
        return math.nan
    return surface[i, j] - ground[i, j]


@register_jitable
def _bend(surface, stands, i, j, cell):  # type: ignore[no-untyped-def]
    """Give the least second difference through a cell, per length; NaN where it has no two neighbours that stand."""
    least = math.inf
    for a, b in ((0, 1), (1, 0), (1, 1), (1, -1)):
        if stands[i, j] and stands[i + a, j + b] and stands[i - a, j - b]:
            y, x = cell[0] + i, cell[1] + j
            bend = abs(surface[y + a, x + b] - surface[y, x] + (surface[y - a, x - b] - surface[y, x]))
            least = min(least, bend / math.sqrt(a * a + b * b))
    return least if least < math.inf else math.nan


@compiled(_HEIGHTS, _HEIGHTS, types.UniTuple(VECTOR, 4), ROW, ROW)
def _look_at(surface, ground, samples, height, roughness):  # type: ignore[no-untyped-def]
    column, row, behind_east, behind_north = samples
    side = 2 * _AROUND + 3
    stands, bends = np.empty((side, side), np.bool_), np.empty((side - 2) ** 2)
    for k in range(height.size):
        i, j = round(row[k]), round(column[k])
        height[k], roughness[k] = _over_ground(surface, ground, i, j), math.nan
        for y in range(i - _TOP, i + _TOP + 1):
            for x in range(j - _TOP, j + _TOP + 1):
                other = _over_ground(surface, ground, y, x)
                if other > height[k]:
                    height[k] = other
        if not height[k] >= STANDS_M:
            continue
        cell = round(row[k] + behind_north[k]) - _AROUND - 1, round(column[k] + behind_east[k]) - _AROUND - 1
        for y in range(side):
            for x in range(side):
                stands[y, x] = _over_ground(surface, ground, cell[0] + y, cell[1] + x) > STANDS_M
        count = 0
        for y in range(1, side - 1):
            for x in range(1, side - 1):
                bend = _bend(surface, stands, y, x, cell)
                if not math.isnan(bend):
                    bends[count] = bend
                    count += 1
        if count >= _FEWEST:
            roughness[k] = np.median(bends[:count])
