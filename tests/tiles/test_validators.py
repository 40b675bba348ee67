"""Each validator refuses the fault that it is there for, and accepts the good draft."""

from datetime import UTC, datetime

import numpy as np
import pytest

from tests.support.tiles import CYCLE, cover, everywhere, hour_starts, made_up_ghi
from tiles.product import FILL, Context
from tiles.products.registry import product
from tiles.shardwise import validators_of
from tiles.validators import (
    CompleteTimeAxis,
    ExpectedCells,
    Fresh,
    NightIsZero,
    NoGapsInSeries,
    NothingMissing,
    PhysicalRange,
    RequiredVariables,
)

FORECAST = product("forecast")
GHI = FORECAST.variable("ghi")


class InMemory:
    """A draft that was never written."""

    version = "2026-06-01T00"

    def __init__(self, times, **packed):
        self._times, self._packed = times, packed

    def names(self):
        return list(self._packed)

    def axis(self, name):
        assert name == "time"
        return self._times

    def packed(self, name):
        return self._packed[name]


@pytest.fixture(scope="module")
def good():
    return everywhere(GHI.pack(made_up_ghi(CYCLE)))


@pytest.fixture
def context():
    cycle = np.datetime64("2026-06-01T00:00:00", "s")
    return Context("2026-06-01T00", cycle, cycle + np.timedelta64(3600, "s"), cover())


def draft(packed, times=None):
    return InMemory(hour_starts(CYCLE, len(packed)) if times is None else times, ghi=packed)


def test_a_good_draft_passes_every_validator(good, context):
    for validator in validators_of(FORECAST):
        assert validator.check(draft(good), FORECAST, context) is None


def test_required_and_unknown_variables(good, context):
    times = hour_starts(CYCLE)
    assert "ghi" in RequiredVariables().check(InMemory(times, temp_air=good), FORECAST, context)
    assert "snow" in RequiredVariables().check(InMemory(times, ghi=good, snow=good), FORECAST, context)


@pytest.mark.parametrize(
    ("times", "says"),
    [
        (hour_starts(CYCLE, 58), "58 steps"),
        (np.delete(hour_starts(CYCLE, 67), 30), "2026-06-02T05:00:00 is not followed"),
        (hour_starts(CYCLE) + 1800, "not at the cycle"),
        (hour_starts(datetime(2026, 6, 1, 1, tzinfo=UTC)), "not at the cycle"),
    ],
)
def test_time_axis(good, context, times, says):
    assert says in CompleteTimeAxis().check(draft(good, times), FORECAST, context)


def test_the_twenty_five_hour_day_is_twenty_four_in_utc(context):
    """The night in which clocks go back (25 October 2026) has no doubled and no lost hour."""
    night = datetime(2026, 10, 24, 12, tzinfo=UTC)
    starts = hour_starts(night)
    asked = Context(
        "2026-10-24T12", np.datetime64("2026-10-24T12:00:00", "s"), np.datetime64("2026-10-24T13:00:00", "s")
    )
    assert CompleteTimeAxis().check(draft(np.zeros((66, 1, 1)), starts), FORECAST, asked) is None
    assert len(set(starts.tolist())) == 66


def test_fresh(good, context):
    early = Context(context.partition, context.issued_at, context.issued_at - np.timedelta64(1, "s"), None)
    other = Context(context.partition, context.issued_at - np.timedelta64(3600, "s"), context.now, None)
    assert "after the clock" in Fresh().check(draft(good), FORECAST, early)
    assert "2026-05-31T23" in Fresh().check(draft(good), FORECAST, other)


def test_physical_range(good, context):
    hot = good.copy()
    hot[12, 100, 200] = 15006
    assert "1500.6" in PhysicalRange().check(draft(hot), FORECAST, context)
    assert "no value" in PhysicalRange().check(draft(np.full_like(good, FILL)), FORECAST, context)


def test_expected_cells(good, context):
    holes = good.copy()
    holes[:, 60:62, 190:260] = FILL
    assert "2.7%" in ExpectedCells(0.01).check(draft(holes), FORECAST, context)
    assert ExpectedCells(0.03).check(draft(holes), FORECAST, context) is None
    beyond = good.copy()
    beyond[:, 0, 0] = 0
    assert "(0, 0)" in ExpectedCells(0.01).check(draft(beyond), FORECAST, context)
    nothing = Context(context.partition, context.issued_at, context.now, np.zeros((501, 934), bool))
    assert "covers no cell" in ExpectedCells(0.01).check(draft(good), FORECAST, nothing)


def test_gaps(good, context):
    gap = good.copy()
    gap[40, 100, 200] = FILL
    assert "cell (100, 200) at step 40" in NoGapsInSeries().check(draft(gap), FORECAST, context)


def test_night_is_zero_and_not_missing(good, context):
    lit = good.copy()
    lit[23, 100, 200] = 3  # 23 UTC is 01 local summer time near Oslo: the sun is 5 degrees below
    assert "at night, 2026-06-01T23:00:00Z in cell (100, 200)" in NightIsZero(("ghi",)).check(
        draft(lit), FORECAST, context
    )
    absent = good.copy()
    absent[23] = FILL
    assert "must be 0" in NightIsZero(("ghi",)).check(draft(absent), FORECAST, context)


def test_a_corner_that_is_first_in_the_night_may_be_missing_altogether(context):
    """In midsummer an hour's night may be 19 cells; a source that lacks them is judged by `ExpectedCells`."""
    starts = hour_starts(datetime(2026, 7, 5, tzinfo=UTC))
    everything = np.zeros((66, *FORECAST.grid.shape), np.uint16)
    everything[:, 0, 927:] = FILL
    everything[:, 1:5, 930:] = FILL
    national = Context(context.partition, context.issued_at, context.now, np.ones(FORECAST.grid.shape, bool))
    assert NightIsZero(("ghi",)).check(draft(everything, starts), FORECAST, national) is None
    assert ExpectedCells(0.01).check(draft(everything, starts), FORECAST, national) is None
    everything[19, 0, 920:] = FILL
    assert "missing at night, 2026-07-05T19" in NightIsZero(("ghi",)).check(
        draft(everything, starts), FORECAST, national
    )


def test_nothing_missing(good, context):
    table = np.full((10, 13, 8), 10_000, np.uint16)
    assert NothingMissing().check(draft(table), FORECAST, context) is None
    table[3, 4, 5] = FILL
    assert "ghi is missing in 1 places" in NothingMissing().check(draft(table), FORECAST, context)


def test_a_series_labelled_an_hour_late_is_caught_by_the_night(good, context):
    """Interval labels off by hours: the sun would shine before it rises."""
    late = np.roll(good, -3, axis=0)
    assert "at night" in NightIsZero(("ghi",)).check(draft(late), FORECAST, context)
