"""The grids of the simulated models: the real domains and projections, at an honest coarser spacing.

A grid starts at the real domain's south-western centre and takes every so many kilometres from there, so with
a spacing that is a multiple of the real one each of its centres is a centre of the real grid.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyproj import Proj

Doubles = NDArray[np.float64]

RADIUS = 6_371_000.0
REAL_DEGREES = 0.05
"""Spacing of the satellites' real grids."""
_DEGREES = (REAL_DEGREES, 0.1, 0.2, 0.25, 0.4, 0.5, 0.8, 1.0)


def degrees(spacing_km: float) -> float:
    """Return a spacing that divides 80: the coarsest not coarser than km / 100, and never finer than the real one."""
    return max((step for step in _DEGREES if step <= spacing_km / 100), default=REAL_DEGREES)


@dataclass(frozen=True)
class Domain:
    """A model's real grid in Lambert's projection with one standard parallel.

    Parameters
    ----------
    parallel, longitude : float
        Of the projection, degrees.
    x0, y0 : float
        The south-western centre, m.
    spacing_m : float
    nx, ny : int
    """

    parallel: float
    longitude: float
    x0: float
    y0: float
    spacing_m: float
    nx: int
    ny: int

    @property
    def proj4(self) -> str:
        """The projection."""
        p = f"{self.parallel:g}"
        return f"+proj=lcc +lat_0={p} +lon_0={self.longitude:g} +lat_1={p} +lat_2={p} +no_defs +R={RADIUS:g}"

    @cached_property
    def project(self) -> Proj:
        """Gives x and y of longitude and latitude."""
        return Proj(self.proj4)

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

    def positions(self, x: NDArray[Any], y: NDArray[Any]) -> tuple[Doubles, Doubles]:
        """Return latitude and longitude of the cells of two axes, degrees, (ny, nx)."""
        lon, lat = self.project(*np.meshgrid(x, y), inverse=True)
        return np.asarray(lat, dtype=np.float64), np.asarray(lon, dtype=np.float64)


MET_NORDIC = Domain(63.0, 15.0, x0=-897_442.2, y0=-1_104_322.0, spacing_m=1000, nx=1796, ny=2321)
AROME_METCOOP = Domain(63.0, 15.0, x0=-922_442.2, y0=-1_129_321.8, spacing_m=2500, nx=739, ny=949)
# The part of the real grid (889 x 1489 cells of 3 km from x 778360.9, y -1270477) that holds 57-71.5 N, 4-31.5 E.
NORA3 = Domain(66.3, -42.0, 778_360.9 + 236 * 3000, -1_270_477.0 + 407 * 3000, spacing_m=3000, nx=653, ny=664)
