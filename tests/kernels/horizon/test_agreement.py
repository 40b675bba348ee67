"""Both algorithms against the reference and against each other, on rough land and on real land."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.horizon import rays
from kernels.horizon.block import Piece
from kernels.horizon.lattice import Points
from kernels.horizon.levels import Level
from tests.kernels.horizon import land, reference
from tests.kernels.horizon.reference import AZIMUTHS, Floats

USUAL, RARE = 0.25, 0.75
"""Degrees: 95 % and 99.9 % of the azimuths."""


def all_three(
    levels: Sequence[Level],
    first: tuple[float, float],
    step: float,
    shape: tuple[int, int],
    reach: float,
    whole: Level | None = None,
) -> tuple[Floats, Floats, Floats]:
    """Elevations by rays, by block and of the reference, (points, 720)."""
    rows, columns = np.meshgrid(*(np.arange(n) for n in shape), indexing="ij")
    points = np.stack([first[0] + step * columns.ravel(), first[1] + step * rows.ravel()], axis=1)
    truths = reference.horizons(whole or levels[0], points, reach)
    assert all(truth is not None for truth in truths)
    together = Piece(levels, Points(*first, step, shape), reach=reach).block().elevation.reshape(720, -1).T
    finest = whole or levels[0]
    alone = [rays.profile(finest, x, y, reference.ground(finest, x, y) + 1.5, reach=reach).elevation for x, y in points]
    return np.array(alone), together.astype(np.float64), np.array([t.elevation for t in truths if t is not None])


def quantiles(elevation: Floats, truth: Floats) -> tuple[float, float]:
    usual, rare = np.quantile(np.abs(elevation - truth), (0.95, 0.999))
    return float(usual), float(rare)


def within_bounds(elevation: Floats, truth: Floats) -> bool:
    usual, rare = quantiles(elevation, truth)
    return usual <= USUAL and rare <= RARE


def hold_bounds(elevation: Floats, truth: Floats) -> None:
    assert within_bounds(elevation, truth), quantiles(elevation, truth)


@settings(max_examples=8)
@given(
    seed=st.integers(0, 10**6),
    slope=st.floats(0.02, 0.15),  # Oslo's hills have 0.14, Finse 0.15
    hurst=st.floats(0.75, 1.0),
    cell=st.sampled_from([20.0, 50.0]),
    lon=st.floats(5, 31),
)
def test_on_rough_land_rays_and_block_are_the_reference_within_the_bounds(
    seed: int, slope: float, hurst: float, cell: float, lon: float
) -> None:
    reach = 240 * cell
    x, y = (np.round(at / 100) * 100 for at in reference.UTM33(lon, 66.0))
    finest = Level(land.fractal((500, 500), seed, cell, slope, hurst), x - 249.5 * cell, y - 249.5 * cell, cell)
    alone, together, truth = all_three([finest, land.maxima(finest, 5)], (x - 100, y - 100), 100.0, (2, 2), reach)
    hold_bounds(alone, truth)
    hold_bounds(together, truth)
    hold_bounds(alone, together)


@settings(max_examples=2)
@given(seed=st.integers(0, 10**6), sea=st.floats(-100, 100))
def test_where_maxima_take_over_at_5_km_the_bounds_still_hold(seed: int, sea: float) -> None:
    z = np.maximum(land.fractal((2000, 2000), seed, 10.0, 0.12, 0.85) - sea, 0)
    whole = Level(z.astype(np.float32), 4e5 + 5, 6.7e6 + 5, 10.0)
    x, y = 4e5 + 1e4, 6.7e6 + 1e4
    middle = land.maxima(whole, 5)
    levels = [land.around(whole, x, y, 8e3, whole=25), middle, land.maxima(middle, 5)]
    alone, together, truth = all_three(levels, (x - 700, y - 700), 700.0, (2, 2), 9e3, whole)
    hold_bounds(alone, truth)
    hold_bounds(together, truth)


@pytest.mark.parametrize(("name", "cell", "reach"), [(land.OSLO, 50.0, 15e3), (land.FINSE, 100.0, 8e3)])
def test_on_real_land_both_are_the_reference_within_the_bounds(
    shared_data: Path, name: str, cell: float, reach: float
) -> None:
    finest = land.read(shared_data / "terrain" / name, cell)
    middle = tuple(o + cell * (n // 2) for o, n in zip((finest.x0, finest.y0), finest.z.shape[::-1], strict=True))
    levels = [finest, land.maxima(finest, 250 // int(cell) if cell == 50 else 3)]
    for first in ((middle[0], middle[1]), (middle[0] - 1500, middle[1] + 900)):
        alone, together, truth = all_three(levels, first, 100.0, (2, 3), reach)
        hold_bounds(alone, truth)
        hold_bounds(together, truth)
        hold_bounds(alone, together)


@pytest.mark.parametrize("way", ["block", "ray"])
def test_a_horizon_told_wrongly_leaves_the_bounds_on_real_land(shared_data: Path, way: str) -> None:
    """The bounds are tight enough to tell a wrong convention, and a shift by a bin from what is right."""
    finest = land.read(shared_data / "terrain" / land.OSLO, 50.0)
    levels, first = [finest, land.maxima(finest, 5)], (finest.x0 + 380 * 50, finest.y0 + 420 * 50)
    alone, together, truth = all_three(levels, first, 100.0, (2, 2), 15e3)
    elevation = together if way == "block" else alone
    gamma = reference.convergence(*first)
    mutants = {
        "counter-clockwise": np.roll(elevation[:, ::-1], 1, axis=1),
        "from the grid's north": np.roll(elevation, -round(2 * gamma), axis=1),
        "from the south": np.roll(elevation, 360, axis=1),
        "radians": np.radians(elevation),
        "zenith": 90 - elevation,
        "a metre too high": elevation - np.degrees(1 / 100),
    }
    hold_bounds(elevation, truth)
    kept = [name for name, told in mutants.items() if within_bounds(told, truth)]
    assert kept == []


@pytest.mark.parametrize("way", ["block", "ray"])
def test_a_direction_is_the_middle_of_its_half_degree(shared_data: Path, way: str) -> None:
    """The issue's bounds let a shift of a bin pass on smooth land: nearest it is to the truth of its own azimuth."""
    finest = land.read(shared_data / "terrain" / land.OSLO, 50.0)
    levels, (x, y) = [finest, land.maxima(finest, 5)], (finest.x0 + 380 * 50, finest.y0 + 420 * 50)
    alone, together, _ = all_three(levels, (x, y), 100.0, (1, 2), 15e3)
    elevation = (together if way == "block" else alone)[0]
    eye = reference.ground(finest, x, y) + 1.5
    shifts = (-0.5, -0.25, -0.125, 0.0, 0.125, 0.25, 0.5)
    truths = [reference.horizon(finest, x, y, eye, 15e3, AZIMUTHS + shift).elevation for shift in shifts]
    off = [float(np.mean(np.abs(elevation - truth))) for truth in truths]
    assert int(np.argmin(off)) == 3, off
    assert off[3] < 0.6 * min(off[1], off[5]), off


def test_two_tiles_say_the_same_of_a_point_on_their_seam(shared_data: Path) -> None:
    """Each takes its directions from true north in the middle of strips, which are 1.6 km apart."""
    whole = land.read(shared_data / "terrain" / land.OSLO, 50.0)
    x, y = (o + 50 * n / 2 for o, n in zip((whole.x0, whole.y0), whole.z.shape[::-1], strict=True))
    finest = land.around(whole, x, y, 45e3, whole=5)
    levels = [finest, land.maxima(finest, 5)]
    west, east = (Piece(levels, Points(x + off, y, 100.0, (64, 64)), reach=15e3).block() for off in (-6300, 0))
    np.testing.assert_array_equal(west.ground[:, 63], east.ground[:, 0])
    off = np.abs(west.elevation[:, :, 63] - east.elevation[:, :, 0])
    assert off.max() <= 0.1


def test_oslos_hills_rise_in_the_north_and_its_fjord_is_open_in_the_south(shared_data: Path) -> None:
    finest = land.read(shared_data / "terrain" / land.OSLO, 50.0)
    x, y = reference.UTM33(10.69, 59.902)  # Bygdoey, on the shore
    seen = rays.profile(finest, x, y, reference.ground(finest, x, y) + 1.5, reach=15e3)
    north, south = ((np.abs((AZIMUTHS - to + 180) % 360 - 180) < 30) for to in (0, 195))
    assert seen.elevation[north].mean() > seen.elevation[south].mean() + 1
    assert seen.elevation[north].max() > 2


def test_at_finse_the_glacier_stands_in_the_south(shared_data: Path) -> None:
    finest = land.read(shared_data / "terrain" / land.FINSE, 100.0)
    x, y = reference.UTM33(7.50, 60.602)
    seen = rays.profile(finest, x, y, reference.ground(finest, x, y) + 1.5, reach=10e3)
    south = (AZIMUTHS >= 175) & (AZIMUTHS <= 204)
    assert seen.elevation[south].min() > 4
    away, along = seen.distance[south], np.radians(AZIMUTHS[south] - reference.convergence(x, y))
    assert np.median(away) > 5000
    heights = [reference.ground(finest, x + d * np.sin(a), y + d * np.cos(a)) for d, a in zip(away, along, strict=True)]
    assert np.median(heights) > 1650
