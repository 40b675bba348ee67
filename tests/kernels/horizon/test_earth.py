"""The round earth and the map: against PROJ and the sphere."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyproj import Proj, Transformer

from kernels.horizon import earth
from kernels.horizon.samples import far_distances, room, smooth_distances

UTM33 = Transformer.from_crs("EPSG:4258", "EPSG:25833", always_xy=True)


@given(lat=st.floats(57, 72), lon=st.floats(4, 32))
def test_north_and_scale_of_the_map_are_those_of_proj(lat: float, lon: float) -> None:
    factors = Proj("EPSG:25833").get_factors(lon, lat)
    x, y = UTM33.transform(lon, lat)
    assert float(earth.scale(x, y)) == pytest.approx(factors.meridional_scale, abs=3e-5)
    # PROJ counts the meridian's bearing on the map, we the map's north on the ground
    assert abs(float(earth.convergence(x, y))) == pytest.approx(abs(factors.meridian_convergence), abs=1e-6)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ((59.91, 10.75), -3.7),
        ((60.39, 5.32), -8.5),
        ((63.43, 10.39), -4.1),
        ((69.65, 18.96), 3.7),
        ((70.0, 30.0), 14.1),
    ],
)
def test_the_maps_north_at_towns(place: tuple[float, float], expected: float) -> None:
    x, y = UTM33.transform(place[1], place[0])
    assert float(earth.convergence(x, y)) == pytest.approx(expected, abs=0.15)


@pytest.mark.parametrize(("km", "drop"), [(1, 0.07), (10, 6.8), (20, 27), (50, 171), (100, 683), (150, 1536)])
def test_what_is_far_seems_lower(km: float, drop: float) -> None:
    assert pytest.approx(drop, rel=0.03) == earth.DROP * (km * 1e3) ** 2


@given(eye=st.floats(0, 2500))
def test_the_seas_horizon_is_the_highest_that_the_sea_shows(eye: float) -> None:
    d = np.geomspace(10, 400e3, 4000)
    assert float(earth.sea_dip(eye)) == pytest.approx(
        math.degrees(math.atan((-eye / d - earth.DROP * d).max())), abs=1e-3
    )


@given(
    bearing=st.floats(0, 2 * math.pi), u=st.floats(0, 0.999), v=st.floats(0, 0.999), cell=st.sampled_from([10.0, 50.0])
)
def test_a_ray_is_sampled_at_every_crease_nearby_and_never_far_apart(
    bearing: float, u: float, v: float, cell: float
) -> None:
    found = room()
    east, north = math.sin(bearing), math.cos(bearing)
    count = smooth_distances(east, north, u, v, cell, 1.5, 15_000.0, math.inf, found)
    d = np.sort(found[:count])
    assert d[0] == 1.5
    assert d[-1] == 15_000
    # 1 % of the distance, or half a cell; between creases, the half of what lies between two of them
    wide = np.diff(d) > np.maximum(0.5 * cell + 1e-6, 0.0105 * d[1:]) + 0.25 * cell
    assert not wide.any(), (bearing, u, v, cell, d[:-1][wide], d[1:][wide])
    for start, step in ((u, east), (v, north)):
        if abs(step) < 1e-3:
            continue
        lines = [k * cell for k in range(-30, 31) if k != 0 or start == 0]
        for line in lines:
            away = (line - start * cell) / step
            if 1.6 < away < 24.3 * cell:
                assert np.abs(d - away).min() < 1e-6 * away


def test_a_ray_over_coarse_cells_takes_steps_of_a_cell_or_a_hundredth() -> None:
    found = room()
    d = found[: far_distances(250.0, 20_000.0, 100_000.0, found)]
    assert d[0] == 20_000
    assert d[-1] == 100_000
    assert np.allclose(np.diff(d[:-1]), np.maximum(250, 0.01 * d[:-2]))
