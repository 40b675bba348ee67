"""What is proven of the sampling: of the surface itself nothing is made higher, and of maxima nothing is moved far."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import maximum_filter, minimum_filter

from kernels.horizon.levels import Level, displacement
from tests.kernels.horizon import land, reference
from tests.kernels.horizon.reference import AZIMUTHS, Floats
from tests.kernels.horizon.seeing import EYE, WAYS
from tests.kernels.horizon.test_laws import NORTH, land_around

ways = pytest.mark.parametrize("way", WAYS)
SAG = (1 - reference.REFRACTION) / (2 * reference.EARTH_RADIUS)


@pytest.mark.slow
@ways
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), slope=st.floats(0.02, 0.5), hurst=st.floats(0.5, 1.0))
def test_on_the_surface_itself_no_horizon_is_higher_than_the_truth(
    way: str, seed: int, slope: float, hurst: float
) -> None:
    """Every sample lies on the ray and on the surface, so their highest cannot be above the surface's."""
    level = land_around(land.fractal((185, 185), seed, 50.0, slope, hurst))
    seen = WAYS[way]([level], 5e5, NORTH, 4000)
    eye = reference.ground(level, 5e5, NORTH) + EYE
    truth = reference.horizon(level, 5e5, NORTH, eye, 4000, step=0.1)
    assert (seen.elevation - truth.elevation).max() < 0.02


def moved(level: Level, x: float, y: float, reach: float) -> tuple[Floats, Floats]:
    """The horizons of the land worn down and piled up as far as `displacement` says, degrees.

    In squares, not circles, and wider by a cell, within which the surface runs from centre to centre.
    """
    east, north = (f(np.radians(AZIMUTHS - reference.convergence(x, y))) for f in (np.sin, np.cos))
    lowest, highest = np.full(720, -np.inf), np.full(720, -np.inf)
    every = np.arange(10.0, 1.05 * reach, level.cell / 4)
    width = np.array([int(displacement(level.cell, d, coarse=True) / level.cell) + 2 for d in every])
    for wide in np.unique(width):
        worn, piled = (f(level.z, 2 * wide + 1) for f in (minimum_filter, maximum_filter))
        for d in every[width == wide]:
            i = np.rint((y + d * north - level.y0) / level.cell).astype(int)
            j = np.rint((x + d * east - level.x0) / level.cell).astype(int)
            by = displacement(level.cell, d, coarse=True) / 2
            away = np.array([[max(d - by, 1.5)], [d + by]])
            if d + by < reach:
                lowest = np.maximum(lowest, ((worn[i, j] - EYE) / away - SAG * away).min(0))
            highest = np.maximum(highest, ((piled[i, j] - EYE) / away - SAG * away).max(0))
    return np.degrees(np.arctan(lowest)), np.degrees(np.arctan(highest))


@ways
@settings(max_examples=3)
@given(seed=st.integers(0, 10**6), slope=st.floats(0.05, 0.3))
def test_a_horizon_lies_between_those_of_the_land_worn_down_and_piled_up(way: str, seed: int, slope: float) -> None:
    """Mountains from 5 km away on, seen over the sea: near by nearly any height could count."""
    level = land_around(land.fractal((1005, 1005), seed, 20.0, slope), 20.0)
    far = np.hypot(*np.meshgrid(*(np.arange(1005) - 502,) * 2)) * 20
    level.z[:] = np.where(far < 5000, 0, np.maximum(level.z, 0))
    near = land.around(level, 5e5, NORTH, 5000, whole=5)
    levels = [near, land.maxima(level, 5)] if way == "block" else [level]
    seen = WAYS[way](levels, 5e5, NORTH, 8500).elevation
    low, high = moved(level, 5e5, NORTH, 8500)
    assert (seen - low).min() > -0.01
    assert (seen - high).max() < 0.01
    turned = np.roll(seen, 20)
    assert (turned < low).any()
    assert (turned > high).any()
