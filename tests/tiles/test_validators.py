"""Each validator refuses the fault that it is there for, and accepts the good draft."""

from dataclasses import replace
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
GHI, NIGHT = FORECAST.variable("ghi"), NightIsZero(("ghi",))


class InMemory:
    """A draft that was never written."""

    version = "2026-06-01T00"

    def __init__(self, times, **packed):
        self._axes, self._packed = {"time": times}, packed

    def names(self):
        return list(self._packed)

    def axis(self, name):
        return self._axes[name]

    def packed(self, name):
        return self._packed[name]


@pytest.fixture(scope="module")
def good():
    return everywhere(GHI.pack(made_up_ghi(CYCLE)))


@pytest.fixture
def context():
    cycle = np.datetime64("2026-06-01T00:00:00", "s")
    return Context(InMemory.version, cycle, cycle + np.timedelta64(3600, "s"), cover())


def draft(packed, times=None):
    return InMemory(hour_starts(CYCLE, len(packed)) if times is None else times, ghi=packed)


def test_a_good_draft_passes_every_validator(good, context):
    for validator in validators_of(FORECAST):
        assert validator.check(draft(good), FORECAST, context) is None


@pytest.mark.parametrize(
    ("validator", "places", "value", "says"),
    [
        (PhysicalRange(), np.s_[12, 100, 200], 15006, "1500.6"),
        (PhysicalRange(), np.s_[:], FILL, "no value"),
        (ExpectedCells(0.01), np.s_[:, 60:62, 190:260], FILL, "2.7%"),
        (ExpectedCells(0.01), np.s_[:, 0, 0], 0, "(0, 0)"),
        (NoGapsInSeries(), np.s_[40, 100, 200], FILL, "cell (100, 200) at step 40"),
        # 23 UTC is 01 local summer time near Oslo: the sun is 5 degrees below
        (NIGHT, np.s_[23, 100, 200], 3, "ghi is 0.3 at night, 2026-06-01T23:00:00Z in cell (100, 200)"),
        (NIGHT, np.s_[23], FILL, "must be 0"),
    ],
)
def test_a_fault_is_named(good, context, validator, places, value, says):
    packed = good.copy()
    packed[places] = value
    assert says in validator.check(draft(packed), FORECAST, context)


def test_a_few_expected_cells_may_be_missing(good, context):
    holes = good.copy()
    holes[:, 60:62, 190:260] = FILL
    assert ExpectedCells(0.03).check(draft(holes), FORECAST, context) is None
    nothing = replace(context, expected=np.zeros(FORECAST.grid.shape, bool))
    assert "covers no cell" in ExpectedCells(0.01).check(draft(good), FORECAST, nothing)


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


@pytest.mark.parametrize(
    ("name", "seconds", "says"), [("now", 3601, "after the clock"), ("issued_at", 3600, "2026-05-31T23")]
)
def test_a_draft_of_another_cycle_or_of_the_future_is_refused(good, context, name, seconds, says):
    other = replace(context, **{name: getattr(context, name) - np.timedelta64(seconds, "s")})
    assert says in Fresh().check(draft(good), FORECAST, other)


def test_a_corner_that_is_first_in_the_night_may_be_missing_altogether(context):
    """In midsummer an hour's night may be 19 cells; a source that lacks them is judged by `ExpectedCells`."""
    starts = hour_starts(datetime(2026, 7, 5, tzinfo=UTC))
    everything = np.zeros((66, *FORECAST.grid.shape), np.uint16)
    everything[:, 0, 927:] = FILL
    everything[:, 1:5, 930:] = FILL
    national = replace(context, expected=np.ones(FORECAST.grid.shape, bool))
    assert NIGHT.check(draft(everything, starts), FORECAST, national) is None
    assert ExpectedCells(0.01).check(draft(everything, starts), FORECAST, national) is None
    everything[19, 0, 920:] = FILL
    assert "missing at night, 2026-07-05T19" in NIGHT.check(draft(everything, starts), FORECAST, national)


def test_nothing_missing(good, context):
    table = np.full((10, 13, 8), 10_000, np.uint16)
    assert NothingMissing().check(draft(table), FORECAST, context) is None
    table[3, 4, 5] = FILL
    assert "ghi is missing in 1 places" in NothingMissing().check(draft(table), FORECAST, context)


def test_a_series_labelled_hours_late_is_caught_by_the_night(good, context):
    """The sun would shine before it rises."""
    assert "at night" in NIGHT.check(draft(np.roll(good, -3, axis=0)), FORECAST, context)
