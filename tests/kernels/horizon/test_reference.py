"""The references against one another, and against what is known without them."""

import math
from functools import cache

import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator

from kernels.horizon.levels import MISSING, Level
from tests.kernels.horizon import land, peaks, reference


@cache
def truth_of(scene: peaks.Scene) -> reference.Truth:
    return reference.horizon(scene.terrain(), *scene.observer, scene.eye, 1.02 * scene.distance)


@pytest.mark.parametrize("scene", peaks.SCENES, ids=str)
def test_a_ray_sees_a_peak_where_and_as_high_as_the_sphere_has_it(scene: peaks.Scene) -> None:
    truth = truth_of(scene)
    assert peaks.agrees(peaks.seen(truth.elevation), scene.expected())
    assert truth.distance[scene.bin] == pytest.approx(scene.distance, rel=0.005)


@pytest.mark.parametrize("scene", peaks.SCENES[::5], ids=str)
@pytest.mark.parametrize("mutant", peaks.MUTANTS)
def test_a_peak_told_wrongly_is_noticed(scene: peaks.Scene, mutant: str) -> None:
    truth = truth_of(scene)
    assert not peaks.agrees(peaks.seen(truth.elevation), peaks.MUTANTS[mutant](scene))


@pytest.mark.parametrize("scene", [s for s in peaks.SCENES if s.distance > 100e3], ids=str)
@pytest.mark.parametrize("mutant", peaks.FAR_MUTANTS)
def test_a_peak_told_without_the_earths_shape_is_noticed(scene: peaks.Scene, mutant: str) -> None:
    assert not peaks.agrees(peaks.FAR_MUTANTS[mutant](scene), scene.expected())


def test_projs_convergence_is_the_bearing_of_a_small_step_along_the_grid() -> None:
    for lat, lon in peaks.PLACES.values():
        x, y = reference.UTM33(lon, lat)
        lon2, lat2 = reference.UTM33(x, y + 100, inverse=True)
        bearing, _, _ = reference.GEOD.inv(lon, lat, lon2, lat2)
        assert reference.convergence(x, y) == pytest.approx(bearing, abs=0.001)


def test_heights_between_centres_are_scipys() -> None:
    rng = np.random.default_rng(1)
    z, points = rng.normal(size=(7, 9)), rng.uniform((1000, 2000), (1000 + 8 * 30, 2000 + 6 * 30), size=(200, 2))
    level = Level(z, 1000.0, 2000.0, 30.0)
    ours = [reference.ground(level, *point) for point in points]
    scipys = RegularGridInterpolator((2000 + 30.0 * np.arange(7), 1000 + 30.0 * np.arange(9)), z)(points[:, ::-1])
    np.testing.assert_allclose(ours, scipys, atol=1e-9)


def test_a_ray_is_the_highest_of_its_samples() -> None:
    rng = np.random.default_rng(2)
    z = rng.normal(0, 30, size=(60, 60))
    level = Level(z, 0.0, 0.0, 50.0)
    truth = reference.horizon(level, 1475, 1475, 40.0, 1400, turned=10.0)
    azimuth = np.radians(reference.AZIMUTHS - 10)
    d = np.arange(1.5, 1400.1)
    x, y = 1475 + d * np.sin(azimuth[:, None]), 1475 + d * np.cos(azimuth[:, None])
    heights = RegularGridInterpolator((50.0 * np.arange(60), 50.0 * np.arange(60)), z)((y, x))
    tangents = (heights - 40 - 0.87 * d**2 / (2 * 6_371_000)) / d
    np.testing.assert_allclose(truth.elevation, np.degrees(np.arctan(tangents.max(1))), atol=1e-9)
    np.testing.assert_allclose(truth.distance, d[tangents.argmax(1)])


def test_a_ray_ends_where_data_end_and_says_how_far_it_came() -> None:
    z = np.zeros((200, 200), dtype=np.float32)
    z[:, 150:] = MISSING
    truth = reference.horizon(Level(z, 0.0, 0.0, 50.0), 5000, 5000, 2.0, 4000, turned=0.0)
    assert truth.looked[180] == pytest.approx(149 * 50 - 5000, abs=1)
    assert truth.looked[540] == truth.looked[0] == 4000
    nothing = reference.horizon(Level(z, 0.0, 0.0, 50.0), 8000, 5000, 2.0, 4000, turned=0.0)
    assert np.isnan(nothing.elevation).all()
    assert (nothing.looked == 0).all()
    assert math.isnan(reference.ground(Level(z, 0.0, 0.0, 50.0), 8000, 5000))


def test_tangent_and_sphere_agree_within_a_hundredth_of_a_degree() -> None:
    d = np.array([1e3, 1e4, 1e5, 1.5e5])
    tangent = np.degrees(np.arctan((2000 - 10 - 0.87 * d**2 / (2 * 6_371_000)) / d))
    np.testing.assert_allclose(reference.exact_elevation(d, 2000.0, 10.0), tangent, atol=0.01)


def test_a_level_of_maxima_holds_the_highest_of_its_cells() -> None:
    fine = Level(land.fractal((23, 31), 3, 50.0, 0.2), 1025.0, 2025.0, 50.0)
    coarse = land.maxima(fine, 5)
    assert (coarse.z.shape, coarse.x0, coarse.y0, coarse.cell) == ((4, 6), 1125.0, 2125.0, 250.0)
    assert coarse.z[1, 2] == fine.z[5:10, 10:15].max()
