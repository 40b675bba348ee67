"""Where things are on the sheet: scale, and the rectangle of the plan; true north is up."""

import math
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from api.roof.drawing.scene import Scene

Floats = NDArray[np.float64]

WIDTH, HEIGHT, MARGIN = 1600.0, 1131.0, 30.0
"""The sheet: A3 or A4 in landscape."""

PLAN = (MARGIN, 112.0, 1152.0, 1000.0)
"""Left, top, right and bottom of the plan."""

_PER_MM = WIDTH / 420
_DIMENSIONS = 46.0
"""Room around the roof for dimensions."""

_SCALES = (10, 15, 20, 25, 30, 40, 50, 60, 75, 100, 125, 150, 200, 250, 300, 400, 500, 600, 750, 1000, 1250, 1500, 2000)


@dataclass(frozen=True)
class View:
    """The way from metres to the sheet.

    Parameters
    ----------
    denominator : int
        Of the scale, printed on A3.
    middle : (float, float)
        Of the roof, m.
    """

    denominator: int
    middle: tuple[float, float]

    @property
    def scale(self) -> float:
        """Units of the sheet for a metre."""
        return 1000 * _PER_MM / self.denominator

    def page(self, xy: Floats) -> Floats:
        """Return positions (..., 2) on the sheet, y downwards, of positions in m."""
        left, top, right, bottom = PLAN
        offset = (xy - self.middle) * [self.scale, -self.scale]
        return np.asarray(np.add(offset, [(left + right) / 2, (top + bottom) / 2]))


def view_of(scene: Scene) -> View:
    """Return the largest usual scale at which the roof fits."""
    shapes = [scene.roof.outline, *(surface.polygon for surface in scene.roof.surfaces)]
    xy = shapely.get_coordinates(shapes)
    low, high = xy.min(axis=0), xy.max(axis=0)
    left, top, right, bottom = PLAN
    room = np.array([right - left, bottom - top]) - 2 * _DIMENSIONS
    least = float(((high - low) / room).max()) * 1000 * _PER_MM
    fitting = (scale for scale in _SCALES if scale >= least)
    x, y = (low + high) / 2
    return View(next(fitting, math.ceil(least / 500) * 500), (float(x), float(y)))
