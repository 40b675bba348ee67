"""A roof's horizon: the surface model near by, and the terrain's horizon beyond it as it looks from the roof.

The near field is computed: rays over the 1 m surface model, out to 500 m, five for each half degree of which the
highest counts. The far field is level 1's profile of the cell of 100 m, made for an eye 1.5 m over the ground of its
centre, as it looks from the observer's height (`kernels.horizon.vantage`), and of it the part that is made by what
stands beyond 500 m, also where something nearer hides it from down there. The centre is up to 71 m from the point, so
that what is d away stands up to 71 m / d aside (2 degrees at 2 km).
"""

from typing import NamedTuple

import numpy as np

from api.core.pipeline import Origin, origin_of
from api.data.heights.mosaic import Blocks, mosaic
from api.data.horizons import View
from api.horizon import problems
from api.horizon.profile import Floats
from api.horizon.rooftop import surface
from api.horizon.rooftop.heights import NEAR_M, REACH_M
from api.horizon.schemas import RooftopRequest
from kernels import utm
from kernels.horizon.vantage import seen_from
from tiles.products.horizon import OBSERVER_M

# Nearer than that stands the module itself, and the roof under it.
BEGIN_M = 1.5
FAN = 5
# Of two models of one ground, of 1 m and of 10 m or more, on a cliff. What differs by more is not the same ground.
_APART_M = 10.0


class Roof(NamedTuple):
    """An observer, and what is known of the land around.

    Parameters
    ----------
    request : RooftopRequest
    x, y : float
        Of the point, m in UTM 33.
    blocks : mapping of Square to Block
    far : View or None
        Level 1 at the point; None leaves the near field alone.
    """

    request: RooftopRequest
    x: float
    y: float
    blocks: Blocks
    far: View | None

    @property
    def name(self) -> str:
        """The observer in names of files, no two of which have one."""
        one = self.request
        eye = f"h{one.observer_height_m:.2f}" if one.observer_z_masl is None else f"z{one.observer_z_masl:.2f}"
        parts = [part.rstrip("0").rstrip(".") for part in (f"{one.lat:.6f}", f"{one.lon:.6f}", eye)]
        return "_".join(parts if self.far is not None else [*parts, "near"])

    @property
    def data_origin(self) -> Origin:
        """`simulated` if any input is."""
        far = "live" if self.far is None else self.far.horizon.data_origin
        return origin_of(far, *(block.data_origin for block in self.blocks.values()))


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
    sunk : float
        By how much level 1's horizon is lower from here than from its own eye, where it decides; 0 or more, degrees.
    above : float
        Of the eye above level 1's, m; 0 without level 1.
    apart : float
        By how much the near field's terrain lies above level 1's, m; 0 where they are of one ground.
    far : float64 (720,) or None
        Elevation of the far field alone, degrees; None without level 1.
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
    sunk: float = 0.0
    above: float = 0.0
    apart: float = 0.0
    far: Floats | None = None


def calculate(roof: Roof) -> Seen:
    """Return what an observer sees; call it in a thread.

    Raises
    ------
    ApiError
        `NO_HEIGHTS`, `NO_GROUND`.
    """
    from kernels.horizon.rays import profile  # see api/core/engines.py

    x, y, blocks = roof.x, roof.y, roof.blocks
    if not any(block.known for block in blocks.values()):
        raise problems.NO_HEIGHTS()
    ground, z, height = _stands(roof.request, surface.ground(blocks, x, y))
    level = mosaic(blocks, "dom", x, y, REACH_M)
    near = profile(level, x, y, z, reach=NEAR_M, begin=BEGIN_M, fan=FAN)
    own = ground, z, height, level.height_at(x, y), level.missing_within(x, y, NEAR_M)
    alone = Seen(near.elevation, near.elevation, near.distance, near.distance, *own)
    return alone if roof.far is None else _with_far(alone, roof.far, blocks)


def _with_far(alone: Seen, view: View, blocks: Blocks) -> Seen:
    """Return the near field and what shows over it; the eye stands as high over the ground of either model."""
    apart = _apart(view, blocks)
    z = alone.z - apart
    reference = (view.ground if view.ground is not None else z - OBSERVER_M) + OBSERVER_M
    far = seen_from(view.elevation_beyond, view.distance_beyond, reference, z)
    higher = far.elevation > alone.near
    return alone._replace(
        elevation=np.where(higher, far.elevation, alone.near),
        distance=np.where(higher, far.distance, alone.near_distance),
        sunk=float(np.max(far.sunk, where=higher, initial=0.0)),
        above=z - reference,
        apart=apart,
        far=far.elevation,
    )


def _apart(view: View, blocks: Blocks) -> float:
    """Return by how much the near field's terrain lies above level 1's at the centre of level 1's cell, m.

    0 where they are of one ground, as far as cells of different sizes can tell, or one of them is not known there.
    """
    near = surface.mean_ground(blocks, *map(float, utm.forward(view.lat, view.lon)))
    if near is None or view.ground is None or abs(near - view.ground) <= _APART_M:
        return 0.0
    return near - view.ground


def _stands(request: RooftopRequest, ground: float | None) -> tuple[float | None, float, float | None]:
    """Return the terrain's height, the eye's above the sea and its above the terrain, in whole cm that add up."""
    ground = None if ground is None else round(ground, 2)
    if request.observer_z_masl is not None:
        z = round(request.observer_z_masl, 2)
        return ground, z, None if ground is None else round(z - ground, 2)
    if ground is None:
        raise problems.NO_GROUND("observer_height_m")
    height = round(request.observer_height_m, 2)
    return ground, round(ground + height, 2), height
