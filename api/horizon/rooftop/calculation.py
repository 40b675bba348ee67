"""A roof's horizon: the surface model near by, and the terrain's horizon beyond it as it looks from the roof.

The near field is computed: rays over the 1 m surface model, out to 500 m, five for each half degree of which the
highest counts. The far field is level 1's profile of the cell of 100 m (`far.py`), and of it the part that is made by
what stands beyond 500 m, also where something nearer hides that from down there.

It loads the kernels (see `api/engines.py`): call it in a thread.
"""

from typing import NamedTuple

import numpy as np

from api import texts
from api.errors import NotFound
from api.horizon.rooftop import surface
from api.horizon.rooftop.far import Far, Floats, apart_of, seen_from
from api.horizon.rooftop.land import NEAR_M, Blocks, ground_at
from api.horizons import View
from catalog.sources.kartverket.heights import Model
from kernels.horizon.rays import profile

# Nearer than that stands the module itself, and the roof under it.
BEGIN_M = 1.5
FAN = 5

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
    far_used : bool
        Whether level 1 was looked at.
    sunk : float
        By how much its horizon is lower from here than from its own eye, where it decides; 0 or more, degrees.
    above : float
        Of the eye above level 1's, m; 0 without level 1.
    apart : float
        By how much the near field's terrain lies above level 1's, m; 0 where they are of one ground.
    """

    elevation: Floats
    near: Floats
    distance: Floats
    near_distance: Floats
    ground: float | None
    z: float
    height: float | None
    surface_z: float | None
    holes: float
    far_used: bool = False
    sunk: float = 0.0
    above: float = 0.0
    apart: float = 0.0


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
    near = profile(level, x, y, z, reach=NEAR_M, begin=BEGIN_M, fan=FAN)
    heights = ground, z, height, surface.height_at(level, x, y)
    alone = Seen(
        near.elevation, near.elevation, near.distance, near.distance, *heights, holes=surface.holes(level, x, y)
    )
    return alone if far is None else _with(alone, seen_from(far, z, apart_of(far, blocks)))


def _with(alone: Seen, far: Far) -> Seen:
    """Return the near field and what shows over it."""
    higher = far.elevation > alone.near
    return alone._replace(
        elevation=np.where(higher, far.elevation, alone.near),
        distance=np.where(higher, far.distance, alone.near_distance),
        far_used=True,
        sunk=float(np.max(far.sunk, where=higher, initial=0.0)),
        above=far.above,
        apart=far.apart,
    )


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


def data_origin(blocks: Blocks, far: View | None) -> str:
    """Return `live` or `simulated`: what comes of made-up heights is made up."""
    made_up = any(block.simulated for block in blocks.values()) or (
        far is not None and far.horizon.data_origin != "live"
    )
    return "simulated" if made_up else "live"


def year_of(blocks: Blocks, model: Model, x: float, y: float) -> int | None:
    """Return the year of a model's data at a point."""
    return blocks[ground_at(x, y)._replace(model=model)].year
