"""Laws of the daily model, whatever the winter."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kernels.snow.days import SnowWeather
from tests.kernels.snow.winters import DAYS, TILTS, WINTERS, Winter, weather

FIRSTS = st.sampled_from(["2020-01-15", "2020-02-10", "2021-03-20", "2021-06-01", "2021-11-25"])


@given(winter=WINTERS, lon=st.floats(4, 32), first=FIRSTS)
def test_coverage_and_loss_are_parts_of_one(winter: Winter, lon: float, first: str) -> None:
    got = winter.cover(lon, first)
    assert ((np.stack(got[:2]) >= 0) & (np.stack(got[:2]) <= 1)).all()
    assert not got.missing.any()


@given(winter=WINTERS, tilts=st.tuples(TILTS, TILTS))
def test_more_tilt_never_loses_more(winter: Winter, tilts: tuple[float, float]) -> None:
    steep, flat = winter.cover(tilt=max(tilts)), winter.cover(tilt=min(tilts))
    assert (np.stack(steep[:2]) <= np.stack(flat[:2]) + 1e-12).all()


@given(before=DAYS, winter=WINTERS)
def test_a_series_can_be_split_at_a_bare_day(before: SnowWeather, winter: Winter) -> None:
    bare = weather((0.0, 0.0, 0.0, 5.0))
    whole = SnowWeather(*(np.concatenate(values) for values in zip(before, bare, winter.weather, strict=True)))
    at = before.new_snow.size + 1
    got = winter._replace(weather=whole).cover(first="2021-01-01")
    alone = winter.cover(first=str(np.datetime64("2021-01-01") + at))
    assert got.coverage[at - 1] == 0
    np.testing.assert_array_equal(np.stack(got)[:, at:], np.stack(alone))


@given(winter=WINTERS, lost=st.lists(st.tuples(st.integers(0, 39), st.integers(0, 3))))
def test_missing_days_keep_the_state(winter: Winter, lost: list[tuple[int, int]]) -> None:
    """The others are as if those were not in the series; in those the snow is that of the day before."""
    gappy = SnowWeather(*(values.copy() for values in winter.weather))
    for day, which in lost:
        gappy[which][day % gappy.temp_air.size] = np.nan
    light = np.ones((12, 1)) * winter.light[:1]  # the same in all months, for days move
    winter = Winter(gappy, light, winter.panel._replace(mounting="rack", burial_mm=None))
    got, known = winter.cover(), ~np.isnan(np.stack(gappy)).any(axis=0)
    np.testing.assert_array_equal(got.missing, ~known)
    before = np.concatenate([[0.0], got.coverage[:-1]])
    np.testing.assert_array_equal(got.coverage[~known], before[~known])
    if known.any():
        rest = winter._replace(weather=SnowWeather(*(values[known] for values in gappy))).cover()
        np.testing.assert_array_equal(np.stack(got[:2])[:, known], np.stack(rest[:2]))
