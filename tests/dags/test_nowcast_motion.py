"""How clouds move: known motions are found, also where pixels are missing, and nothing is made of nothing."""

import numpy as np
import pytest

from dags.build.forecast.nowcast_motion import Scale, motion_of

LATS, LONS = np.arange(57, 67, 0.1), np.arange(0, 24, 0.1)
SCALE = Scale.of(LATS, LONS)
MOMENTS = [0.0, 900.0, 1800.0, 2700.0]


def skies(east_ms, north_ms, seed=0, noise=0.03):
    """Clear-sky indices of waves of 60-400 km that travel alike, on the kilometres of the middle of the image."""
    draw = np.random.default_rng(seed)
    length, heading, phase = 60 * (400 / 60) ** draw.random(30), 2 * np.pi * draw.random(30), 7 * draw.random(30)
    y, x = np.meshgrid(np.arange(LATS.size) * SCALE.row_km, np.arange(LONS.size) * SCALE.column_km, indexing="ij")
    images = []
    for moment in MOMENTS:
        east, north = x - east_ms * moment / 1000, y - north_ms * moment / 1000
        field = sum(
            np.cos(2 * np.pi / n * (east * np.cos(h) + north * np.sin(h)) + p)
            for n, h, p in zip(length, heading, phase, strict=True)
        )
        index = np.clip(0.6 + 0.1 * field, 0.1, 1.1) * (1 + noise * draw.standard_normal(field.shape))
        images.append(index.astype(np.float32))
    return images


def metres(motion):
    return motion.column_speed * SCALE.column_km * 1000, motion.row_speed * SCALE.row_km * 1000


@pytest.mark.parametrize(("east", "north"), [(10, 3), (-6, 9), (0, -14), (20, 0), (-2, -2)])
def test_a_known_motion_is_found(east, north):
    motion = motion_of(skies(east, north), MOMENTS, SCALE)
    assert motion.pairs == 3
    u, v = metres(motion)
    away = np.hypot(u - east, v - north)[5:-5, 10:-10] / np.hypot(east, north)
    assert np.median(away) < 0.05
    assert np.percentile(away, 95) < 0.15


def test_missing_pixels_do_not_move():
    images = skies(10, 3)
    for image in images:
        image[60:, :] = np.nan
        image[20:30, 50:60] = np.nan
    u, v = metres(motion_of(images, MOMENTS, SCALE))
    away = np.hypot(u - 10, v - 3)[5:58, 10:-10] / np.hypot(10, 3)
    assert np.median(away) < 0.05
    assert np.percentile(away, 95) < 0.3
    assert np.isfinite(u).all(), "what is not seen moves as its surroundings do"
    images[1][:] = np.nan
    assert motion_of(images, MOMENTS, SCALE).pairs == 1


def test_an_even_sky_and_a_single_image_do_not_move():
    even = [np.full((LATS.size, LONS.size), 0.5, np.float32)] * 4
    u, v = metres(motion_of(even, MOMENTS, SCALE))
    assert np.abs(u).max() == np.abs(v).max() == 0
    one = motion_of(skies(10, 3)[:1], MOMENTS[:1], SCALE)
    assert one.pairs == 0
    assert not one.row_speed.any()
