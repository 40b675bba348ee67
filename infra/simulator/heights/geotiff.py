"""A GeoTIFF of float32 heights.

As the real service's, it has no tag for nodata: `NODATA` stands in the cells themselves.
"""

import numpy as np
import rasterio
from numpy.typing import NDArray

NODATA = np.float32(-3.4028235e38)


def encode(z: NDArray[np.float32], west: float, north: float, cell: float, *, epsg: int, date: str) -> bytes:
    """Return a file.

    Parameters
    ----------
    z : float32 (rows, columns)
        m, row 0 in the south; NaN is written as `NODATA`.
    west, north : float
        Corner of the file's first cell, m.
    cell : float
        m.
    epsg : int
        Of a projected coordinate system.
    date : str
        `2021:07:01 12:00:00`.
    """
    rows, columns = z.shape
    with rasterio.MemoryFile() as memory:
        with memory.open(
            driver="GTiff",
            width=columns,
            height=rows,
            count=1,
            dtype="float32",
            crs=f"EPSG:{epsg}",
            transform=rasterio.Affine(cell, 0, west, 0, -cell, north),
            blockysize=rows,
        ) as file:
            file.write(np.where(np.isnan(z), NODATA, z)[::-1].astype(np.float32), 1)
            file.update_tags(
                TIFFTAG_DATETIME=date, TIFFTAG_IMAGEDESCRIPTION="SIMULATED heights", data_origin="simulated"
            )
        return bytes(memory.getbuffer())
