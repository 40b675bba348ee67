"""Local frame of a roof: metres to true east and north of a point; areas and azimuths are those on the ground."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernels import utm
from kernels.horizon import earth

Points = NDArray[np.float64]


class Frame(NamedTuple):
    """A local frame.

    Parameters
    ----------
    x, y : float
        Its origin, m in UTM 33.
    scale : float
        Metres of the map for a metre on the ground.
    turn : float
        Bearing of grid north from true north, radians.
    """

    x: float
    y: float
    scale: float
    turn: float

    @classmethod
    def at(cls, lat: float, lon: float) -> "Frame":
        """Return the frame of a point, degrees."""
        x, y = map(float, utm.forward(lat, lon))
        return cls(x, y, float(earth.scale(x, y)), float(np.radians(earth.convergence(x, y))))

    @property
    def axes(self) -> Points:
        """Steps of one metre of the map to grid east and north (rows), in the frame."""
        cosine, sine = np.cos(self.turn), np.sin(self.turn)
        return np.array([[cosine, -sine], [sine, cosine]]) / self.scale

    def into(self, points: ArrayLike) -> Points:
        """Return places (..., 2) in UTM 33 in the frame."""
        found: Points = (np.asarray(points, np.float64) - (self.x, self.y)) @ self.axes
        return found

    def utm(self, points: ArrayLike) -> Points:
        """Return places (..., 2) of the frame in UTM 33."""
        found: Points = np.asarray(points, np.float64) @ np.linalg.inv(self.axes) + (self.x, self.y)
        return found

    def lonlat(self, points: ArrayLike) -> Points:
        """Return places (..., 2) of the frame as longitude and latitude, degrees."""
        at = self.utm(points)
        lat, lon = utm.inverse(at[..., 0], at[..., 1])
        return np.stack([lon, lat], axis=-1)

    def raster(self, x0: float, y0: float, cell: float) -> Points:
        """Return the axes of a `Field` for a raster of UTM 33 with its first cell's centre there."""
        return np.concatenate([self.into([x0, y0]), cell * self.axes[0], cell * self.axes[1]])
