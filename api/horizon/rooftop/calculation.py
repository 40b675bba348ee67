"""A roof's horizon: the surface model near by, and the terrain's horizon beyond it as it looks from the roof.

The near field is computed: rays over the 1 m surface model, out to 500 m, five for each half degree of which the
highest counts. The far field is level 1's profile of the cell of 100 m, which was made for an eye 1.5 m over the ground
of its centre, and of it the part that is made by what stands beyond 500 m, also where something nearer hides that from
down there. At distance d it is seen under another angle from a roof:

    tan e' = tan e + (z_ref - z_eye) / d        z_ref: the height of level 1's eye

What stands behind it, and is hidden by it from level 1's eye, is not known: it may show over it by up to the angle by
which it sank, (z_eye - z_ref) / d, which for an eye 8 m higher is 0.9 degrees at 500 m and 0.1 at 5 km. The cell's
centre is up to 71 m from the point, so that what is d away stands up to 71 m / d aside (2 degrees at 2 km). Where level
1 has seen nothing, the horizon is the sea's as seen from the roof.

It loads the kernels (see `api/engines.py`): call it in a thread.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from api import texts
from api.errors import NotFound
from api.horizon.rooftop import surface
from api.horizon.rooftop.land import NEAR_M, Blocks, ground_at
from api.horizons import View
from catalog.sources.kartverket.heights import Model
from kernels.horizon import earth
from kernels.horizon.rays import profile
from tiles.products.horizon import OBSERVER_M

# Nearer than that stands the module itself, and the roof under it.
BEGIN_M = 1.5
FAN = 5

_ABOVE_SEA_DEG = 0.05

Floats = NDArray[np.float64]
NO_TILE = {"code": "NO_TILE"}


class Observer(NamedTuple):
    """Where somebody looks from.

    Parameters
    ----------
    x, y : float
        m in UTM 33.
    height : float
        Above the terrain, m.
    z : float or None
        Above the sea, m; it goes before the height.
    """

    x: float
    y: float
    height: float
    z: float | None


class Seen(NamedTuple):
    """What is seen.

    Parameters
    ----------
    elevation, near : float64 (720,)
        Of the horizon and of its near part, degrees.
    distance, near_distance : float64 (720,)
        To what makes it, m; NaN where nothing was seen.
    far_used : bool
        Whether level 1 was looked at.
    sunk : float
        By how much its horizon is lower from here than from its own eye, where it decides; 0 or more, degrees.
    ground : float or None
        Of the terrain, m above sea.
    z : float
        Of the eye, m above sea.
    height : float or None
        Of the eye above the terrain, m.
    surface_z : float or None
        Of the surface at the point, m above sea.
    holes : float
        Share of the near field without heights.
    """

    elevation: Floats
    near: Floats
    distance: Floats
    near_distance: Floats
    far_used: bool
    sunk: float
    ground: float | None
    z: float
    height: float | None
    surface_z: float | None
    holes: float


def calculate(observer: Observer, blocks: Blocks, far: View | None) -> Seen:
    """Return what an observer sees.

    Parameters
    ----------
    observer : Observer
    blocks : mapping of Square to Block
    far : View or None
        Level 1 at the point; None leaves the near field alone.

    Raises
    ------
    NotFound
        There are no heights.
    """
    x, y = observer.x, observer.y
    if not any(block.known for block in blocks.values()):
        raise NotFound(texts.ROOFTOP_NO_HEIGHTS, fields=NO_TILE)
    ground, height, z = _stands(observer, surface.ground(blocks, x, y))
    level = surface.surface(blocks, x, y)
    near = profile([level], x, y, z, reach=NEAR_M, begin=BEGIN_M, fan=FAN)
    elevation, distance, sunk = near.elevation, near.distance, 0.0
    if far is not None:
        beyond = seen_from(far, z)
        higher = beyond > near.elevation
        elevation, distance = (
            np.where(higher, beyond, near.elevation),
            np.where(higher, far.distance_beyond, near.distance),
        )
        sunk = float(np.max(far.elevation_beyond - beyond, where=higher, initial=0.0))
    surface_z, holes = surface.height_at(level, x, y), surface.holes(level, x, y)
    used = far is not None
    return Seen(elevation, near.elevation, distance, near.distance, used, sunk, ground, z, height, surface_z, holes)


def _stands(observer: Observer, ground: float | None) -> tuple[float | None, float | None, float]:
    """Return the terrain's height, the eye's above it and the eye's above the sea, in whole cm that add up."""
    ground = None if ground is None else round(ground, 2)
    if observer.z is not None:
        z = round(observer.z, 2)
        return ground, None if ground is None else round(z - ground, 2), z
    if ground is None:
        raise NotFound(texts.ROOFTOP_NO_GROUND, fields=NO_TILE)
    height = round(observer.height, 2)
    return ground, height, round(ground + height, 2)


def seen_from(far: View, z: float) -> Floats:
    """Return what level 1 knows beyond the near field as it is seen from a height at its place, degrees.

    Parameters
    ----------
    far : View
    z : float
        Of the eye, m above sea.
    """
    reference = (far.ground if far.ground is not None else z - OBSERVER_M) + OBSERVER_M
    known, away = far.elevation_beyond, far.distance_beyond
    seen = np.degrees(np.arctan(np.tan(np.radians(known)) + (reference - z) / away))
    # What stands higher than the sea is land of a version that does not tell distances: as it is.
    nothing = np.where(known > earth.sea_dip(reference) + _ABOVE_SEA_DEG, known, earth.sea_dip(z))
    return np.where(np.isnan(away), nothing, seen)


def data_origin(blocks: Blocks, far: View | None) -> str:
    """Return `live` or `simulated`: what comes of made-up heights is made up."""
    made_up = any(block.simulated for block in blocks.values()) or (
        far is not None and far.horizon.data_origin != "live"
    )
    return "simulated" if made_up else "live"


def year_of(blocks: Blocks, model: Model, x: float, y: float) -> int | None:
    """Return the year of a model's data at a point."""
    return blocks[ground_at(x, y)._replace(model=model)].year
