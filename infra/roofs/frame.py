"""A local frame of metres in true directions, and its way to the CRS of a file."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pyproj import CRS, Transformer

Floats = NDArray[np.float64]

WGS84 = 4326


class LocalFrame(NamedTuple):
    """Metres to true east and true north of a point, exact there and within 1 mm over 1 km.

    Parameters
    ----------
    to_file : Transformer
        From the frame to the file's CRS.
    lat, lon : float
        Of the point, degrees.
    convergence : float
        Bearing of the file's grid north from true north, degrees.
    """

    to_file: Any
    lat: float
    lon: float
    convergence: float

    @classmethod
    def at(cls, crs: Any, x: float, y: float) -> "LocalFrame":
        """Return the frame of a place in a CRS."""
        lon, lat = Transformer.from_crs(crs, WGS84, always_xy=True).transform(x, y)
        local = CRS.from_proj4(f"+proj=aeqd +lat_0={lat:.10f} +lon_0={lon:.10f} +ellps=GRS80 +units=m")
        to_file = Transformer.from_crs(local, crs, always_xy=True)
        step = 1e-4 if crs.is_geographic else 10.0
        east, north = to_file.transform([x, x], [y - step, y + step], direction="INVERSE")
        turn = float(np.degrees(np.arctan2(east[1] - east[0], north[1] - north[0])))
        return cls(to_file, float(lat), float(lon), turn)

    def local(self, xy: Floats) -> Floats:
        """Return places of the file, (n, 2), in the frame."""
        return np.column_stack(self.to_file.transform(xy[:, 0], xy[:, 1], direction="INVERSE"))

    def native(self, xy: Floats) -> Floats:
        """Return places of the frame, (n, 2), in the file's CRS."""
        return np.column_stack(self.to_file.transform(xy[:, 0], xy[:, 1]))

    def azimuth_grid(self, azimuth: float) -> float:
        """Return an azimuth from grid north."""
        return (azimuth - self.convergence) % 360
