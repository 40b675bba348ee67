"""A peak at a known geodesic azimuth and distance over the curved earth: both algorithms find it there."""

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from kernels.horizon.levels import Level
from tests.kernels.horizon import land, reference
from tests.kernels.horizon.reference import Floats
from tests.kernels.horizon.seeing import EYE, WAYS, Seen

PLACES = {"Bergen": (60.39, 5.32), "Oslo": (59.91, 10.75), "Tromso": (69.65, 18.96), "Vadso": (70.07, 29.75)}
HEIGHTS = {5e3: 600.0, 30e3: 1500.0, 90e3: 2500.0, 140e3: 4000.0}


class Scene(NamedTuple):
    """An observer on the shore and a peak so far away, m, whose azimuth is that of a bin: a ray meets the tip."""

    place: str
    distance: float
    azimuth: float


SCENES = [
    Scene(place, distance, (67.5 * (4 * i + k) + turn) % 360)
    for i, place in enumerate(PLACES)
    for k, (distance, turn) in enumerate(zip(HEIGHTS, (3.0, 11.5, 20.0, 40.5), strict=True))
]


@cache
def terrain(scene: Scene) -> tuple[tuple[float, float], Level]:
    """The observer's position, and a cone in the sea."""
    place, distance = PLACES[scene.place], scene.distance
    observer, peak = reference.placed(*place, 0.0, 0.0), reference.placed(*place, scene.azimuth, distance)
    return observer, land.cone_over_sea(observer, peak, HEIGHTS[distance], 0.3, 10.0 if distance < 10e3 else 50.0)


def look(way: str, scene: Scene, reach: float) -> Seen:
    """Rays look at one level; blocks at the finest near by, and farther off at maxima of 5 x 5 cells."""
    observer, whole = terrain(scene)
    near = land.around(whole, *observer, min(15e3, 1.2 * scene.distance), whole=5)
    return WAYS[way]([near, land.maxima(whole, 5)] if way == "block" else [whole], *observer, reach)


def peak_of(elevation: Floats) -> tuple[float, float]:
    """Azimuth half way between the flanks of the only peak, and its height, degrees."""
    e = np.maximum(np.nan_to_num(elevation, nan=-90), 0)
    top = int(e.argmax())
    e = np.roll(e, 360 - top)
    half = e[360] / 2

    def flank(side: Floats) -> float:
        n = int(np.argmax(side < half))
        return float(n - 1 + (side[n - 1] - half) / (side[n - 1] - side[n]))

    return (top + (flank(e[360:]) - flank(e[360::-1])) / 2) / 2, float(e[360])


@pytest.mark.parametrize("scene", SCENES, ids=str)
@pytest.mark.parametrize("way", WAYS)
def test_peak_stands_where_and_as_high_as_the_sphere_has_it(scene: Scene, way: str) -> None:
    """Within a quarter of a bin, a twentieth of a degree of elevation and 2 % of the distance."""
    seen = look(way, scene, 1.02 * scene.distance + 500)
    azimuth, elevation = peak_of(seen.elevation)
    assert abs((azimuth - scene.azimuth + 180) % 360 - 180) <= 0.125
    expected = reference.exact_elevation(scene.distance, HEIGHTS[scene.distance], EYE)
    assert elevation == pytest.approx(float(expected), abs=0.05)
    assert seen.distance[round(2 * scene.azimuth)] == pytest.approx(scene.distance, rel=0.02)


@pytest.mark.parametrize("way", WAYS)
def test_what_lies_beyond_the_reach_is_not_seen(way: str) -> None:
    assert look(way, SCENES[1], 20e3).elevation.max() < 0.01
