"""The settings of the DAGs, from `SOLFLIS_*`: the schedule's when a file is parsed, the others in a task."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from catalog.sources.registry import SOURCES, addresses, forecast_source
from dags.areas import EVERYWHERE, Area, parse_areas
from tiles.clock import Clock

LOG_DAYS = 7


def required(name: str, value: str | None) -> str:
    """Return the value of a variable.

    Raises
    ------
    ValueError
        It is not set; the text names it.
    """
    if not value:
        raise ValueError(f"{name} is not set; `solflis up` sets it, otherwise set it for scheduler and DAG processor")
    return value


@dataclass(frozen=True)
class DagSettings:
    """Settings of schedules and tasks.

    Parameters
    ----------
    start_date : str
        No run is scheduled for before it; written once, at the first start of the installation.
    store : str
        Where tiles are published: a folder or s3://...
    clock : Clock
        Where it is not real time the schedules are off, and `solflis up` triggers runs by this clock.
    forecast_source : str
        The upstream that forecasts are built from; its cycles are the schedule.
    urls : mapping of str to str
        Where upstreams are read, by name; they may hold passwords.
    areas : tuple of Area
        For which climate products are built; none of them is the whole country.
    logs : str
        Folder of log files that housekeeping tidies; empty: none.
    log_days : int
        So long they are kept.
    """

    start_date: str
    store: str
    clock: Clock
    forecast_source: str
    urls: Mapping[str, str] = field(repr=False)
    areas: tuple[Area, ...]
    logs: str
    log_days: int

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "DagSettings":
        """Read them.

        Raises
        ------
        ValueError
            One is malformed; the text names it.
        """

        def text(name: str) -> str:
            return environment.get(f"SOLFLIS_{name}", "").strip()

        return cls(
            start_date=text("START_DATE"),
            store=text("STORE"),
            clock=Clock.parse(text("CLOCK") or None),
            forecast_source=forecast_source(environment),
            urls=addresses(environment),
            areas=parse_areas(text("AREAS") or EVERYWHERE),
            logs=text("LOGS"),
            log_days=int(text("LOG_DAYS") or LOG_DAYS),
        )

    def url(self, source: str) -> str:
        """Return where an upstream is read; raises ValueError where its address is not set."""
        return required(SOURCES[source].setting, self.urls.get(source))
