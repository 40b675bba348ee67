"""Heights in a raster that may be turned and scaled against the local frame."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Field(NamedTuple):
    """Heights of cells.

    Parameters
    ----------
    z : float64 (rows, columns)
        Of the surface at the cells' centres, m; NaN where it is not known.
    ground : float64 (rows, columns)
        Of the terrain.
    axes : float64 (6,)
        x and y of the first cell's centre; of a step to the next column; of a step to the next row, m.
    """

    z: Floats
    ground: Floats
    axes: Floats

    @property
    def area(self) -> float:
        """Of a cell, m2."""
        return float(abs(self.axes[2] * self.axes[5] - self.axes[3] * self.axes[4]))

    @property
    def cell(self) -> float:
        """Side of a cell, m."""
        return float(np.sqrt(self.area))

    def positions(self) -> tuple[Floats, Floats]:
        """Return x and y of the cells' centres, (rows, columns), m."""
        rows, columns = self.z.shape
        i, j = np.arange(rows)[:, None], np.arange(columns)[None, :]
        x0, y0, xj, yj, xi, yi = self.axes
        return x0 + j * xj + i * xi, y0 + j * yj + i * yi

    def at(self, cells: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return x and y of cells by their flat indices, m."""
        i, j = np.divmod(cells, self.z.shape[1])
        x0, y0, xj, yj, xi, yi = self.axes
        return x0 + j * xj + i * xi, y0 + j * yj + i * yi

    def cells(self, places: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return row and column of the cells that hold places (n, 2) or (2,), which may be beyond the raster."""
        columns, rows = np.rint((places - self.axes[:2]) @ np.linalg.inv(self.axes[2:].reshape(2, 2))).T.astype(int)
        return rows, columns

    def off(self, plane: Floats, cells: NDArray[np.int64]) -> Floats:
        """Return how far above a plane cells are by their flat indices, m along its normal."""
        x, y = self.at(cells)
        up = self.z.ravel()[cells] - plane[0] * x - plane[1] * y - plane[2]
        return np.asarray(up / np.sqrt(1 + plane[0] ** 2 + plane[1] ** 2))

    def slopes(self, by_column: Floats, by_row: Floats) -> tuple[Floats, Floats]:
        """Return dz/dx and dz/dy from rises by column and by row."""
        _, _, xj, yj, xi, yi = self.axes
        across = xj * yi - yj * xi
        return (by_column * yi - by_row * yj) / across, (by_row * xj - by_column * xi) / across
