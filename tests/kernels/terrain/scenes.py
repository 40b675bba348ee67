"""Land made up around a site: heights and land cover as functions of place, turned by any angle.

A scene is written in metres on the ground from the site, `ahead` and `right`; with a turn of 0 ahead is true north. The
grids are those of real data: 10 m, in UTM 33, and the site lies somewhere in a cell.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from kernels import utm
from kernels.horizon import earth
from kernels.horizon.levels import Level
from kernels.terrain.polar import AZIMUTHS, Site
from kernels.terrain.roughness import Cover

Floats = NDArray[np.float64]
Grid = NDArray[np.float32]
Field = Callable[[Grid, Grid], NDArray]

TURNS, NO_TURN = (217, 5, 90), (0,)
"""The first is no multiple of a sector: angles between those of the others."""
WEST, EAST = (62.0, 7.0), (65.0, 31.0)
CELL = 10.0
HEIGHTS_REACH, COVER_REACH = 7300.0, 10_300.0


class Plane(NamedTuple):
    site: Site
    ahead: Grid
    right: Grid
    x0: float
    y0: float


@lru_cache(maxsize=8)
def plane(turn: float, reach: float, where: tuple[float, float]) -> Plane:
    """Places of a grid as a scene that is turned sees them, m on the ground."""
    x, y = map(float, utm.forward(*where))
    steps = np.arange(-round(reach / CELL), round(reach / CELL) + 1)
    xs, ys = (CELL * (np.floor(at / CELL) + 0.5 + steps) for at in (x, y))
    on_map = np.radians(turn - float(earth.convergence(x, y)))
    east, north = (((at - middle) / earth.scale(x, y)).astype(np.float32) for at, middle in ((xs, x), (ys, y)))
    sine, cosine = np.float32(np.sin(on_map)), np.float32(np.cos(on_map))
    ahead = east * sine + (north * cosine)[:, None]
    right = east * cosine - (north * sine)[:, None]
    return Plane(Site(x, y), ahead, right, float(xs[0]), float(ys[0]))


def ground(heights: Field, turn: float = 0, where: tuple[float, float] = WEST) -> tuple[Level, Site]:
    made = plane(turn, HEIGHTS_REACH, where)
    z = np.ascontiguousarray(heights(made.ahead, made.right), np.float32)
    return Level(z, made.x0, made.y0, CELL), made.site


def land(codes: Field, built: Field | None = None, high: Field | None = None, turn: float = 0) -> tuple[Cover, Site]:
    """Land cover of the codes of the product; `built` is the share under buildings, `high` their height, m."""
    made = plane(turn, COVER_REACH, WEST)
    here = made.ahead, made.right
    nothing = np.zeros(made.ahead.shape, np.float32)
    share, height = (nothing if one is None else one(*here).astype(np.float32) for one in (built, high))
    return Cover(np.asarray(codes(*here), np.uint8), share, height, made.x0, made.y0, CELL), made.site


def angles(turn: float) -> Floats:
    """Where the wind comes from in each sector, as the scene sees it: degrees from ahead, -180 to 180."""
    return (AZIMUTHS - turn + 180) % 360 - 180


def turned(made: Iterable[Any]) -> list[Any]:
    """Return the parameters of a test: scenes by their turns, of which the quick tests have the first."""
    return [
        pytest.param(scene, turn, id=f"{scene.name}, {turn}", marks=[pytest.mark.slow] if i else [])
        for scene in made
        for i, turn in enumerate(scene.turns)
    ]
