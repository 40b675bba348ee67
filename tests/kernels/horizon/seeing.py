"""The two algorithms with one face: what an eye 1.5 m over the ground sees."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kernels.horizon import rays
from kernels.horizon.block import Piece
from kernels.horizon.lattice import Points
from kernels.horizon.levels import Level
from tests.kernels.horizon import land, reference
from tests.kernels.horizon.reference import Floats

EYE = 1.5


class Seen(NamedTuple):
    """Degrees and metres, (720,)."""

    elevation: Floats
    distance: Floats


See = Callable[[Sequence[Level], float, float, float], Seen]


def by_ray(levels: Sequence[Level], x: float, y: float, reach: float) -> Seen:
    """A point of its own, over the finest level alone: that must reach as far as is looked."""
    found = rays.profile(levels[0], x, y, reference.ground(levels[0], x, y) + EYE, reach=reach)
    return Seen(found.elevation, found.distance)


def by_block(levels: Sequence[Level], x: float, y: float, reach: float) -> Seen:
    """The south-eastern of 2 x 3 points of a tile."""
    found = Piece(levels, Points(x - 200, y, 100.0, (2, 3)), eye=EYE, reach=reach).block()
    return Seen(found.elevation[:, 0, 2].astype(np.float64), found.distance[:, 0, 2].astype(np.float64))


WAYS: dict[str, See] = {"ray": by_ray, "block": by_block}


def look(way: str, z: ArrayLike, reach: float = 4500) -> Seen:
    """What is seen from the middle of heights on which the grid's north is true, also as maxima of 5 x 5 cells."""
    return WAYS[way](land.pyramid(land.land_around(z)), 5e5, land.NORTH, reach)
