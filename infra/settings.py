"""The settings of an installation, read once from `SOLFLIS_*` by the commands."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dags.areas import Area, format_areas, parse_areas
from tiles.clock import Clock, iso, parse_iso

DEMO_AREAS = "Oslo:59.91,10.75;Bergen:60.39,5.32;Trondheim:63.43,10.39;Tromso:69.65,18.96;Finse:60.60,7.50"
FORECAST_SOURCES = ("met_nordic", "arome_metcoop")
SOURCES = (
    *FORECAST_SOURCES,
    "locationforecast",
    "meteosat",
    "frost",
    "kartverket",
    "kartverket_wcs",
    "kartverket_points",
    "nora3",
    "sarah3",
    "nve_gts",
)
# Upstreams that are ordered and lie in a folder; no simulator plays them.
ORDERED_SOURCES = ("era5",)
ACCESS = ("keys", "open")


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

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Settings":
        """Read the settings; a relative state folder is taken from the current folder.

        Raises
        ------
        SettingsError
            A value is malformed; the text names its variable.
        """
        read = _Reader(environment)
        state = Path(read.text("STATE", "./var")).resolve()
        return cls(
            port=read.port("PORT", 8080),
            airflow_port=read.port("AIRFLOW_PORT", 8081),
            simulator_port=read.port("SIMULATOR_PORT", 8082),
            state=state,
            store=_absolute(read.text("STORE", str(state / "tiles"))),
            clock=read.clock("CLOCK"),
            areas=read.areas("AREAS", DEMO_AREAS),
            workers=read.count("WORKERS", 2),
            urls={name: url for name in (*SOURCES, *ORDERED_SOURCES) if (url := read.url(f"{name.upper()}_URL"))},
            forecast_source=read.choice("FORECAST_SOURCE", FORECAST_SOURCES),
            start_date=read.moment("START_DATE"),
            simulator_spacing_km=read.positive("SIMULATOR_SPACING_KM", 5.0),
            simulator_archive_spacing_km=read.positive("SIMULATOR_ARCHIVE_SPACING_KM", 12.0),
            metrics=Path(metrics).resolve() if (metrics := read.text("METRICS", "")) else None,
            access=read.choice("ACCESS", ACCESS),
        )

    def source_url(self, source: str) -> str:
        """Return where an upstream is read: the operator's setting, else the embedded simulator."""
        return self.urls.get(source) or f"http://127.0.0.1:{self.simulator_port}/{source}"

    @property
    def source_urls(self) -> dict[str, str]:
        """Where every upstream is read that has an address, by name."""
        return {name: self.source_url(name) for name in SOURCES} | dict(self.urls)

    @property
    def simulated_sources(self) -> tuple[str, ...]:
        """The upstreams that the simulator plays because no address is set for them."""
        return tuple(name for name in SOURCES if name not in self.urls)

    def child_environment(self) -> dict[str, str]:
        """Return the variables that give a child process these very settings, one shared clock included."""
        return {
            "SOLFLIS_PORT": str(self.port),
            "SOLFLIS_AIRFLOW_PORT": str(self.airflow_port),
            "SOLFLIS_SIMULATOR_PORT": str(self.simulator_port),
            "SOLFLIS_STATE": str(self.state),
            "SOLFLIS_STORE": self.store,
            "SOLFLIS_CLOCK": self.clock.text(),
            "SOLFLIS_WORKERS": str(self.workers),
            **{f"SOLFLIS_{name.upper()}_URL": url for name, url in self.source_urls.items()},
            "SOLFLIS_FORECAST_SOURCE": self.forecast_source,
            "SOLFLIS_ACCESS": self.access,
            "SOLFLIS_SIMULATOR_SPACING_KM": str(self.simulator_spacing_km),
            "SOLFLIS_SIMULATOR_ARCHIVE_SPACING_KM": str(self.simulator_archive_spacing_km),
            "SOLFLIS_AREAS": format_areas(self.areas),
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

    def _refuse(self, name: str, expected: str) -> SettingsError:
        value = self._environment.get(f"SOLFLIS_{name}", "")
        return SettingsError(f"SOLFLIS_{name}='{value}': {expected}")

    def port(self, name: str, default: int) -> int:
        text = self.text(name, str(default))
        if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 65535):
            raise self._refuse(name, "expected a port number, 1 to 65535")
        return int(text)

    def count(self, name: str, default: int) -> int:
        text = self.text(name, str(default))
        if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 64):
            raise self._refuse(name, "expected a number of processes, 1 to 64")
        return int(text)

    def positive(self, name: str, default: float) -> float:
        try:
            value = float(self.text(name, str(default)))
        except ValueError:
            value = 0.0
        if not 0.0 < value < 1000.0:
            raise self._refuse(name, "expected a length in km, above 0 and below 1000")
        return value

    def url(self, name: str) -> str | None:
        text = self.text(name, "")
        if not text:
            return None
        if not text.startswith(("http://", "https://", "file://", "/", "./", "../")):
            raise self._refuse(name, "expected an address (http://, https://) or the path of a folder")
        return _absolute(text.rstrip("/"))

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        text = self.text(name, choices[0])
        if text not in choices:
            raise self._refuse(name, f"expected one of {', '.join(choices)}")
        return text

    def moment(self, name: str) -> str | None:
        text = self.text(name, "")
        try:
            return iso(parse_iso(text)) if text else None
        except ValueError as error:
            raise self._refuse(name, "expected a moment such as 2026-06-21T06:00:00Z") from error

    def clock(self, name: str) -> Clock:
        try:
            return Clock.parse(self.text(name, "") or None)
        except ValueError as error:
            raise self._refuse(name, str(error)) from error

    def areas(self, name: str, default: str) -> tuple[Area, ...]:
        try:
            return parse_areas(self.text(name, default))
        except ValueError as error:
            raise self._refuse(name, str(error)) from error
