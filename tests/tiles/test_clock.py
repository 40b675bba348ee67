"""The clock and the names of hours."""

from datetime import UTC, datetime, timedelta

import pytest

from tiles.clock import Clock, floor_to, format_moment, format_partition, iso, parse_moment, parse_partition

THREE = datetime(2015, 8, 24, 3, tzinfo=UTC)
HOUR_AGO = datetime.now(UTC) - timedelta(hours=1)


@pytest.mark.parametrize(
    ("clock", "shows"),
    [
        (Clock.parse(None), HOUR_AGO + timedelta(hours=1)),
        (Clock.parse("2015-08-24T03:00:00Z"), THREE),
        (Clock(THREE, HOUR_AGO), THREE + timedelta(hours=1)),
    ],
    ids=["real", "set", "set an hour ago"],
)
def test_a_clock_ticks(clock, shows):
    assert shows <= clock.now() + timedelta(seconds=1) < shows + timedelta(hours=1)


def test_a_frozen_clock_stands_still():
    clock = Clock.parse("2015-08-24T03:00:00Z!")
    assert {clock.now() for _ in range(1000)} == {THREE}


@pytest.mark.parametrize("clock", [Clock(), Clock(THREE, HOUR_AGO), Clock.parse("2015-08-24T03:00:00+02:00!")])
def test_another_process_gets_the_same_clock(clock):
    assert abs(Clock.parse(clock.text()).now() - clock.now()) < timedelta(seconds=2)


@pytest.mark.parametrize("text", ["yesterday", "2015-13-01T00:00Z", "!", "2015-08-24T03:00Z@soon"])
def test_a_wrong_clock_is_refused(text):
    with pytest.raises(ValueError, match="is not a clock"):
        Clock.parse(text)


@pytest.mark.parametrize("text", ["2015-08-24T00", "2015-08-24T00:00Z", "2015-08-24T00Z", " 2015-08-24T00:00:00Z "])
def test_partitions(text):
    hour = parse_partition(text)
    assert hour == datetime(2015, 8, 24, tzinfo=UTC)
    assert (format_partition(hour), iso(hour)) == ("2015-08-24T00", "2015-08-24T00:00:00Z")


@pytest.mark.parametrize(
    "text", ["2015-08-24", "2015-08-24T00:30", "2015-08-24T25", "../../etc", "2015-08-24T00/x", "२०१५-08-24T00"]
)
def test_wrong_partitions_are_refused(text):
    with pytest.raises(ValueError, match="is not a cycle"):
        parse_partition(text)


def test_names_of_images():
    quarter = datetime(2026, 6, 21, 10, 15, tzinfo=UTC)
    assert format_moment(quarter) == "2026-06-21T10:15"
    assert parse_moment("2026-06-21T10:15", 15) == parse_moment(" 2026-06-21T10:15:00Z ", 15) == quarter
    for wrong in ("2026-06-21T10", "2026-06-21T10:10", "2026-06-31T10:15", "2026-06-21T24:15", "2026-06-21T10:15:30"):
        with pytest.raises(ValueError, match="is not an image"):
            parse_moment(wrong, 15)


@pytest.mark.parametrize(("minute", "step", "floor"), [(44, 15, 30), (45, 15, 45), (44, 60, 0)])
def test_floors(minute, step, floor):
    moment = datetime(2026, 6, 21, 10, minute, 59, 999, tzinfo=UTC)
    assert floor_to(moment, step) == datetime(2026, 6, 21, 10, floor, tzinfo=UTC)
