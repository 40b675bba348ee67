"""Which cycle a run is for: the one place that knows.

A run by schedule carries the partition key of its cron timetable, a run by asset the key under which the
asset was published. A run by hand may carry a key, or `{"partition": "2015-08-24T00"}` as its configuration;
without either it is for the latest full hour by the clock at which the source has a cycle (or the latest image that is
out). Keys of images have minutes: `2026-06-21T10:15`.
"""

from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from typing import Any, Protocol

from tiles.clock import (
    IMAGE_EVERY_MIN,
    IMAGE_OUT_AFTER,
    Clock,
    floor_hour,
    floor_to,
    parse_moment,
    parse_partition,
)

KEY_FORMAT = "%Y-%m-%dT%H"
DAY_FORMAT = "%Y-%m-%d"
IMAGE_KEY_FORMAT = "%Y-%m-%dT%H:%M"
# Hours from one cycle of a source to the next, counted from 00 UTC.
CYCLE_EVERY_H = {"met_nordic": 1, "arome_metcoop": 6}
# When the day before is judged, and on Mondays the correction learned (UTC): the evening's observations are in.
SKILL_AT, CORRECTION_AT = time(4, 20), time(4, 40)
# When the day that ended at 06 UTC is out at the snow authority (UTC).
SNOW_AT = time(7, 10)


class Run(Protocol):
    """What is read of an Airflow run."""

    @property
    def partition_key(self) -> str | None:
        """Key that schedule, asset or caller gave it."""

    @property
    def conf(self) -> Mapping[str, Any] | None:
        """Configuration that the caller gave it."""


def latest_cycle(source: str, now: datetime) -> datetime:
    """Return the latest hour, not after `now`, at which a source has a cycle."""
    hour = floor_hour(now)
    return hour - timedelta(hours=hour.hour % CYCLE_EVERY_H[source])


def latest_image(now: datetime) -> datetime:
    """Return the time of the newest satellite image that is out at a moment."""
    return floor_to(now - IMAGE_OUT_AFTER, IMAGE_EVERY_MIN)


def latest_morning(now: datetime) -> date:
    """Return the date of the last morning whose snow is out at a moment."""
    return (now - timedelta(hours=SNOW_AT.hour, minutes=SNOW_AT.minute)).date()


def morning_of(run: Run, clock: Clock) -> str:
    """Return the date whose snow a run is for, `2026-11-23`: of key or configuration, else the last by the clock.

    Raises
    ------
    ValueError
        Key or configuration is no day, or the two disagree.
    """
    return _day(run, latest_morning(clock.now()))


def image_of(run: Run, clock: Clock) -> datetime:
    """Return the time (aware UTC) of the satellite image that a run is for; parameters as in `partition_of`.

    Raises
    ------
    ValueError
        Key or configuration is not a quarter of an hour, or the two disagree.
    """
    named = _named(run, lambda text: parse_moment(text, IMAGE_EVERY_MIN))
    return named or latest_image(clock.now())


def partition_of(run: Run, clock: Clock, source: str) -> datetime:
    """Return the cycle hour (aware UTC) that a run is for.

    Parameters
    ----------
    run : Run
        The Airflow run.
    clock : Clock
        Names the hour of a run by hand that says nothing.
    source : str
        Whose cycle that is.

    Raises
    ------
    ValueError
        Key or configuration is not a whole UTC hour, or the two disagree.
    """
    return _named(run, parse_partition) or latest_cycle(source, clock.now())


def _named(run: Run, parse: Callable[[str], datetime]) -> datetime | None:
    """Return what key or configuration of a run name, if they do."""
    by_key = None if run.partition_key is None else parse(run.partition_key)
    configured = (run.conf or {}).get("partition")
    by_conf = None if configured is None else parse(str(configured))
    if by_key is not None and by_conf is not None and by_key != by_conf:
        raise ValueError(f"the run's partition key says {run.partition_key}, its configuration {configured}")
    return by_key or by_conf


def day_of(run: Run, clock: Clock) -> str:
    """Return the UTC day that a run is for, `2026-06-20`: of key or configuration, else yesterday by the clock.

    Raises
    ------
    ValueError
        Key or configuration is no day, or the two disagree.
    """
    return _day(run, (clock.now() - timedelta(days=1)).date())


def _day(run: Run, default: date) -> str:
    configured = (run.conf or {}).get("partition")
    told = {str(text).strip() for text in (run.partition_key, configured) if text is not None}
    if len(told) > 1:
        raise ValueError(f"the run's partition key says {run.partition_key}, its configuration {configured}")
    return parse_day(told.pop()).isoformat() if told else default.isoformat()


def year_of(run: Run) -> str:
    """Return the year that a run is for, `1991`: of key or configuration.

    Raises
    ------
    ValueError
        Neither names one, or the two disagree.
    """
    told = {str(t).strip() for t in (run.partition_key, (run.conf or {}).get("partition")) if t is not None}
    if len(told) != 1 or not (year := told.pop()).isdecimal() or len(year) != 4:
        raise ValueError('the run is for no year: give it the partition key 1991, or {"partition": "1991"}')
    return year


def parse_day(text: str) -> date:
    """Return the day of a partition such as `2026-06-20`.

    Raises
    ------
    ValueError
        It is none.
    """
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(f"'{text}' is not a day: write one such as 2026-06-20") from None
