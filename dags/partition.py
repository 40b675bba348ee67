"""Which partition a run is for: the one place that knows.

A run by schedule carries the partition key of its cron timetable, a run by asset the key under which the
asset was published. A run by hand may carry a key, or `{"partition": "2015-08-24T00"}` as its configuration;
without either it is for the latest partition by the clock.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal

from catalog.sources.registry import FORECAST_SOURCES
from tiles.clock import (
    IMAGE_EVERY_MIN,
    IMAGE_OUT_AFTER,
    Clock,
    floor_hour,
    floor_to,
    parse_moment,
    parse_partition,
)

PartitionKind = Literal["cycle", "image", "day", "morning", "year", "none"]
# When the day that ended at 06 UTC is out at the snow authority (UTC).
SNOW_AT = time(7, 10)


def latest_cycle(source: str, now: datetime) -> datetime:
    """Return the latest hour, not after `now`, at which a source has a cycle."""
    hour = floor_hour(now)
    return hour - timedelta(hours=hour.hour % FORECAST_SOURCES[source])


def cycle_of(partition: str | None, source: str, clock: Clock) -> datetime:
    """Return the hour (aware UTC) of a cycle; of the source's latest where none is named.

    Raises
    ------
    ValueError
        The partition is not a whole UTC hour.
    """
    return latest_cycle(source, clock.now()) if partition is None else parse_partition(partition)


def latest_image(now: datetime) -> datetime:
    """Return the time of the newest satellite image that is out at a moment."""
    return floor_to(now - IMAGE_OUT_AFTER, IMAGE_EVERY_MIN)


def latest_morning(now: datetime) -> date:
    """Return the date of the last morning whose snow is out at a moment."""
    return (now - timedelta(hours=SNOW_AT.hour, minutes=SNOW_AT.minute)).date()


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


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(tzinfo=UTC))


def _parse_year(text: str) -> datetime:
    if not (text.strip().isdecimal() and len(text.strip()) == 4):
        raise ValueError(f"'{text}' is not a year: write one such as 1991")
    return datetime(int(text), 1, 1, tzinfo=UTC)


def _no_year(_: str, __: datetime) -> datetime:
    raise ValueError('the run is for no year: give it the partition key 1991, or {"partition": "1991"}')


@dataclass(frozen=True)
class _Kind:
    """How partitions of a kind are written and read.

    Parameters
    ----------
    key_format : str
        For `strftime`, in UTC: of Airflow's keys, and of the canonical text.
    parse : callable
        From a text to the moment (aware UTC) at which the partition begins.
    latest : callable
        From forecast source and moment to the partition of a run that names none.
    """

    key_format: str
    parse: Callable[[str], datetime]
    latest: Callable[[str, datetime], datetime]


def _parse_date(text: str) -> datetime:
    return _midnight(parse_day(text))


_KINDS: dict[PartitionKind, _Kind] = {
    "cycle": _Kind("%Y-%m-%dT%H", parse_partition, latest_cycle),
    "image": _Kind(
        "%Y-%m-%dT%H:%M", lambda text: parse_moment(text, IMAGE_EVERY_MIN), lambda _, now: latest_image(now)
    ),
    "day": _Kind("%Y-%m-%d", _parse_date, lambda _, now: now - timedelta(days=1)),
    "morning": _Kind("%Y-%m-%d", _parse_date, lambda _, now: _midnight(latest_morning(now))),
    "year": _Kind("%Y", _parse_year, _no_year),
    "none": _Kind("%Y-%m-%d", _parse_date, lambda _, now: now),
}


def key_format(kind: PartitionKind) -> str:
    """Return how keys of a kind are written, for `strftime`; where there is no partition a run is named by its date."""
    return _KINDS[kind].key_format


def partition_of(kind: PartitionKind, run: Any, clock: Clock, source: str) -> str | None:
    """Return the partition that a run is for, in its canonical spelling; None where there is none to choose.

    Parameters
    ----------
    kind : PartitionKind
    run : DagRun
        Airflow's; its `partition_key` and `conf` are read.
    clock : Clock
        Names the partition of a run that says nothing.
    source : str
        Whose cycles there are.

    Raises
    ------
    ValueError
        Key or configuration is no such partition, or the two disagree; or a year is not named.
    """
    if kind == "none":
        return None
    rules, configured = _KINDS[kind], (run.conf or {}).get("partition")
    named = {rules.parse(str(text)) for text in (run.partition_key, configured) if text is not None}
    if len(named) > 1:
        raise ValueError(f"the run's partition key says {run.partition_key}, its configuration {configured}")
    moment = named.pop() if named else rules.latest(source, clock.now())
    return moment.strftime(rules.key_format)


def start_of(kind: PartitionKind, partition: str) -> datetime:
    """Return the moment (aware UTC) at which a partition begins."""
    return _KINDS[kind].parse(partition)
