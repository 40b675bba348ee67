"""The grids of the simulated models: the real domains and projections, at an honest coarser spacing.

A grid starts at the real domain's south-western centre and takes every so many kilometres from there, so with
a spacing that is a multiple of the real one each of its centres is a centre of the real grid.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pyproj import Proj

Doubles = NDArray[np.float64]

RADIUS = 6_371_000.0
LATITUDE, LONGITUDE = 63.0, 15.0
PROJ4 = "+proj=lcc +lat_0=63 +lon_0=15 +lat_1=63 +lat_2=63 +no_defs +R=6.371e+06"


@dataclass(frozen=True)
class Domain:
    """A model's real grid: the south-western centre in the projection's metres, the spacing and the size."""

    x0: float
    y0: float
    spacing_m: float
    nx: int
    ny: int

    def axes(self, spacing_km: float) -> tuple[Doubles, Doubles]:
        """Return x and y of the cell centres, ascending, m.

        Parameters
        ----------
        spacing_km : float
            The spacing wished for; never finer than the real grid's.
        """
        step = max(spacing_km * 1000, self.spacing_m)
        columns = int((self.nx - 1) * self.spacing_m // step) + 1
        rows = int((self.ny - 1) * self.spacing_m // step) + 1
        x = self.x0 + step * np.arange(columns, dtype=np.float64)
        return x, self.y0 + step * np.arange(rows, dtype=np.float64)


MET_NORDIC = Domain(x0=-897_442.2, y0=-1_104_322.0, spacing_m=1000, nx=1796, ny=2321)
AROME_METCOOP = Domain(x0=-922_442.2, y0=-1_129_321.8, spacing_m=2500, nx=739, ny=949)


def positions(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """Return latitude and longitude of the cells of two axes, degrees, (ny, nx)."""
    lon, lat = Proj(PROJ4)(*np.meshgrid(x, y), inverse=True)
    return np.asarray(lat, dtype=np.float64), np.asarray(lon, dtype=np.float64)
