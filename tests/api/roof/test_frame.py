"""The local frame: areas and azimuths are those on the ground."""

import numpy as np
import pytest
from pyproj import Geod
from shapely import Polygon

from api.roof.frame import Frame
from kernels import utm

GEOD = Geod(ellps="GRS80")


@pytest.mark.parametrize("azimuth", [0.0, 30.0, 77.0, 170.0])
@pytest.mark.parametrize(("lat", "lon"), [(70.1, 31.0), (60.4, 5.3), (59.9, 10.7)])
def test_a_roof_of_200_m2_keeps_area_and_azimuth_wherever_it_is(lat: float, lon: float, azimuth: float) -> None:
    frame, corners = Frame.at(lat, lon), [(lon, lat)]
    for turn, side in ((0, 20), (90, 10), (180, 20)):
        east, north, _ = GEOD.fwd(*corners[-1], azimuth + turn, side)
        corners.append((east, north))
    lons, lats = np.array(corners).T
    local = frame.into(np.column_stack(utm.forward(lats, lons)))
    assert Polygon(local).area == pytest.approx(200, rel=0.005)
    east, north = local[1] - local[0]
    off = np.degrees(np.arctan2(east, north)) - azimuth
    assert abs((off + 180) % 360 - 180) < 0.5
    assert frame.lonlat(local) == pytest.approx(np.array(corners), abs=1e-8)


def test_a_raster_of_the_map_lies_where_its_cells_are() -> None:
    frame = Frame.at(70.1, 31.0)
    axes = frame.raster(frame.x + 3, frame.y - 5, 0.5)
    at = frame.into([frame.x + 3 + 4 * 0.5, frame.y - 5 + 7 * 0.5])
    assert axes[:2] + 4 * axes[2:4] + 7 * axes[4:] == pytest.approx(at)
