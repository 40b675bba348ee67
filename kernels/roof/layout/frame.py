"""Coordinates along and across the rows of modules, measured on the roof."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Frame:
    """Coordinates (u, v) of a roof's plane: u along the rows, v to their left, m on the roof.

    Parameters
    ----------
    axes : float64 (2, 2)
        That turn (east, north) in plan into (u, v).
    """

    axes: Floats

    @classmethod
    def level(cls, row_azimuth: float) -> "Frame":
        """Return the frame of a level roof with rows in a direction, degrees clockwise from north."""
        east, north = math.sin(math.radians(row_azimuth)), math.cos(math.radians(row_azimuth))
        return cls(np.array([[east, north], [-north, east]]))

    @classmethod
    def sloping(cls, tilt: float, azimuth: float) -> "Frame":
        """Return the frame of a plane with rows along its horizontal; v is up the slope."""
        stretch = np.array([[1.0], [1 / math.cos(math.radians(tilt))]])
        return cls(cls.level(azimuth - 90).axes * stretch)

    def turned(self, angle: float) -> "Frame":
        """Return this frame with rows turned on the roof, degrees from u towards v."""
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        return Frame(np.array([[c, s], [-s, c]]) @ self.axes)

    @property
    def row_azimuth(self) -> float:
        """Direction of the rows in plan, degrees clockwise from north, 0 to 180."""
        east, north = np.linalg.inv(self.axes)[:, 0]
        return math.degrees(math.atan2(east, north)) % 180

    def skew(self, row_azimuth: float) -> float:
        """Return how far a direction in plan is from u or v, whichever is nearer, degrees from -45 to 45."""
        angle = math.radians(row_azimuth)
        u, v = self.axes @ np.array([math.sin(angle), math.cos(angle)])
        return (math.degrees(math.atan2(v, u)) + 45) % 90 - 45

    def into(self, shape: Any) -> Any:
        """Return a shapely geometry in plan in this frame."""
        return shapely.transform(shape, lambda points: points @ self.axes.T)

    def plan(self, shape: Any) -> Any:
        """Return a shapely geometry of this frame in plan."""
        return shapely.transform(shape, self.points)

    def points(self, places: Floats) -> Floats:
        """Return points (..., 2) of this frame in plan."""
        in_plan: Floats = places @ np.linalg.inv(self.axes).T
        return in_plan
