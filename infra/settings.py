"""The settings of an installation, read once from `SOLFLIS_*` by the commands."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from catalog.sources.registry import SOURCES, addresses, forecast_source
from dags.areas import Area, format_areas, parse_areas
from dags.settings import LOG_DAYS
from tiles.clock import Clock, iso, parse_iso

DEMO_AREAS = "Oslo:59.91,10.75;Bergen:60.39,5.32;Trondheim:63.43,10.39;Tromso:69.65,18.96;Finse:60.60,7.50"
ACCESS = ("keys", "open")
BUILD = ("all", "forecast")
_LENGTH = "expected a length in km, above 0 and below 1000"
_MOMENT = "expected a moment such as 2026-06-21T06:00:00Z"

T = TypeVar("T")


class SettingsError(Exception):
    """A setting cannot be read; the text names the variable and says what is expected."""


@dataclass(frozen=True)
class Settings:
    """What the commands of `solflis` need to know; the table in infra/README.md explains each field."""

    port: int
    airflow_port: int
    simulator_port: int
    state: Path
    store: str
    clock: Clock
    areas: tuple[Area, ...]
    workers: int
    urls: Mapping[str, str]
    forecast_source: str
    start_date: str | None
    simulator_spacing_km: float
    simulator_archive_spacing_km: float
    metrics: Path | None
    access: str
    build: str
    log_days: int

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Settings":
        """Read the settings; a relative state folder is taken from the current folder.

        Raises
        ------
        SettingsError
            A value is malformed; the text names its variable.
        """
        read = _Reader(environment)
        try:
            urls, source = addresses(environment), forecast_source(environment)
        except ValueError as error:
            raise SettingsError(str(error)) from error
        state = Path(read.text("STATE", "./var")).resolve()
        return cls(
            port=read.port("PORT", 8080),
            airflow_port=read.port("AIRFLOW_PORT", 8081),
            simulator_port=read.port("SIMULATOR_PORT", 8082),
            state=state,
            store=_absolute(read.text("STORE", str(state / "tiles"))),
            clock=read.parsed("CLOCK", "", lambda text: Clock.parse(text or None)),
            areas=read.parsed("AREAS", DEMO_AREAS, parse_areas),
            workers=read.number("WORKERS", 2, 64, "number of processes"),
            urls=urls,
            forecast_source=source,
            start_date=read.parsed("START_DATE", "", lambda text: iso(parse_iso(text)) if text else None, _MOMENT),
            simulator_spacing_km=read.parsed("SIMULATOR_SPACING_KM", "5", _spacing, _LENGTH),
            simulator_archive_spacing_km=read.parsed("SIMULATOR_ARCHIVE_SPACING_KM", "12", _spacing, _LENGTH),
            metrics=Path(metrics).resolve() if (metrics := read.text("METRICS", "")) else None,
            access=read.choice("ACCESS", ACCESS),
            build=read.choice("BUILD", BUILD),
            log_days=read.number("LOG_DAYS", LOG_DAYS, 3650, "number of days"),
        )

    @property
    def source_urls(self) -> dict[str, str]:
        """Where upstreams are read, by name: the operator's settings, else the embedded simulator."""
        simulator = f"http://127.0.0.1:{self.simulator_port}"
        return {name: f"{simulator}/{name}" for name in self.simulated_sources} | dict(self.urls)

    @property
    def simulated_sources(self) -> tuple[str, ...]:
        """The upstreams that the simulator plays because no address is set for them."""
        return tuple(name for name, source in SOURCES.items() if source.simulated and name not in self.urls)

    def child_environment(self, *, simulator: bool = True) -> dict[str, str]:
        """Return the variables that give a child process these very settings, one shared clock included.

        Parameters
        ----------
        simulator : bool
            Whether the child reads from the embedded simulator what has no address; else from the authority.
        """
        urls = self.source_urls if simulator else self.urls
        return {
            "SOLFLIS_PORT": str(self.port),
            "SOLFLIS_AIRFLOW_PORT": str(self.airflow_port),
            "SOLFLIS_SIMULATOR_PORT": str(self.simulator_port),
            "SOLFLIS_STATE": str(self.state),
            "SOLFLIS_STORE": self.store,
            "SOLFLIS_CLOCK": self.clock.text(),
            "SOLFLIS_WORKERS": str(self.workers),
            **{SOURCES[name].setting: url for name, url in urls.items()},
            "SOLFLIS_FORECAST_SOURCE": self.forecast_source,
            "SOLFLIS_ACCESS": self.access,
            "SOLFLIS_BUILD": self.build,
            "SOLFLIS_SIMULATOR_SPACING_KM": str(self.simulator_spacing_km),
            "SOLFLIS_SIMULATOR_ARCHIVE_SPACING_KM": str(self.simulator_archive_spacing_km),
            "SOLFLIS_AREAS": format_areas(self.areas),
            "SOLFLIS_LOGS": str(self.state / "logs"),
            "SOLFLIS_LOG_DAYS": str(self.log_days),
        }


def _absolute(place: str) -> str:
    """Return an address as it is, and a folder as an absolute path: child processes run elsewhere."""
    return place if "://" in place else str(Path(place).resolve())


class _Reader:
    """Reads one variable at a time; every refusal names it."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def text(self, name: str, default: str) -> str:
        return self._environment.get(f"SOLFLIS_{name}", "").strip() or default

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        if (text := self.text(name, choices[0])) not in choices:
            raise SettingsError(f"SOLFLIS_{name}='{text}': expected one of {', '.join(choices)}")
        return text

    def parsed(self, name: str, default: str, parse: Callable[[str], T], expected: str = "") -> T:
        try:
            return parse(self.text(name, default))
        except ValueError as error:
            value = self._environment.get(f"SOLFLIS_{name}", "")
            raise SettingsError(f"SOLFLIS_{name}='{value}': {expected or error}") from error

    def number(self, name: str, default: int, most: int, what: str) -> int:
        def parse(text: str) -> int:
            if not (text.isascii() and text.isdigit() and 1 <= int(text) <= most):
                raise ValueError
            return int(text)

        return self.parsed(name, str(default), parse, f"expected a {what}, 1 to {most}")

    def port(self, name: str, default: int) -> int:
        return self.number(name, default, 65535, "port number")


def _spacing(text: str) -> float:
    if not 0.0 < (value := float(text)) < 1000.0:
        raise ValueError
    return value
