"""The clock and the names of hours."""

import time
from datetime import UTC, datetime, timedelta

import pytest

from tiles.clock import Clock, floor_to, format_moment, format_partition, iso, parse_moment, parse_partition

THREE = datetime(2015, 8, 24, 3, tzinfo=UTC)


def test_real_time():
    assert abs(Clock.parse(None).now() - datetime.now(UTC)) < timedelta(seconds=5)


def test_a_frozen_clock_stands_still():
    clock = Clock.parse("2015-08-24T03:00:00Z!")
    first = clock.now()
    time.sleep(0.01)
    assert first == clock.now() == THREE


def test_a_set_clock_ticks():
    clock = Clock.parse("2015-08-24T03:00:00Z")
    first = clock.now()
    time.sleep(0.01)
    assert THREE <= first < clock.now() < THREE + timedelta(seconds=30)


LONG_AGO = datetime.now(UTC) - timedelta(hours=1)


@pytest.mark.parametrize("clock", [Clock(), Clock(THREE, LONG_AGO), Clock.parse("2015-08-24T03:00:00+02:00!")])
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
    assert format_partition(hour) == "2015-08-24T00"
    assert iso(hour) == "2015-08-24T00:00:00Z"


@pytest.mark.parametrize(
    "text", ["2015-08-24", "2015-08-24T00:30", "2015-08-24T25", "../../etc", "2015-08-24T00/x", "२०१५-08-24T00"]
)
def test_wrong_partitions_are_refused(text):
    with pytest.raises(ValueError, match="is not a cycle"):
        parse_partition(text)


def test_names_of_images():
    quarter = datetime(2026, 6, 21, 10, 15, tzinfo=UTC)
    assert format_moment(quarter) == "2026-06-21T10:15"
    assert parse_moment("2026-06-21T10:15", 15) == quarter
    assert parse_moment(" 2026-06-21T10:15:00Z ", 15) == quarter
    for wrong in ("2026-06-21T10", "2026-06-21T10:10", "2026-06-31T10:15", "2026-06-21T24:15", "2026-06-21T10:15:30"):
        with pytest.raises(ValueError, match="is not an image"):
            parse_moment(wrong, 15)


def test_floors():
    moment = datetime(2026, 6, 21, 10, 44, 59, 999, tzinfo=UTC)
    assert floor_to(moment, 15) == datetime(2026, 6, 21, 10, 30, tzinfo=UTC)
    assert floor_to(moment.replace(minute=45), 15) == datetime(2026, 6, 21, 10, 45, tzinfo=UTC)
    assert floor_to(moment, 60) == datetime(2026, 6, 21, 10, tzinfo=UTC)
