"""Days reckoned by hand, from one state of the snow to the next."""

import re

import numpy as np
import pytest

from kernels.snow.cover import Cover, cover
from kernels.snow.days import day_at
from kernels.snow.panel import Panel
from tests.kernels.snow.winters import Floats, days, eight_hours, weather

Day = tuple[float, ...]
FALL, COLD, MILD = (10.0, 100.0, 200.0, -5.0), (0.0, 0.0, 200.0, -5.0), (0.0, 0.0, 200.0, 1.5)
RACK, LIGHT = Panel(30, "rack"), eight_hours()
SLIDE = 0.197 * 0.5 * 5
"""Of that rack in the cold: five hours, 11 to 16, are warmer than 3 K above the day's mean."""
SUN = 0.6 * 1.28
"""mm that the light melts."""
ONE = 1.0 + SUN
"""mm of water that is 1 mm after a day of light."""


def follow(
    *each: Day, panel: Panel = RACK, light: Floats = LIGHT, lon: float = 0.0, first: str = "2021-01-01"
) -> Cover:
    """Follow the snow where, by default, the sun's time is UTC."""
    return cover(days(len(each), first), weather(*each), light, panel, lon)


def test_snow_falls_slides_and_is_gone() -> None:
    """9.2 mm are left after the day it fell, then 0.5075 of 9.2 less the sun's, then less than 1 mm."""
    got = follow(FALL, COLD, COLD, COLD)
    np.testing.assert_allclose(got.coverage, [1, 1 - SLIDE, 0, 0], atol=1e-12)
    np.testing.assert_array_equal(got.loss, got.coverage)
    assert not got.missing.any()


@pytest.mark.parametrize(
    ("panel", "part", "lon", "wm2", "temp_air", "hours"),
    [
        (Panel(20, "rack"), 1.0, 0, 160, -5, 5),
        (Panel(20, "roof"), 0.55, 0, 160, -5, 5),
        (Panel(20, "flat"), 0.35, 0, 160, -5, 5),
        (Panel(10, "roof"), 0.55, 0, 160, -5, 5),
        # It is warmest at 14 of the sun; by UTC alone it would be 5 hours at 30 E, the wrong way round 3.
        (Panel(20, "roof"), 0.55, 30, 160, -5, 6),
        (Panel(20, "roof"), 0.55, 15, 160, -5, 6),
        (Panel(20, "roof"), 0.55, -30, 160, -5, 3),
        # At -2 degrees six hours are above 0; without light it is night; 320 W/m2 let it slide above -4.
        (Panel(5, "flat"), 0.35, 0, 0, -2, 0),
        (Panel(5, "flat"), 0.35, 0, 0.001, -2, 6),
        (Panel(5, "flat"), 0.35, 0, 320, -2, 8),
    ],
)
def test_snow_slides_by_mounting_and_tilt_in_warm_hours_with_light(
    panel: Panel, part: float, lon: float, wm2: float, temp_air: float, hours: int
) -> None:
    got = follow((60.0, *FALL[1:]), (*COLD[:3], temp_air), panel=panel, light=eight_hours(wm2), lon=lon)
    left = 1 - 0.197 * np.sin(np.radians(panel.tilt)) * part * hours
    np.testing.assert_allclose(got.coverage, [1, left], rtol=1e-12)


def test_each_month_has_its_own_light() -> None:
    """The light of March lets the snow of the last of February stay."""
    light = LIGHT * (np.arange(12) == 1)[:, None]
    got = follow(FALL, COLD, COLD, light=light, first="2021-02-27")
    np.testing.assert_allclose(got.coverage, [1, 1 - SLIDE, 1 - SLIDE], rtol=1e-12)
    np.testing.assert_allclose(got.loss, [1, 1 - SLIDE, 0], rtol=1e-12)


@pytest.mark.parametrize(("temp_air", "tilt", "water"), [(0.5, 30, ONE), (2.0, 30, ONE + 4.5), (0.5, 60, 2 * ONE)])
def test_snow_below_1_mm_is_gone(temp_air: float, tilt: float, water: float) -> None:
    """After what light melts, and 3 mm for each K above half a degree; of a steep plane's snow half stays."""
    for more, left in ((-1e-9, 0), (1e-9, 1)):
        assert follow((water + more, 100.0, 200.0, temp_air), panel=Panel(tilt)).coverage.tolist() == [left]


def test_water_goes_with_the_snow_that_slides() -> None:
    """Of 19.2 mm 7.1 are left by the day after, then none; if no water slid it would be 15.5, then 11.7."""
    got = follow((20.0, *FALL[1:]), MILD, MILD, panel=Panel(30))
    np.testing.assert_allclose(got.coverage, [1, 1 - 0.55 * 0.197 * 0.5 * 8, 0], rtol=1e-12)


@pytest.mark.parametrize(
    ("depth", "tilt", "covers"),
    [(9.9, 30, 0), (10, 30, 1), (10, 45, 1), (9.9, 60, 0), (10, 60, 0.5), (16, 60, 0.8), (20, 60, 1), (300, 90, 0)],
)
def test_new_snow_covers_what_stays_of_it_10_mm_deep(depth: float, tilt: float, covers: float) -> None:
    got = follow((40.0, depth, 400.0, -5.0), panel=Panel(tilt))
    np.testing.assert_allclose(got.coverage, covers, rtol=1e-12)


def test_new_snow_adds_to_the_old_and_does_not_slide() -> None:
    """On a rack with 0.5 left and 3.9 mm, 1 mm of water comes: together they outlast one day's sun, alone not."""
    little = (1.0, 20.0, 200.0, -5.0)
    np.testing.assert_allclose(follow(FALL, COLD, little, COLD).coverage, [1, 1 - SLIDE, 1, 1 - SLIDE], rtol=1e-12)
    assert not follow(little, COLD).coverage.any()
    assert follow(FALL, (1.0, 10.0, 200.0, -5.0), panel=Panel(60)).coverage.tolist() == [1, 1]


@pytest.mark.parametrize(("depth", "left"), [(10.0, 1 - SLIDE), (9.9, 0)])
def test_where_the_ground_is_bare_modules_are(depth: float, left: float) -> None:
    np.testing.assert_allclose(follow(FALL, (0.0, 0.0, depth, -5.0)).coverage[1], left, rtol=1e-12)


def test_a_day_without_weather_changes_nothing() -> None:
    """Not even where it has the depth of a burial, or rain: the day after goes on from the day before."""
    got = follow(FALL, COLD, (np.nan, 300.0, 900.0, 9.0), COLD, panel=Panel(30, "roof", burial_mm=500))
    np.testing.assert_allclose(got.coverage, 1 - 0.55 * SLIDE * np.array([0, 1, 1, 2]), rtol=1e-12)
    assert got.missing.tolist() == [False, False, True, False]


@pytest.mark.parametrize(
    ("depth", "tilt", "height", "part"),
    [(375, 30, 300, 0), (1000, 30, 300, 500 / 550), (1062.5, 30, 300, 1), (1000, 90, 250, 0.5), (376, 0, 300, 1)],
)
def test_snow_on_a_flat_roof_reaches_the_modules(depth: float, tilt: float, height: float, part: float) -> None:
    """0.8 of the ground's depth, before modules of 1.1 m from edge to edge."""
    got = follow((0.0, 0.0, depth, -5.0), panel=Panel(tilt, "flat", height))
    np.testing.assert_allclose(got.coverage, part, atol=1e-12)
    assert not follow((0.0, 0.0, depth, -5.0), panel=Panel(tilt, "rack", height)).coverage.any()


@pytest.mark.parametrize("mounting", ["roof", "rack", "flat"])
def test_snow_above_the_upper_edge_buries_all_and_leaves_snow_on_modules_as_it_is(mounting: str) -> None:
    panel = Panel(30, mounting, height_mm=2000, burial_mm=800)
    deep, less = (0.0, 0.0, 801.0, -5.0), (0.0, 0.0, 800.0, -5.0)
    assert follow(less, deep, less, panel=panel).coverage.tolist() == [0, 1, 0]
    free = panel._replace(burial_mm=None)
    got, unburied = (follow(FALL, deep, COLD, panel=one).coverage for one in (panel, free))
    assert got.tolist() == [1, 1, unburied[2]]


@pytest.mark.parametrize(("strings", "lost"), [(1, 1), (2, 1), (3, 2 / 3), (4, 3 / 4), (6, 4 / 6)])
def test_a_string_is_lost_as_soon_as_a_part_of_it_is_covered(strings: int, lost: float) -> None:
    """0.5075 are covered."""
    got = follow(FALL, COLD, panel=RACK._replace(strings=strings, loss_mode="strings"))
    np.testing.assert_allclose(got.loss, [1, lost], rtol=1e-12)


@pytest.mark.parametrize("last", [-1e-12, 0, 1e-12])
def test_a_whole_string_is_one(last: float) -> None:
    """A third in floating point, a little more or less."""
    depth = (300 + 1100 / 3 + last) / 0.8
    got = follow((0.0, 0.0, depth, -5.0), panel=Panel(90, "flat", strings=3, loss_mode="strings"))
    np.testing.assert_allclose(got.coverage, 1 / 3, rtol=1e-9)
    assert got.loss.tolist() == [1 / 3]


@pytest.mark.parametrize(
    ("dates", "light", "message"),
    [
        (days(2), LIGHT, "new_snow has shape"),
        (days(2) // 2 * 2, LIGHT, "2021-01-01 is followed by 2021-01-01"),
        (days(0), LIGHT, "no days"),
        (days(1).astype(float), LIGHT, "whole numbers"),
        (days(1), LIGHT.T, "(24, 12), not (12, 24)"),
        *((days(1), eight_hours(wrong), "at least 0 W/m2") for wrong in (-1.0, np.nan, np.inf)),
    ],
)
def test_what_does_not_belong_together_is_refused(dates: np.ndarray, light: Floats, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        cover(dates, weather(FALL), light, RACK, 0.0)


def test_a_day_runs_from_06_to_06_utc() -> None:
    six = int(np.datetime64("2026-12-11T06:00:00", "s").astype(np.int64))
    day = int(np.datetime64("2026-12-11").astype(np.int64))
    assert day_at(np.array([six - 1, six, six + 86_399, six + 86_400])).tolist() == [day - 1, day, day, day + 1]
    assert day_at(six) == day
