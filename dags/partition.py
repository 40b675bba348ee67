"""Which cycle a run is for: the one place that knows.

A run by schedule carries the partition key of its cron timetable, a run by asset the key under which the
asset was published. A run by hand may carry a key, or `{"partition": "2015-08-24T00"}` as its configuration;
without either it is for the latest full hour by the clock at which the source has a cycle.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Protocol

from tiles.clock import Clock, floor_hour, parse_partition

KEY_FORMAT = "%Y-%m-%dT%H"
# Hours from one cycle of a source to the next, counted from 00 UTC.
CYCLE_EVERY_H = {"met_nordic": 1, "arome_metcoop": 6}


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
    by_key = None if run.partition_key is None else parse_partition(run.partition_key)
    configured = (run.conf or {}).get("partition")
    by_conf = None if configured is None else parse_partition(str(configured))
    if by_key is not None and by_conf is not None and by_key != by_conf:
        raise ValueError(f"the run's partition key says {run.partition_key}, its configuration {configured}")
    return by_key or by_conf or latest_cycle(source, clock.now())
