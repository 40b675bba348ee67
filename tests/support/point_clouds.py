"""Point clouds in LAZ."""

from pathlib import Path
from typing import Any

import laspy
import numpy as np
from numpy.typing import ArrayLike
from pyproj import CRS


def write_cloud(
    path: Path,
    x: Any,
    y: Any,
    z: Any,
    kind: ArrayLike,
    *,
    number: ArrayLike = 1,
    epsg: int = 25833,
    gps_time: Any = None,
) -> Path:  # fmt: skip
    """Write points with their classes and return numbers."""
    header = laspy.LasHeader(point_format=6, version="1.4")
    header.add_crs(CRS.from_epsg(epsg))
    header.offsets, header.scales = [*np.floor((np.mean(x), np.mean(y))), 0], [0.001] * 3
    cloud = laspy.LasData(header)
    cloud.x, cloud.y, cloud.z, cloud.classification = x, y, z, kind
    cloud.return_number = np.broadcast_to(number, len(x))
    cloud.number_of_returns = np.maximum(cloud.return_number, np.max(number))
    if gps_time is not None:
        header.global_encoding.gps_time_type = laspy.header.GpsTimeType.STANDARD
        cloud.gps_time = np.full(len(x), gps_time)
    # the parallel one waits in loops while other processes work
    cloud.write(path, laz_backend=laspy.LazBackend.Lazrs)
    return path
