"""Days reckoned by hand, from one state of the snow to the next."""

import numpy as np
import pytest

from kernels.snow.cover import Cover, cover
from kernels.snow.panel import Panel
from tests.kernels.snow.winters import NORTH_OF_ALL, days, eight_hours, weather

FALL, COLD, MILD = (10.0, 100.0, 200.0, -5.0), (0.0, 0.0, 200.0, -5.0), (0.0, 0.0, 200.0, 2.0)
NAN = np.nan

SLIDE = 0.197 * 0.5 * 5
"""Of a rack at 30 degrees in the cold: five hours, 11 to 16, are warmer than 3 K above the day's mean."""
SUN = 0.6 * 1.28
"""mm that the light melts."""


def follow(
    *each: tuple[float, ...], panel: Panel | None = None, lon: float = NORTH_OF_ALL, first: str = "2021-01-01"
) -> Cover:
    panel = panel or Panel(30, "rack")
    return cover(days(len(each), first), weather(*each), eight_hours(), panel, lon)


def test_snow_falls_slides_and_is_gone() -> None:
    """9.2 mm are left after the day it fell, then 0.5075 of 9.2 less the sun's, then less than 1 mm."""
    got = follow(FALL, COLD, COLD, COLD)
    np.testing.assert_allclose(got.coverage, [1, 1 - SLIDE, 0, 0], atol=1e-12)
    np.testing.assert_array_equal(got.loss, got.coverage)
    assert not got.missing.any()


@pytest.mark.parametrize(("mounting", "part"), [("rack", 1.0), ("roof", 0.55), ("flat", 0.35)])
def test_it_slides_less_on_roofs(mounting: str, part: float) -> None:
    got = follow(FALL, COLD, panel=Panel(30, mounting))
    np.testing.assert_allclose(got.coverage[1], 1 - part * SLIDE, rtol=1e-12)


def test_steeper_planes_lose_it_faster() -> None:
    got = follow((30.0, *FALL[1:]), COLD, panel=Panel(10, "roof"))
    np.testing.assert_allclose(got.coverage[1], 1 - 0.197 * np.sin(np.radians(10)) * 0.55 * 5, rtol=1e-12)


@pytest.mark.parametrize(("lon", "hours"), [(0.0, 5), (30.0, 6), (15.0, 6), (-30.0, 3)])
def test_the_day_is_warmest_at_14_of_the_sun_in_the_middle_of_hours(lon: float, hours: int) -> None:
    """By UTC alone it would be 5 hours at 30 E; the wrong way round 3; by the beginnings of hours 4 at 0 E."""
    got = follow(FALL, COLD, panel=Panel(20, "roof"), lon=lon)
    np.testing.assert_allclose(got.coverage[1], 1 - 0.197 * np.sin(np.radians(20)) * 0.55 * hours, rtol=1e-12)


@pytest.mark.parametrize(("wm2", "hours"), [(0.0, 0), (0.001, 6), (320.0, 8)])
def test_snow_slides_by_light_and_in_daylight_alone(wm2: float, hours: int) -> None:
    """At -2 degrees six hours are above 0; without light it is night; 320 W/m2 let it slide above -4."""
    light = eight_hours(wm2)
    series = weather((60.0, *FALL[1:]), (0.0, 0.0, 200.0, -2.0))
    got = cover(days(2), series, light, Panel(5, "flat"), 0.0)
    np.testing.assert_allclose(got.coverage[1], 1 - 0.197 * np.sin(np.radians(5)) * 0.35 * hours, rtol=1e-12)


def test_each_month_has_its_own_light() -> None:
    """The light of March lets the snow of the last of February stay."""
    light = np.zeros((12, 24))
    light[1] = eight_hours()[1]
    got = cover(days(3, "2021-02-27"), weather(FALL, COLD, COLD), light, Panel(30, "rack"), 0.0)
    np.testing.assert_allclose(got.coverage, [1, 1 - SLIDE, 1 - SLIDE], rtol=1e-12)
    np.testing.assert_allclose(got.loss, [1, 1 - SLIDE, 0], rtol=1e-12)


@pytest.mark.parametrize(("water", "left"), [(1.0 + SUN - 1e-9, 0), (1.0 + SUN + 1e-9, 1)])
def test_light_melts_it_and_below_1_mm_it_is_gone(water: float, left: float) -> None:
    assert follow((water, 100.0, 200.0, 0.5)).coverage.tolist() == [left]


@pytest.mark.parametrize(("water", "left"), [(1.0 + SUN + 4.5 - 1e-9, 0), (1.0 + SUN + 4.5 + 1e-9, 1)])
def test_warmth_melts_3_mm_for_each_k_above_half_a_degree(water: float, left: float) -> None:
    assert follow((water, 100.0, 200.0, 2.0)).coverage.tolist() == [left]


def test_water_goes_with_the_snow_that_slides() -> None:
    """Of 19.2 mm 7.1 are left by the day after, then none; if no water slid it would be 15.5, then 11.7."""
    left = 1 - 0.55 * 0.197 * 0.5 * 8
    melt = SUN + 3 * 1.0
    first = 20.0 - SUN
    assert first * left - melt > 1 > (first * left - melt) * (2 * left - 1) / left - melt
    warm = (0.0, 0.0, 200.0, 1.5)
    got = follow((20.0, 100.0, 200.0, -5.0), warm, warm, panel=Panel(30))
    np.testing.assert_allclose(got.coverage, [1, left, 0], rtol=1e-12)


@pytest.mark.parametrize(("depth", "tilt", "covers"), [(9.9, 30, 0), (10, 60, 1), (19.9, 60.1, 0), (20, 60.1, 1)])
def test_how_much_new_snow_covers(depth: float, tilt: float, covers: float) -> None:
    assert follow((10.0, depth, 200.0, -5.0), panel=Panel(tilt)).coverage.tolist() == [covers]


def test_new_snow_covers_all_again_adds_its_water_and_does_not_slide() -> None:
    """On a rack with 0.5 left and 3.9 mm, 1 mm of water comes: together they outlast one day's sun, alone not."""
    got = follow(FALL, COLD, (1.0, 20.0, 200.0, -5.0), COLD)
    np.testing.assert_allclose(got.coverage, [1, 1 - SLIDE, 1, 1 - SLIDE], rtol=1e-12)
    assert follow((1.0, 20.0, 200.0, -5.0), COLD).coverage.tolist() == [0, 0]


@pytest.mark.parametrize(("depth", "left"), [(10.0, 1 - SLIDE), (9.9, 0)])
def test_where_the_ground_is_bare_modules_are(depth: float, left: float) -> None:
    np.testing.assert_allclose(follow(FALL, (0.0, 0.0, depth, -5.0)).coverage[1], left, rtol=1e-12)


@pytest.mark.parametrize("which", range(4))
def test_a_day_without_weather_changes_nothing(which: int) -> None:
    """Not even where it has the depth of a burial, or rain: the day after goes on from the day before."""
    lost = [5.0, 300.0, 900.0, 9.0]
    lost[which] = NAN
    slide = 0.55 * SLIDE
    got = follow(FALL, COLD, tuple(lost), COLD, panel=Panel(30, "roof", burial_mm=500))
    np.testing.assert_allclose(got.coverage, [1, 1 - slide, 1 - slide, 1 - 2 * slide], rtol=1e-12)
    assert got.missing.tolist() == [False, False, True, False]


@pytest.mark.parametrize(
    ("depth", "tilt", "height", "part"),
    [
        (375, 30, 300, 0),
        (1000, 30, 300, 500 / 550),
        (1062.5, 30, 300, 1),
        (1000, 90, 250, 0.5),
        (376, 0, 300, 1),
        (375, 0, 300, 0),
    ],
)
def test_snow_on_a_flat_roof_reaches_the_modules(depth: float, tilt: float, height: float, part: float) -> None:
    """0.8 of the ground's depth, before modules of 1.1 m from edge to edge."""
    got = follow((0.0, 0.0, depth, -5.0), panel=Panel(tilt, "flat", height_mm=height))
    np.testing.assert_allclose(got.coverage, part, rtol=1e-12)
    assert follow((0.0, 0.0, depth, -5.0), panel=Panel(tilt, "roof", height_mm=height)).coverage.tolist() == [0]


@pytest.mark.parametrize("mounting", ["roof", "rack", "flat"])
def test_snow_above_the_upper_edge_buries_all(mounting: str) -> None:
    panel = Panel(45, mounting, height_mm=2000, burial_mm=800)
    got = follow((0.0, 0.0, 800.0, -5.0), (0.0, 0.0, 801.0, -5.0), (0.0, 0.0, 700.0, -5.0), panel=panel)
    assert got.coverage.tolist() == [0, 1, 0]


def test_a_burial_leaves_the_snow_on_the_modules_as_it_is() -> None:
    deep = (0.0, 0.0, 900.0, -5.0)
    panel = Panel(30, "rack", burial_mm=800)
    np.testing.assert_allclose(follow(FALL, deep, COLD, panel=panel).coverage, [1, 1, 0], rtol=1e-12)
    np.testing.assert_allclose(follow(FALL, deep, panel=Panel(30, "rack")).coverage, [1, 1 - SLIDE], rtol=1e-12)


@pytest.mark.parametrize(("strings", "lost"), [(1, 1), (2, 1), (3, 2 / 3), (4, 3 / 4), (6, 4 / 6)])
def test_a_string_is_lost_as_soon_as_a_part_of_it_is_covered(strings: int, lost: float) -> None:
    """0.5075 are covered."""
    got = follow(FALL, COLD, panel=Panel(30, "rack", strings=strings, loss_mode="strings"))
    np.testing.assert_allclose(got.loss, [1, lost], rtol=1e-12)


def test_a_whole_string_is_one() -> None:
    """A third in floating point, a little more or less."""
    for last in (-1e-12, 0, 1e-12):
        depth = (300 + 1100 / 3 + last) / 0.8
        got = follow((0.0, 0.0, depth, -5.0), panel=Panel(90, "flat", strings=3, loss_mode="strings"))
        np.testing.assert_allclose(got.coverage, 1 / 3, rtol=1e-9)
        assert got.loss.tolist() == [1 / 3]


def test_in_a_polar_night_there_is_nothing_to_lose() -> None:
    light = eight_hours()
    light[[10, 11, 0]] = 0.0
    snow = (10.0, 100.0, 500.0, -5.0)
    got = cover(days(120, "2021-11-01"), weather(*[snow] * 120), light, Panel(30, strings=2, loss_mode="strings"), 19.0)
    night = np.arange(120) < 92
    assert got.coverage.tolist() == [1] * 120
    np.testing.assert_array_equal(got.loss, np.where(night, 0.0, 1.0))


def test_snow_in_summer_covers_too_and_is_soon_gone() -> None:
    summer = (12.0, 90.0, 60.0, 1.0), (0.0, 0.0, 30.0, 5.0), (0.0, 0.0, 0.0, 9.0)
    got = follow(*summer, first="2021-07-10", panel=Panel(30))
    assert got.coverage.tolist() == [1, 0, 0]
    assert got.loss.tolist() == [1, 0, 0]


def test_what_does_not_belong_together_is_refused() -> None:
    one, light, panel = weather(FALL), eight_hours(), Panel(30)
    with pytest.raises(ValueError, match="new_snow has shape"):
        cover(days(2), one, light, panel, 0.0)
    with pytest.raises(ValueError, match="2021-01-01 is followed by 2021-01-01"):
        cover(days(2) // 2 * 2, weather(FALL, COLD), light, panel, 0.0)
    with pytest.raises(ValueError, match="no days"):
        cover(days(0), weather(), light, panel, 0.0)
    with pytest.raises(ValueError, match="whole numbers"):
        cover(days(1).astype(float), one, light, panel, 0.0)
    with pytest.raises(ValueError, match=r"\(24, 12\), not \(12, 24\)"):
        cover(days(1), one, light.T, panel, 0.0)
    for wrong in (-1.0, NAN, np.inf):
        with pytest.raises(ValueError, match="at least 0 W/m2"):
            cover(days(1), one, np.where(light > 0, wrong, 0), panel, 0.0)
