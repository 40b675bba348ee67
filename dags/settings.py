"""The settings of the DAGs, from `SOLFLIS_*`: the schedule's when a file is parsed, the others in a task."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from catalog.sources.registry import SOURCES, addresses, forecast_source
from dags.areas import EVERYWHERE, Area, parse_areas
from tiles.clock import Clock, parse_iso

LOG_DAYS = 7


def _required(environment: Mapping[str, str], name: str) -> str:
    value = environment.get(name, "").strip()
    if not value:
        raise ValueError(f"{name} is not set; `solflis up` sets it, otherwise set it for scheduler and DAG processor")
    return value


@dataclass(frozen=True)
class ScheduleSettings:
    """What the schedules need.

    Parameters
    ----------
    start_date : datetime
        No run is scheduled for before it; written once, at the first start of the installation.
    clock : Clock
        Where it is not real time the schedules are off, and `solflis up` triggers runs by this clock.
    forecast_source : str
        The upstream that forecasts are built from; its cycles are the schedule.
    """

    start_date: datetime
    clock: Clock
    forecast_source: str

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "ScheduleSettings":
        """Read them.

        Raises
        ------
        ValueError
            One is not set or malformed; the text names it.
        """
        return cls(
            start_date=parse_iso(_required(environment, "SOLFLIS_START_DATE")),
            clock=Clock.parse(environment.get("SOLFLIS_CLOCK")),
            forecast_source=forecast_source(environment),
        )


@dataclass(frozen=True)
class TaskSettings:
    """What a task needs.

    Parameters
    ----------
    store : str
        Where tiles are published: a folder or s3://...
    clock : Clock
        The installation's clock.
    forecast_source : str
        The upstream that forecasts are built from.
    urls : mapping of str to str
        Where upstreams are read, by name; they may hold passwords.
    areas : tuple of Area
        For which climate products are built; none of them is the whole country.
    logs : str
        Folder of log files that housekeeping tidies; empty: none.
    log_days : int
        So long they are kept.
    """

    store: str
    clock: Clock
    forecast_source: str
    urls: Mapping[str, str] = field(repr=False)
    areas: tuple[Area, ...] = ()
    logs: str = ""
    log_days: int = LOG_DAYS

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "TaskSettings":
        """Read them.

        Raises
        ------
        ValueError
            One is not set or malformed; the text names it.
        """
        return cls(
            store=_required(environment, "SOLFLIS_STORE"),
            clock=Clock.parse(environment.get("SOLFLIS_CLOCK")),
            forecast_source=forecast_source(environment),
            urls=addresses(environment),
            areas=parse_areas(environment.get("SOLFLIS_AREAS", "").strip() or EVERYWHERE),
            logs=environment.get("SOLFLIS_LOGS", "").strip(),
            log_days=int(environment.get("SOLFLIS_LOG_DAYS", "").strip() or LOG_DAYS),
        )

    def url(self, source: str) -> str:
        """Return where an upstream is read.

        Raises
        ------
        ValueError
            Its address is not set; the text names the variable.
        """
        setting = SOURCES[source].setting
        return _required({setting: self.urls.get(source, "")}, setting)
