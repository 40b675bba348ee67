"""The settings of an installation, read once from `SOLFLIS_*` by the commands."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import click

from catalog.sources.registry import SOURCES, addresses, forecast_source
from dags.areas import Area, format_areas, parse_areas
from dags.settings import LOG_DAYS
from tiles.clock import Clock, iso, parse_iso

DEMO_AREAS = "Oslo:59.91,10.75;Bergen:60.39,5.32;Trondheim:63.43,10.39;Tromso:69.65,18.96;Finse:60.60,7.50"


class SettingsError(click.ClickException):
    """A setting cannot be read; the text names the variable and says what is expected."""


def _variable(default: str, parse: Callable[[str], Any], text: Callable[[Any], str] = str) -> dict[str, Any]:
    """Return how a field is read from the variable of its name, and written to it for a child process."""
    return {"default": default, "parse": parse, "text": text}


def _number(kind: Callable[[str], float], below: int, what: str) -> Callable[[str], float]:
    """Return a reader of numbers above 0 and below a limit."""

    def parse(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = 0
        if not 0 < value < below:
            raise ValueError(f"expected {what}")
        return value

    return parse


def _one_of(*choices: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError(f"expected one of {', '.join(choices)}")
        return text

    return parse


def _moment(text: str) -> str:
    try:
        return text and iso(parse_iso(text))
    except ValueError:
        raise ValueError("expected a moment such as 2026-06-21T06:00:00Z") from None


def _folder(text: str) -> Path:
    return Path(text).resolve()


def _host(text: str) -> str:
    try:
        return str(ip_address(text.removeprefix("[").removesuffix("]")))
    except ValueError:
        raise ValueError("expected an IP address such as 127.0.0.1, 0.0.0.0 or ::") from None


def _place(text: str) -> str:
    """Return an address as it is, and a folder as an absolute path: child processes run elsewhere."""
    return text if "://" in text or not text else str(Path(text).resolve())


_port = _number(int, 65536, "a port number, 1 to 65535")
_km = _number(float, 1000, "a length in km, above 0 and below 1000")


@dataclass(frozen=True)
class Settings:
    """What the commands of `solflis` need to know; the table in infra/README.md explains each field."""

    forecast_source: str
    urls: Mapping[str, str]
    host: str = field(metadata=_variable("127.0.0.1", _host))
    port: int = field(metadata=_variable("8080", _port))
    airflow_port: int = field(metadata=_variable("8081", _port))
    simulator_port: int = field(metadata=_variable("8082", _port))
    state: Path = field(metadata=_variable("./var", _folder))
    store: str = field(metadata=_variable("", _place))
    clock: Clock = field(metadata=_variable("", Clock.parse, Clock.text))
    areas: tuple[Area, ...] = field(metadata=_variable(DEMO_AREAS, parse_areas, format_areas))
    workers: int = field(metadata=_variable("2", _number(int, 65, "a number of processes, 1 to 64")))
    start_date: str = field(metadata=_variable("", _moment))
    simulator_spacing_km: float = field(metadata=_variable("5", _km))
    simulator_archive_spacing_km: float = field(metadata=_variable("12", _km))
    metrics: str = field(metadata=_variable("", _place))
    access: str = field(metadata=_variable("keys", _one_of("keys", "open")))
    build: str = field(metadata=_variable("all", _one_of("all", "forecast")))
    log_days: int = field(metadata=_variable(str(LOG_DAYS), _number(int, 3651, "a number of days, 1 to 3650")))

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Settings":
        """Read the settings; relative folders are taken from the current folder.

        Raises
        ------
        SettingsError
            A value is malformed; the text names its variable.
        """
        read: dict[str, Any] = {}
        try:
            read["urls"], read["forecast_source"] = addresses(environment), forecast_source(environment)
        except ValueError as error:
            raise SettingsError(str(error)) from error
        for name, variable, setting in _VARIABLES:
            text = environment.get(variable, "").strip()
            try:
                read[name] = setting["parse"](text or setting["default"])
            except ValueError as error:
                raise SettingsError(f"{variable}='{text}': {error}") from error
        read["store"] = read["store"] or str(read["state"] / "tiles")
        return cls(**read)

    @property
    def source_urls(self) -> dict[str, str]:
        """Where upstreams are read, by name: the operator's settings, else the embedded simulator."""
        simulator = f"http://127.0.0.1:{self.simulator_port}"
        played = {name: f"{simulator}/{name}{SOURCES[name].simulator_query}" for name in self.simulated_sources}
        return played | dict(self.urls)

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
            **{variable: setting["text"](getattr(self, name)) for name, variable, setting in _VARIABLES},
            **{SOURCES[name].setting: url for name, url in urls.items()},
            "SOLFLIS_FORECAST_SOURCE": self.forecast_source,
            "SOLFLIS_LOGS": str(self.state / "logs"),
        }


_VARIABLES = [(f.name, f"SOLFLIS_{f.name.upper()}", f.metadata) for f in fields(Settings) if f.metadata]
