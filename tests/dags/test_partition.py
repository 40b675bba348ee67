"""Which cycle a run is for, however it was started."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dags.partition import (
    CYCLE_EVERY_H,
    day_of,
    image_of,
    latest_cycle,
    latest_image,
    latest_morning,
    morning_of,
    partition_of,
)
from tiles.clock import Clock, format_partition

CLOCK = Clock.parse("2026-06-21T10:42:17Z!")


def run(key: str | None = None, conf: dict[str, Any] | None = None) -> SimpleNamespace:
    return SimpleNamespace(partition_key=key, conf=conf)


def at(day: int, hour: int) -> datetime:
    return datetime(2026, 6, day, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given_run", "expected"),
    [
        (run("2026-06-20T23"), at(20, 23)),  # by schedule and by asset
        (run("2026-06-20T23", {}), at(20, 23)),
        (run(None, {"partition": "2026-06-20T23"}), at(20, 23)),  # by hand
        (run(None, {"partition": "2026-06-20T23:00:00Z"}), at(20, 23)),
        (run("2026-06-20T23", {"partition": "2026-06-20T23:00Z"}), at(20, 23)),
        (run(None, {}), at(21, 10)),
        (run(None, None), at(21, 10)),
    ],
)
def test_the_partition_of_a_run(given_run: SimpleNamespace, expected: datetime) -> None:
    assert partition_of(given_run, CLOCK, "met_nordic") == expected


@pytest.mark.parametrize(
    ("given_run", "words"),
    [
        (run("yesterday"), "'yesterday' is not a cycle"),
        (run("2026-06-20T23:30"), "is not a cycle"),
        (run(None, {"partition": 20260620}), "'20260620' is not a cycle"),
        (run("2026-06-20T23", {"partition": "2026-06-20T22"}), "key says 2026-06-20T23, its configuration"),
    ],
)
def test_what_is_no_partition_is_refused(given_run: SimpleNamespace, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        partition_of(given_run, CLOCK, "met_nordic")


@given(
    st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),
    st.sampled_from(sorted(CYCLE_EVERY_H)),
)
def test_the_latest_cycle_is_the_last_one_not_after_now(now: datetime, source: str) -> None:
    cycle = latest_cycle(source, now)
    assert 0 <= (now - cycle).total_seconds() < 3600 * CYCLE_EVERY_H[source]
    assert cycle.hour % CYCLE_EVERY_H[source] == 0
    assert partition_of(run(format_partition(cycle)), CLOCK, source) == cycle


def test_the_latest_image_is_one_that_is_out() -> None:
    """It is 10:42:17: the image of 10:15 has been out for a quarter of an hour, that of 10:30 is not."""
    assert latest_image(CLOCK.now()) == at(21, 10).replace(minute=15)
    assert latest_image(at(21, 10)) == at(21, 9).replace(minute=45)
    assert latest_image(at(21, 0)) == at(20, 23).replace(minute=45)


def test_which_image_a_run_is_for() -> None:
    expected = at(20, 23).replace(minute=45)
    assert image_of(run("2026-06-20T23:45"), CLOCK) == expected
    assert image_of(run(None, {"partition": "2026-06-20T23:45:00Z"}), CLOCK) == expected
    assert image_of(run(), CLOCK) == latest_image(CLOCK.now())
    for wrong in ("2026-06-20T23", "2026-06-20T23:10", "2026-06-20T23:45:01", "noon"):
        with pytest.raises(ValueError, match="is not an image"):
            image_of(run(wrong), CLOCK)
    with pytest.raises(ValueError, match="its configuration"):
        image_of(run("2026-06-20T23:45", {"partition": "2026-06-20T23:30"}), CLOCK)


def test_which_day_a_run_is_for() -> None:
    assert day_of(run("2026-06-19"), CLOCK) == "2026-06-19"
    assert day_of(run(None, {"partition": " 2026-06-18"}), CLOCK) == "2026-06-18"
    assert day_of(run(), CLOCK) == f"{CLOCK.now() - timedelta(days=1):%Y-%m-%d}"
    for wrong in ("2026-06-19T05", "yesterday", "2026-02-30"):
        with pytest.raises(ValueError, match="is not a day"):
            day_of(run(wrong), CLOCK)
    with pytest.raises(ValueError, match="its configuration"):
        day_of(run("2026-06-19", {"partition": "2026-06-18"}), CLOCK)


def test_the_morning_whose_snow_is_out() -> None:
    assert morning_of(run("2026-06-19"), CLOCK) == "2026-06-19"
    assert morning_of(run(None, {"partition": " 2026-06-18"}), CLOCK) == "2026-06-18"
    assert morning_of(run(), CLOCK) == latest_morning(CLOCK.now()).isoformat()
    with pytest.raises(ValueError, match="is not a day"):
        morning_of(run("2026-06-19T07"), CLOCK)
    for moment, morning in (("2026-06-19T07:09", "2026-06-18"), ("2026-06-19T07:10", "2026-06-19")):
        assert str(latest_morning(Clock.parse(f"{moment}:00Z!").now())) == morning
