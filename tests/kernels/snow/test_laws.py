"""Laws of the daily model, whatever the winter."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.snow.cover import Cover, SnowWeather, cover
from kernels.snow.panel import Panel
from tests.kernels.snow.winters import (
    DAYS,
    FIRSTS,
    LONGITUDES,
    TILTS,
    Floats,
    days,
    eight_hours,
    joined,
    lights,
    weather,
)

EXACT = 1e-12
MOUNTINGS = st.sampled_from(["roof", "rack", "flat"])
PANELS = st.builds(
    Panel,
    tilt=TILTS,
    mounting=MOUNTINGS,
    height_mm=st.sampled_from([0.0, 300.0, 1000.0]),
    strings=st.integers(1, 6),
    loss_mode=st.sampled_from(["linear", "strings"]),
    burial_mm=st.sampled_from([None, 0.0, 500.0, 2000.0]),
)
BARE = (0.0, 0.0, 0.0, 5.0)


def follow(series: SnowWeather, light: Floats, panel: Panel, lon: float = 10.0, first: str = "2021-01-20") -> Cover:
    return cover(days(series.new_snow.size, first), series, light, panel, lon)


def no_more(less: NDArray[np.float64], more: NDArray[np.float64]) -> bool:
    return bool((less <= more + EXACT).all())


@given(series=DAYS, light=lights(), panel=PANELS, lon=LONGITUDES, first=FIRSTS)
def test_a_part_is_a_part(series: SnowWeather, light: Floats, panel: Panel, lon: float, first: str) -> None:
    got = follow(series, light, panel, lon, first)
    for part in (got.coverage, got.loss):
        assert ((part >= 0) & (part <= 1)).all()
    assert not got.missing.any()


@given(series=DAYS, light=lights(), panel=PANELS, tilts=st.tuples(TILTS, TILTS))
def test_more_tilt_never_loses_more(
    series: SnowWeather, light: Floats, panel: Panel, tilts: tuple[float, float]
) -> None:
    level, steep = (follow(series, light, panel._replace(tilt=tilt)) for tilt in sorted(tilts))
    assert no_more(steep.coverage, level.coverage)
    assert no_more(steep.loss, level.loss)


@given(series=DAYS, light=lights(), panel=PANELS)
def test_strings_lose_at_least_what_is_covered(series: SnowWeather, light: Floats, panel: Panel) -> None:
    linear, strings = (follow(series, light, panel._replace(loss_mode=mode)) for mode in ("linear", "strings"))
    np.testing.assert_array_equal(linear.coverage, strings.coverage)
    assert (linear.loss <= strings.loss + 1e-9).all()
    one = follow(series, light, panel._replace(loss_mode="strings", strings=1))
    assert no_more(strings.loss, one.loss)


@given(series=DAYS, light=lights(), panel=PANELS)
def test_racks_lose_least_and_flat_roofs_most(series: SnowWeather, light: Floats, panel: Panel) -> None:
    high = panel._replace(height_mm=1e6)
    rack, roof, flat = (follow(series, light, high._replace(mounting=name)).loss for name in ("rack", "roof", "flat"))
    assert no_more(rack, roof)
    assert no_more(roof, flat)


@given(series=DAYS, light=lights(), panel=PANELS, heights=st.tuples(st.floats(0, 3000), st.floats(0, 3000)))
def test_the_higher_the_less_is_buried(
    series: SnowWeather, light: Floats, panel: Panel, heights: tuple[float, float]
) -> None:
    low, high = sorted(heights)
    flat = panel._replace(mounting="flat")
    above, below = (follow(series, light, flat._replace(height_mm=mm)).coverage for mm in (high, low))
    assert no_more(above, below)
    above, below = (follow(series, light, panel._replace(burial_mm=mm)).coverage for mm in (high, low))
    assert no_more(above, below)


@given(series=DAYS, light=lights(), panel=PANELS)
def test_no_snow_no_loss(series: SnowWeather, light: Floats, panel: Panel) -> None:
    """Neither new nor as deep as the modules."""
    bare = series._replace(new_snow_depth=np.minimum(series.new_snow_depth, 9.9), snow_depth=0 * series.snow_depth)
    assert follow(bare, light, panel).loss.tolist() == [0] * bare.new_snow.size
    old = series._replace(new_snow_depth=0 * series.new_snow_depth)
    assert not follow(old, light, panel._replace(mounting="roof", burial_mm=None)).coverage.any()


@given(before=DAYS, after=DAYS, light=lights(), panel=PANELS)
def test_a_series_can_be_split_at_a_bare_day(
    before: SnowWeather, after: SnowWeather, light: Floats, panel: Panel
) -> None:
    before = joined(before, weather(BARE))
    whole = joined(before, after)
    size, at = whole.new_snow.size, before.new_snow.size
    first = days(size)
    got = cover(first, whole, light, panel, 10.0)
    alone = cover(first[at:], after, light, panel, 10.0)
    assert got.coverage[at - 1] == 0
    np.testing.assert_array_equal(got.coverage[at:], alone.coverage)
    np.testing.assert_array_equal(got.loss[at:], alone.loss)


def test_a_series_cannot_be_split_elsewhere() -> None:
    """So that the law above says something."""
    series = weather((20.0, 100.0, 200.0, -5.0), (0.0, 0.0, 200.0, -5.0))
    second = SnowWeather(*(values[1:] for values in series))
    assert follow(series, eight_hours(), Panel(30)).coverage[1] > 0.7
    assert follow(second, eight_hours(), Panel(30)).coverage[0] == 0


@given(series=DAYS, light=lights(), panel=PANELS, times=st.floats(1, 20))
def test_more_light_never_loses_more(series: SnowWeather, light: Floats, panel: Panel, times: float) -> None:
    dull, bright = follow(series, light, panel), follow(series, times * light, panel)
    assert no_more(bright.coverage, dull.coverage)
    assert no_more(bright.loss, dull.loss)


@given(series=DAYS, light=lights(), panel=PANELS, warmer=st.floats(0, 20))
def test_warmth_never_loses_more(series: SnowWeather, light: Floats, panel: Panel, warmer: float) -> None:
    cold, warm = follow(series, light, panel), follow(series._replace(temp_air=series.temp_air + warmer), light, panel)
    assert no_more(warm.loss, cold.loss)


@given(series=DAYS, light=lights(), panel=PANELS, lost=st.lists(st.tuples(st.integers(0, 39), st.integers(0, 3))))
def test_missing_days_keep_the_state(
    series: SnowWeather, light: Floats, panel: Panel, lost: list[tuple[int, int]]
) -> None:
    """The others are as if those were not in the series; in those the snow is that of the day before."""
    size = series.new_snow.size
    gappy = SnowWeather(*(values.copy() for values in series))
    for day, which in lost:
        gappy[which][day % size] = np.nan
    panel = panel._replace(mounting="rack", burial_mm=None)
    dates = days(size, "2021-01-20")
    got = cover(dates, gappy, light, panel, 10.0)
    known = ~np.isnan(np.stack(gappy)).any(axis=0)
    np.testing.assert_array_equal(got.missing, ~known)
    assert not np.isnan([got.coverage, got.loss]).any()
    before = np.concatenate([[0.0], got.coverage[:-1]])
    np.testing.assert_array_equal(got.coverage[~known], before[~known])
    if known.any():
        rest = SnowWeather(*(values[known] for values in series))
        np.testing.assert_array_equal(got.coverage[known], cover(dates[known], rest, light, panel, 10.0).coverage)


@given(series=DAYS, panel=PANELS)
def test_without_light_nothing_is_lost(series: SnowWeather, panel: Panel) -> None:
    got = follow(series, np.zeros((12, 24)), panel)
    assert not got.loss.any()
    assert not np.isnan(got.coverage).any()
