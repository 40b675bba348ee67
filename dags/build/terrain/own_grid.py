"""A coarse file's heights in its own cells, stored beside the levels.

Samples of 10 m round off the creases of a bilinear surface whose cells lie askew to ours, by up to a metre: who stands
beside one sees the horizon degrees off. So those that look at the land near by read the file's own cells.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import zarr
from numpy.typing import NDArray
from rasterio import Affine
from rasterio.crs import CRS
from rasterio.io import DatasetReader
from rasterio.windows import Window

from tiles.store import Store

FROM_M = 36.0
"""Of sources with smaller cells the samples are dense enough."""
_FOLDER = "terrain_sources"
_CHUNK = 512


class OwnGrid(NamedTuple):
    """Heights in a source's own cells.

    Parameters
    ----------
    z : array (rows, columns)
        m, NaN where the source has none; sliced where it is read.
    transform, crs : of rasterio
    """

    z: Any
    transform: Affine
    crs: CRS


def described(digest: str, model: DatasetReader) -> dict[str, Any]:
    """Return what the provenance says of a file's own grid."""
    return {
        "crs": model.crs.to_wkt(),
        "transform": list(model.transform)[:6],
        "rows": model.height,
        "columns": model.width,
        "heights": f"{_FOLDER}/{digest}.zarr",
    }


def write(store: Store, key: str, shape: tuple[int, int], read: Callable[[Window], NDArray[np.float32]]) -> None:
    """Store heights, unless they are there.

    Parameters
    ----------
    store : Store
    key : str
        As `described` tells it.
    shape : (int, int)
    read : callable
        Returns the heights of a window, m.
    """
    done = f"{key}/complete"
    if store.exists(done):
        return
    # several processes may write the same bytes at once: so none deletes what is there
    z = zarr.open_array(
        store.zarr(key), mode="a", shape=shape, chunks=(_CHUNK, _CHUNK), dtype="float32", fill_value=np.nan
    )
    rows, columns = shape
    for first in range(0, rows, _CHUNK):
        z[first : first + _CHUNK] = read(Window(0, first, columns, min(_CHUNK, rows - first)))
    store.put(done, b"")


def read(store: Store, grid: Mapping[str, Any]) -> OwnGrid:
    """Return what was stored of a grid, as `described` tells it."""
    z = zarr.open_array(store.zarr(grid["heights"], read_only=True), mode="r")
    return OwnGrid(z, Affine(*grid["transform"]), CRS.from_user_input(grid["crs"]))
