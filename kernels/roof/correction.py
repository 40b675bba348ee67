"""The tilt of unsure planes from an image, where the heights fit it as well."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import shapely
from numpy.typing import NDArray

from kernels.roof.field import Field
from kernels.roof.roof import Plane, Surface

SURE = 0.7
"""Confidence from which the heights' plane stays as it is."""

_OFF = 3.0  # degrees: less is within what a confidence counts as right
_AS_WELL = 1.1  # times the standard deviation of the present plane
_NOISE_M = 0.05  # of heights, below which deviations say nothing


def corrected(field: Field, surfaces: Sequence[Surface], tilt: float) -> tuple[tuple[Surface, ...], tuple[int, ...]]:
    """Return surfaces, pitched ones of low confidence with the tilt of an image, and the numbers of those.

    Parameters
    ----------
    field : Field
    surfaces : sequence of Surface
    tilt : float
        Degrees.

    Notes
    -----
    The plane turns about the mean of its cells and keeps its azimuth. It counts only where the cells' standard
    deviation from it is at most 1.1 times that from the present plane, or 0.055 m. An image that is 3 degrees off a
    sure pitched plane corrects none.
    """
    if any(one.confidence >= SURE and not one.is_flat and abs(tilt - one.plane.tilt) > _OFF for one in surfaces):
        return tuple(surfaces), ()
    found = tuple(one if (plane := _tilted(field, one, tilt)) is None else replace(one, plane=plane)
                  for one in surfaces)  # fmt: skip
    return found, tuple(new.number for old, new in zip(surfaces, found, strict=True) if new is not old)


def _tilted(field: Field, surface: Surface, tilt: float) -> Plane | None:
    """Return the plane of a surface with another tilt; None where the present one stays."""
    own = surface.plane
    if surface.is_flat or surface.confidence >= SURE or abs(tilt - own.tilt) <= _OFF:
        return None
    x, y = field.positions()
    mine = shapely.contains_xy(surface.polygon, x, y) & np.isfinite(field.z)
    if not mine.any():
        return None
    x, y, z = x[mine], y[mine], field.z[mine]
    steeper = math.tan(math.radians(tilt)) / math.hypot(own.a, own.b)
    a, b = own.a * steeper, own.b * steeper
    new = Plane(a, b, float(np.mean(z - a * x - b * y)))
    as_it_is = own._replace(c=float(np.mean(z - own.a * x - own.b * y)))
    least = max(_deviation(as_it_is, x, y, z), _NOISE_M)
    return new if _deviation(new, x, y, z) <= _AS_WELL * least else None


def _deviation(plane: Plane, x: NDArray[np.float64], y: NDArray[np.float64], z: NDArray[np.float64]) -> float:
    """Return the standard deviation of heights from a plane, m."""
    return float(np.sqrt(np.mean((z - plane.a * x - plane.b * y - plane.c) ** 2))) / plane.stretch
