"""Beam lost to shade, against a wall whose horizon is known and laws."""

import math

import numpy as np
import pytest

from kernels.horizon.levels import MISSING, Level
from kernels.position import apparent
from kernels.roof.layout.layout import lay_out
from kernels.roof.layout.rules import Module, Options, Rules
from kernels.roof.shade import row_horizon, shade_of
from kernels.sun import sun_table
from tests.kernels.roof.layout.scenes import shed

LAT, LON = 60.0, 10.0
ROOF = 6.0


def level(height_at, cell=0.5, half=60.0) -> Level:
    """Heights around the origin."""
    side = np.arange(-half, half + cell / 2, cell)
    x, y = np.meshgrid(side, side)
    return Level(np.asarray(height_at(x, y), np.float32), -half, -half, cell)


def wall_in_the_south(y0, height):
    return level(lambda x, y: np.where(y <= y0, ROOF + height, ROOF))


def at(*places):
    return np.array([(x, y, ROOF) for x, y in places], float)


def test_open_ground_takes_nothing():
    loss = shade_of(level(lambda x, y: np.full_like(x, ROOF)), LAT, LON)(at((0, 0), (10, -20)), 30, 180, [])
    assert loss == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(("tilt", "azimuth"), [(0, 0), (35, 180), (10, 90), (60, 250)])
def test_a_long_wall_takes_what_its_horizon_hides(tilt, azimuth):
    """Its elevation at an angle a from south is atan(h cos a / d), where it is met 0.1 m behind its face on average."""
    distance, height = 10.0, 6.0
    loss = shade_of(wall_in_the_south(-distance, height), LAT, LON, reach=58.0)(at((0, 0)), tilt, azimuth, [])[0, 0]
    sun = sun_table(1_735_689_600 + np.arange(0, 365 * 86_400, 1200))
    elevation, towards = apparent(sun, LAT, LON, 0.0)
    elevation, towards = elevation[elevation > 0], np.radians(towards[elevation > 0])
    ahead = -np.cos(towards)
    seen = np.degrees(np.arctan((height - 0.15) * ahead / (distance + 0.1)))
    hidden = (elevation < seen) & (distance / np.maximum(ahead, 1e-9) < 58)
    high, slope, facing = np.radians(elevation), math.radians(tilt), math.radians(azimuth)
    aims = np.cos(high) * math.sin(slope) * np.cos(towards - facing) + np.sin(high) * math.cos(slope)
    mass = 1 / (np.sin(high) + 0.50572 * (elevation + 6.07995) ** -1.6364)
    weight = np.maximum(aims, 0) * 0.7 ** (mass**0.678)
    assert loss == pytest.approx((weight * hidden).sum() / weight.sum(), abs=0.012)
    assert loss > 0.02


def test_loss_falls_with_distance_and_grows_with_height():
    points = at((0, 0), (0, 10), (0, 30))
    low, high = (shade_of(wall_in_the_south(-5, h), LAT, LON)(points, 30, 180, [])[0] for h in (3, 9))
    assert np.all(np.diff(low) < 0)
    assert np.all(high > low)
    assert np.all(high <= 1)


def test_what_stands_in_the_north_shades_no_south_roof():
    north = level(lambda x, y: np.where(y >= 5, ROOF + 10, ROOF))
    loss = shade_of(north, LAT, LON)(at((0, 0)), 45, 180, [])
    assert loss == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize("cell", [0.5, 1.0])
def test_a_gable_roof_does_not_shade_itself(cell):
    slope = math.tan(math.radians(35))
    roof = level(
        lambda x, y: np.where(np.maximum(np.abs(x) / 6, np.abs(y) / 5) <= 1, 6 + slope * (5 - np.abs(y)), 0), cell
    )
    points = np.array([(x, y, 6 + slope * (5 + y)) for x in (-4, 0, 4) for y in (-3.5, -2, -1)])
    assert shade_of(roof, LAT, LON)(points, 35, 180, [])[0] == pytest.approx(0, abs=0.01)


def test_the_sun_behind_far_terrain_is_lost_to_nothing_near():
    wall, place = wall_in_the_south(-20, 6), at((0, 0))
    alone = shade_of(wall, LAT, LON)(place, 30, 180, [])[0, 0]
    low, high = (shade_of(wall, LAT, LON, far=np.full(720, f))(place, 30, 180, [])[0, 0] for f in (8.0, 20.0))
    assert alone > low > high == pytest.approx(0, abs=1e-6)
    behind = np.where(np.abs(np.arange(720) / 2 - 180) < 90, 0.0, 20.0)
    assert shade_of(wall, LAT, LON, far=behind)(place, 30, 180, [])[0, 0] >= alone
    assert shade_of(wall, LAT, LON, far=np.full(720, 89.0))(place, 30, 180, [])[0, 0] == 0


def test_missing_heights_and_points_outside_take_nothing():
    nothing = level(lambda x, y: np.full_like(x, MISSING))
    assert shade_of(nothing, LAT, LON)(at((0, 0), (500, 500)), 20, 180, []).tolist() == [[0.0, 0.0]]
    assert shade_of(nothing, LAT, LON)(np.empty((0, 3)), 20, 180, []).size == 0


def test_the_horizon_of_a_row_is_that_of_its_upper_edge():
    horizon = row_horizon(tilt=30, azimuth=180, width=2.0, spacing=3.0)
    south, south_east, east = horizon[[36, 27, 18]]
    # its edge is 0.5 m above the middle of the next row's modules, and 3 - cos 30 = 2.13 m away
    assert south == pytest.approx(math.degrees(math.atan(0.5 / 2.134)), abs=0.01)
    assert south_east == pytest.approx(math.degrees(math.atan(0.5 / 2.134 / math.sqrt(2))), abs=0.01)
    assert east == horizon[0] == -90


def test_rows_that_stand_closer_lose_more():
    plain = shade_of(level(lambda x, y: np.full_like(x, ROOF)), LAT, LON)
    alone, *losses = plain(at((0, 0)), 10, 180, [row_horizon(10, 180, 1.134, d) for d in (1.2, 1.85, 4)])[:, 0]
    assert alone == 0
    assert losses[0] > 2 * losses[1] > 4 * losses[2]
    assert 0.02 < losses[0] < 0.06


def test_a_tree_beside_a_roof_costs_the_modules_near_it():
    roof = shed(12, 6, 20)
    slope = math.tan(math.radians(20))
    on_it = lambda x, y: (x >= 0) & (x <= 12) & (y >= 0) & (y <= 6)  # noqa: E731
    tree = lambda x, y: np.hypot(x - 13.5, y + 1.5) < 2.2  # noqa: E731
    heights = level(lambda x, y: np.where(on_it(x, y), 6 + y * slope, np.where(tree(x, y), 14.0, 0.0)))
    whole, shaded = (
        lay_out(roof, Module(), Options(), Rules(), latitude=LAT, shade=shade)
        for shade in (None, shade_of(heights, LAT, LON))
    )
    lost = whole.count - shaded.count
    assert 0 < lost < whole.count
    assert shaded.surfaces[0].lost_to_shade == lost
    assert shaded.surfaces[0].modules[:, :, 0].mean() < whole.surfaces[0].modules[:, :, 0].mean()
