"""Both algorithms against the reference, on rough land and on real land."""

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
from tests.kernels.horizon.seeing import EYE, WAYS

BOUNDS = 0.25, 0.75
"""Degrees: 95 % and 99.9 % of the azimuths."""


def assert_both_agree(levels: Sequence[Level], points: Points, reach: float, whole: Level) -> None:
    """Rays look at the whole land, blocks at its levels."""
    at = [(points.x + points.step * j, points.y + points.step * i) for i, j in np.ndindex(*points.shape)]
    truth = np.array([t.elevation for t in reference.horizons(whole, at, reach) if t is not None])
    alone = [rays.profile(whole, x, y, reference.ground(whole, x, y) + EYE, reach=reach).elevation for x, y in at]
    together = Piece(levels, points, reach=reach).block().elevation.reshape(720, -1).T
    for found in (np.array(alone), together.astype(np.float64)):
        off = np.abs(found - truth)
        assert (np.quantile(off, (0.95, 0.999)) <= BOUNDS).all()


@settings(max_examples=8)
@given(
    seed=st.integers(0, 10**6),
    slope=st.floats(0.02, 0.15),  # Oslo's hills have 0.14, Finse 0.15
    hurst=st.floats(0.75, 1.0),
    cell=st.sampled_from([20.0, 50.0]),
    lon=st.floats(5, 31),
)
def test_rays_and_block_are_the_reference_on_rough_land(
    seed: int, slope: float, hurst: float, cell: float, lon: float
) -> None:
    x, y = (np.round(at / 100) * 100 for at in reference.UTM33(lon, 66.0))
    finest = Level(land.fractal((500, 500), seed, cell, slope, hurst), x - 249.5 * cell, y - 249.5 * cell, cell)
    assert_both_agree(land.pyramid(finest), Points(x - 100, y - 100, 100.0, (2, 2)), 240 * cell, finest)


@settings(max_examples=2)
@given(seed=st.integers(0, 10**6), sea=st.floats(-100, 100))
def test_rays_and_block_are_the_reference_where_maxima_take_over_at_5_km(seed: int, sea: float) -> None:
    z = np.maximum(land.fractal((2000, 2000), seed, 10.0, 0.12, 0.85) - sea, 0)
    whole = Level(z.astype(np.float32), 4e5 + 5, 6.7e6 + 5, 10.0)
    x, y = 4e5 + 1e4, 6.7e6 + 1e4
    levels = [land.around(whole, x, y, 8e3, whole=25), *land.pyramid(land.maxima(whole, 5))]
    assert_both_agree(levels, Points(x - 700, y - 700, 700.0, (2, 2)), 9e3, whole)


@pytest.mark.parametrize(("name", "cell", "factor", "reach"), [(land.OSLO, 50.0, 5, 15e3), (land.FINSE, 100.0, 3, 8e3)])
def test_rays_and_block_are_the_reference_on_real_land(
    shared_data: Path, name: str, cell: float, factor: int, reach: float
) -> None:
    finest = land.read(shared_data / "terrain" / name, cell)
    x, y = (o + cell * (n // 2) for o, n in zip((finest.x0, finest.y0), finest.z.shape[::-1], strict=True))
    for first in ((x, y), (x - 1500, y + 900)):
        assert_both_agree(land.pyramid(finest, factor), Points(*first, 100.0, (2, 3)), reach, finest)


def test_two_tiles_say_the_same_of_a_point_on_their_seam(shared_data: Path) -> None:
    """Each takes its directions from true north in the middle of strips, which are 1.6 km apart."""
    whole = land.read(shared_data / "terrain" / land.OSLO, 50.0)
    x, y = (o + 50 * n / 2 for o, n in zip((whole.x0, whole.y0), whole.z.shape[::-1], strict=True))
    levels = land.pyramid(land.around(whole, x, y, 45e3, whole=5))
    west, east = (Piece(levels, Points(x + off, y, 100.0, (64, 64)), reach=15e3).block() for off in (-6300, 0))
    np.testing.assert_array_equal(west.ground[:, 63], east.ground[:, 0])
    np.testing.assert_allclose(west.elevation[:, :, 63], east.elevation[:, :, 0], atol=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), slope=st.floats(0.02, 0.5), hurst=st.floats(0.5, 1.0))
def test_no_horizon_over_the_surface_itself_is_higher_than_the_truth(
    way: str, seed: int, slope: float, hurst: float
) -> None:
    """Every sample lies on the ray and on the surface, so their highest cannot be above the surface's."""
    level = land.land_around(land.fractal((185, 185), seed, 50.0, slope, hurst))
    seen = WAYS[way]([level], 5e5, land.NORTH, 4000)
    eye = reference.ground(level, 5e5, land.NORTH) + EYE
    truth = reference.horizon(level, 5e5, land.NORTH, eye, 4000, step=0.1)
    assert (seen.elevation - truth.elevation).max() < 0.02
