"""The settings of the DAGs, from `SOLFLIS_*`: the schedule's when a file is parsed, the others in a task."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from dags.areas import EVERYWHERE, Area, parse_areas
from dags.partition import CYCLE_EVERY_H
from tiles.clock import Clock, parse_iso

# Every upstream that a task may read.
SOURCES = (
    "met_nordic",
    "arome_metcoop",
    "meteosat",
    "frost",
    "nve_gts",
    "kartverket",
    "kartverket_wcs",
    "kartverket_points",
    "nora3",
    "sarah3",
    "era5",
)


def _required(environment: Mapping[str, str], name: str) -> str:
    value = environment.get(name, "").strip()
    if not value:
        raise ValueError(f"{name} is not set; `solflis up` sets it, otherwise set it for scheduler and DAG processor")
    return value


def _source(environment: Mapping[str, str]) -> str:
    source = environment.get("SOLFLIS_FORECAST_SOURCE", "").strip() or "met_nordic"
    if source not in CYCLE_EVERY_H:
        raise ValueError(f"SOLFLIS_FORECAST_SOURCE='{source}': expected one of {', '.join(CYCLE_EVERY_H)}")
    return source


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
            forecast_source=_source(environment),
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
    """

    store: str
    clock: Clock
    forecast_source: str
    urls: Mapping[str, str] = field(repr=False)
    areas: tuple[Area, ...] = ()

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "TaskSettings":
        """Read them.

        Raises
        ------
        ValueError
            One is not set or malformed; the text names it.
        """
        source = _source(environment)
        return cls(
            store=_required(environment, "SOLFLIS_STORE"),
            clock=Clock.parse(environment.get("SOLFLIS_CLOCK")),
            forecast_source=source,
            urls={name: url for name in SOURCES if (url := environment.get(_setting(name), "").strip())},
            areas=parse_areas(environment.get("SOLFLIS_AREAS", "").strip() or EVERYWHERE),
        )

    def url(self, source: str) -> str:
        """Return where an upstream is read.

        Raises
        ------
        ValueError
            Its address is not set; the text names the variable.
        """
        return _required({_setting(name): url for name, url in self.urls.items()}, _setting(source))


def _setting(source: str) -> str:
    return f"SOLFLIS_{source.upper()}_URL"
