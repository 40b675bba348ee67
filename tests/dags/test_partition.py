"""Which cycle a run is for, however it was started."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.sources.registry import FORECAST_SOURCES
from dags.partition import PartitionKind, latest_cycle, latest_image, latest_morning, partition_of
from tiles.clock import Clock, format_partition

CLOCK = Clock.parse("2026-06-21T10:42:17Z!")


def run(key: str | None = None, conf: dict[str, Any] | None = None) -> SimpleNamespace:
    return SimpleNamespace(partition_key=key, conf=conf)


def at(day: int, hour: int) -> datetime:
    return datetime(2026, 6, day, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    ("kind", "given_run", "expected"),
    [
        ("cycle", run("2026-06-20T23"), "2026-06-20T23"),  # by schedule and by asset
        ("cycle", run("2026-06-20T23", {}), "2026-06-20T23"),
        ("cycle", run(None, {"partition": "2026-06-20T23"}), "2026-06-20T23"),  # by hand
        ("cycle", run(None, {"partition": "2026-06-20T23:00:00Z"}), "2026-06-20T23"),
        ("cycle", run("2026-06-20T23", {"partition": "2026-06-20T23:00Z"}), "2026-06-20T23"),
        ("cycle", run(None, {}), "2026-06-21T10"),
        ("cycle", run(None, None), "2026-06-21T10"),
        ("image", run("2026-06-20T23:45"), "2026-06-20T23:45"),
        ("image", run(None, {"partition": "2026-06-20T23:45:00Z"}), "2026-06-20T23:45"),
        ("image", run(), "2026-06-21T10:15"),
        ("day", run("2026-06-19"), "2026-06-19"),
        ("day", run(None, {"partition": " 2026-06-18"}), "2026-06-18"),
        ("day", run(), "2026-06-20"),
        ("morning", run("2026-06-19"), "2026-06-19"),
        ("morning", run(), "2026-06-21"),
        ("year", run("1991"), "1991"),
        ("year", run(None, {"partition": 1991}), "1991"),
        ("none", run("2026-06-21"), None),
        ("none", run("1991"), None),  # by the asset of something else
        ("none", run(), None),
    ],
)
def test_the_partition_of_a_run(kind: PartitionKind, given_run: SimpleNamespace, expected: str | None) -> None:
    assert partition_of(kind, given_run, CLOCK, "met_nordic") == expected


@pytest.mark.parametrize(
    ("kind", "given_run", "words"),
    [
        ("cycle", run("yesterday"), "'yesterday' is not a cycle"),
        ("cycle", run("2026-06-20T23:30"), "is not a cycle"),
        ("cycle", run(None, {"partition": 20260620}), "'20260620' is not a cycle"),
        ("cycle", run("2026-06-20T23", {"partition": "2026-06-20T22"}), "key says 2026-06-20T23, its configuration"),
        *(("image", run(wrong), "is not an image") for wrong in ("2026-06-20T23", "2026-06-20T23:10", "noon")),
        ("image", run("2026-06-20T23:45", {"partition": "2026-06-20T23:30"}), "its configuration"),
        *(("day", run(wrong), "is not a day") for wrong in ("2026-06-19T05", "yesterday", "2026-02-30")),
        ("day", run("2026-06-19", {"partition": "2026-06-18"}), "its configuration"),
        ("morning", run("2026-06-19T07"), "is not a day"),
        ("year", run("noon"), "'noon' is not a year"),
        ("year", run("1991", {"partition": "1992"}), "its configuration"),
        ("year", run(), "give it the partition key 1991"),
    ],
)
def test_what_is_no_partition_is_refused(kind: PartitionKind, given_run: SimpleNamespace, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        partition_of(kind, given_run, CLOCK, "met_nordic")


@given(
    st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),
    st.sampled_from(sorted(FORECAST_SOURCES)),
)
def test_the_latest_cycle_is_the_last_one_not_after_now(now: datetime, source: str) -> None:
    cycle = latest_cycle(source, now)
    assert 0 <= (now - cycle).total_seconds() < 3600 * FORECAST_SOURCES[source]
    assert cycle.hour % FORECAST_SOURCES[source] == 0
    assert partition_of("cycle", run(format_partition(cycle)), CLOCK, source) == format_partition(cycle)


def test_the_latest_image_is_one_that_is_out() -> None:
    """It is 10:42:17: the image of 10:15 has been out for a quarter of an hour, that of 10:30 is not."""
    assert latest_image(CLOCK.now()) == at(21, 10).replace(minute=15)
    assert latest_image(at(21, 10)) == at(21, 9).replace(minute=45)
    assert latest_image(at(21, 0)) == at(20, 23).replace(minute=45)


def test_the_latest_morning_is_one_whose_snow_is_out() -> None:
    for moment, morning in (("2026-06-19T07:09", "2026-06-18"), ("2026-06-19T07:10", "2026-06-19")):
        assert str(latest_morning(Clock.parse(f"{moment}:00Z!").now())) == morning
