"""The ground of the simulated land, a function of position in UTM 33 alone."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyproj import Transformer

from infra.simulator.relief import ground

Axis = NDArray[np.floating[Any]]
Heights = NDArray[np.float32]


def heights(x: Axis, y: Axis, cell: float) -> Heights:
    """Return the ground over a grid.

    Parameters
    ----------
    x, y : float64 (columns,), (rows,)
        m in UTM 33.
    cell : float
        What is finer than this is left out, m.

    Returns
    -------
    float32 (rows, columns), m above sea, NaN where there is no data.
    """
    to_degrees = Transformer.from_crs(25833, 4258, always_xy=True)
    lon, lat = to_degrees.transform(*np.meshgrid(x, y))
    flat = ground(np.asarray(lat).ravel(), np.asarray(lon).ravel())
    z = flat.altitude.reshape(len(y), len(x))
    return np.where(z > 1.0, z, np.nan).astype(np.float32)
