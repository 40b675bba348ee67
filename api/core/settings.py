"""The settings, read once from `SOLFLIS_*` by `api.core.worker`, and the files that they name."""

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from importlib.metadata import version
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, get_type_hints

from pydantic import BaseModel, ValidationError

from api.core.body import field_problem
from catalog.sources.registry import SOURCES, addresses
from tiles.clock import Clock

SITES = Path(__file__).parents[1] / "forecast" / "sites.toml"
PLANS = Path(__file__).parents[1] / "access" / "plans.toml"
INSTALLED_POWER = Path(__file__).parents[1] / "production" / "installed.toml"

T = TypeVar("T", bound=BaseModel)
Network = IPv4Network | IPv6Network
# Paths are put behind it: no query, no fragment.
_BASE_URL = r"https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(/[\w./~%-]*)?"
_ORIGIN = r"https?://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?"
_MEGABYTES = r"0*([1-9]\d{0,5}|1000000)"
LOOPBACK: tuple[Network, ...] = (ip_network("127.0.0.0/8"), ip_network("::1/128"))


class SettingsError(Exception):
    """A setting, or a file that one names, cannot be used; the text is one line that names it."""


class Variable(NamedTuple):
    """Source of a setting.

    Parameters
    ----------
    name : str
        Of the variable, without `SOLFLIS_`.
    parse : callable
        Reads its text; it may raise ValueError.
    expected : str
        What the text should be; by default the error says it.
    """

    name: str
    parse: Callable[[str], Any] = str
    expected: str = ""

    def read(self, text: str) -> Any:
        """Return the setting; raises SettingsError."""
        try:
            return self.parse(text)
        except ValueError as error:
            wrong = f"expected {self.expected}" if self.expected else error
            raise SettingsError(f"SOLFLIS_{self.name}='{text}': {wrong}") from error


def _whole(pattern: str, text: str) -> str:
    if not re.fullmatch(pattern, text, re.ASCII):
        raise ValueError
    return text


def _networks(text: str) -> tuple[Network, ...]:
    return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())


def _base_url(text: str) -> str:
    return _whole(_BASE_URL, text).rstrip("/")


def _megabytes(text: str) -> int:
    return int(_whole(_MEGABYTES, text)) * 1_000_000


def _rates(text: str) -> tuple[str, ...]:
    return tuple(_whole(r"[1-9]\d{0,6}/(second|minute|hour|day)", part.strip()) for part in text.split(","))


def _origins(text: str) -> frozenset[str]:
    return frozenset(_whole(_ORIGIN, part.strip()) for part in text.split(","))


def _seconds(text: str) -> float:
    value = float(_whole(r"\d{1,3}(\.\d{1,3})?", text))
    if not 1 <= value <= 240:
        raise ValueError
    return value


# It stands in headers and files: one word.
_LICENSE = Variable(
    "TMY_LICENSE_VERSION", partial(_whole, r"[\w.-]{1,64}"), "1 to 64 of the characters A-Z a-z 0-9 . _ -"
)
_LAST_DAY = Variable("TMY_LICENSE_LAST_DAY", date.fromisoformat, "a day such as 2026-09-30")
_ACCESS = Variable("ACCESS", partial(_whole, "keys|open"), "keys or open")
_TRUSTED = Variable("TRUSTED_PROXIES", _networks, "networks such as 127.0.0.1,10.0.0.0/8")
_ADDRESS = Variable("BASE_URL", _base_url, "an address such as https://solflis.example.com")
_TERRAIN_RATES = Variable("TERRAIN_RATES", _rates, "limits such as 1/second,30/hour")
_ROOF_RATES = Variable("ROOF_RATES", _rates, "limits such as 1/second,20/hour")
_VISION_URL = Variable("VISION_URL", _base_url, "an address such as https://host/v1")
_INTERPRETER_URL = Variable("INTERPRETER_URL", _base_url, "an address such as https://host/v1")
_MCP_API = Variable("MCP_API", _base_url, "an address such as http://127.0.0.1:8080")
_MCP_ORIGINS = Variable("MCP_ORIGINS", _origins, "origins such as https://app.example.com,http://localhost:6274")
_MCP_WAIT = Variable("MCP_WAIT_S", _seconds, "a number of seconds from 1 to 240")
_HEIGHTS = Variable("HEIGHTS_MB", _megabytes, "a whole number of MB, such as 2000")


@dataclass(frozen=True)
class Settings:
    """Settings of the API.

    Parameters
    ----------
    store : str
        Address of the tile store: a folder or `s3://bucket/prefix`.
    state : Path
        Folder for what the workers of this machine share.
    clock : Clock
    sites : Path
        The named sites, TOML.
    poll_s : float
        How often the catalogue is asked for something new, s.
    first_look_s : float
        Longest that a start waits for the first look, s: a store that hangs does not keep a worker from answering.
    access : str
        `keys`: plans and quotas hold; `open`: everybody may do everything, and nothing is counted.
    database : str or None
        Address of the database of accounts and quotas; None is a SQLite file in the state folder.
    secret : str or None
        What keys and addresses are hashed with; None is a file of the state folder, made once.
    plans : Path
        What the plans allow, TOML.
    trusted_proxies : tuple of networks
        Whose `X-Forwarded-For` is believed, and who may read `/metrics`.
    rate_store : str or None
        `redis://...` where several hosts share rate limits; None is a file of the state folder.
    base_url : str
        Where callers reach this API: links in mails begin with it.
    smtp : str or None
        `smtp://user:password@host:port`, `smtps://...`; None puts mails into the state folder's `outbox`.
    mail_from : str
        Sender of mails.
    contact : str or None
        Whom people ask who have lost a key: an e-mail address or a page.
    urls : mapping of str to str
        Addresses of upstream sources by name, where they differ from the authority's own.
    heights_bytes : int
        How much of them is kept on this machine.
    terrain_rates : tuple of str
        Calls of each POST route of the terrain endpoints by an address; `X-Quota-Remaining` tells of the last.
    roof_rates : tuple of str
        As `terrain_rates`, of `/api/roof/jobs` and `/api/roof/layout`.
    roof_heights : str or None
        File or folder of the operator's own heights of roofs, finer than 1 m.
    vision_url, vision_key, vision_model : str or None
        OpenAI-compatible endpoint that looks at aerial pictures of roofs; None asks none.
    interpreter_url, interpreter_key, interpreter_model : str or None
        OpenAI-compatible endpoint that is asked how to read production files; None asks none.
    tmy_license : (str, date) or None
        What the licence of typical years is called, and its last day (UTC); None where there is none.
    snowload_table : Path or None
        The operator's table of the national annex on snow loads, CSV; None where there is none.
    installed_power : Path
        The file of installed power by county.
    mcp_api : str or None
        Address of the API that a tool server by itself asks.
    mcp_origins : frozenset of str
        Web pages, beside our own, whose scripts may call the tool server.
    mcp_wait_s : float
        How long a tool waits for a job, s.
    results : str or None
        Where results of jobs lie: a folder or `s3://bucket/prefix` that API and job workers share; None is `results` in
        the state folder.
    metrics : Path or None
        Folder in which the workers of this machine add up their metrics; None is this process alone.
    """

    store: str
    state: Path
    clock: Annotated[Clock, Variable("CLOCK", Clock.parse)] = field(default_factory=Clock)
    sites: Annotated[Path, Variable("SITES", Path)] = SITES
    poll_s: float = 1.0
    first_look_s: float = 10.0
    access: Annotated[Literal["keys", "open"], _ACCESS] = "keys"
    database: Annotated[str | None, Variable("DATABASE")] = field(default=None, repr=False)
    secret: Annotated[str | None, Variable("SECRET")] = field(default=None, repr=False)
    plans: Annotated[Path, Variable("PLANS", Path)] = PLANS
    trusted_proxies: Annotated[tuple[Network, ...], _TRUSTED] = LOOPBACK
    rate_store: Annotated[str | None, Variable("RATE_STORE")] = field(default=None, repr=False)
    base_url: Annotated[str, _ADDRESS] = "http://127.0.0.1:8080"
    smtp: Annotated[str | None, Variable("SMTP")] = field(default=None, repr=False)
    mail_from: Annotated[str, Variable("MAIL_FROM")] = "solflis@localhost"
    contact: Annotated[str | None, Variable("CONTACT")] = None
    urls: Mapping[str, str] = field(default_factory=dict, repr=False)
    heights_bytes: Annotated[int, _HEIGHTS] = 2_000_000_000
    terrain_rates: Annotated[tuple[str, ...], _TERRAIN_RATES] = ("1/second", "30/hour")
    roof_rates: Annotated[tuple[str, ...], _ROOF_RATES] = ("1/second", "20/hour")
    roof_heights: Annotated[str | None, Variable("ROOF_HEIGHTS")] = None
    vision_url: Annotated[str | None, _VISION_URL] = None
    vision_key: Annotated[str, Variable("VISION_KEY")] = field(default="", repr=False)
    vision_model: Annotated[str, Variable("VISION_MODEL")] = "gpt-4o"
    interpreter_url: Annotated[str | None, _INTERPRETER_URL] = None
    interpreter_key: Annotated[str, Variable("INTERPRETER_KEY")] = field(default="", repr=False)
    interpreter_model: Annotated[str, Variable("INTERPRETER_MODEL")] = "gpt-4o"
    tmy_license: tuple[str, date] | None = None
    snowload_table: Annotated[Path | None, Variable("SNOWLOAD_TABLE", Path)] = None
    installed_power: Annotated[Path, Variable("INSTALLED_POWER", Path)] = INSTALLED_POWER
    mcp_api: Annotated[str | None, _MCP_API] = None
    mcp_origins: Annotated[frozenset[str], _MCP_ORIGINS] = frozenset()
    mcp_wait_s: Annotated[float, _MCP_WAIT] = 25.0
    results: Annotated[str | None, Variable("RESULTS")] = None
    metrics: Annotated[Path | None, Variable("METRICS", Path)] = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Settings":
        """Read the settings; relative folders are taken from the current folder.

        Raises
        ------
        SettingsError
            A value is malformed, or lacks others that belong to it.
        """
        given = {name: text.strip() for name, text in environment.items() if text.strip()}
        state = Path(given.get("SOLFLIS_STATE", "./var")).resolve()
        values: dict[str, Any] = {"state": state, "store": given.get("SOLFLIS_STORE", str(state / "tiles"))}
        if port := given.get("SOLFLIS_PORT"):
            values["base_url"] = f"http://127.0.0.1:{port}"
        for field_name, hint in get_type_hints(cls, include_extras=True).items():
            for variable in getattr(hint, "__metadata__", ()):
                if (text := given.get(f"SOLFLIS_{variable.name}")) is not None:
                    values[field_name] = variable.read(text)
        licence, last_day = (given.get(f"SOLFLIS_TMY_LICENSE_{one}", "") for one in ("VERSION", "LAST_DAY"))
        if licence or last_day:
            values["tmy_license"] = _LICENSE.read(licence), _LAST_DAY.read(last_day)
        try:
            values["urls"] = addresses(environment)
        except ValueError as error:
            raise SettingsError(str(error)) from error
        missing = " and ".join(name for name in ("SOLFLIS_BASE_URL", "SOLFLIS_MAIL_FROM") if name not in given)
        if "SOLFLIS_SMTP" in given and missing:
            raise SettingsError(f"SOLFLIS_SMTP sends mails to people: set {missing} too, for their links and sender")
        return cls(**values)

    @property
    def user_agent(self) -> str:
        """By which upstreams know this installation."""
        return f"solflis/{version('solflis')} ({self.contact or self.base_url})"

    @property
    def results_address(self) -> str:
        """Address of the results of jobs: a folder or a bucket."""
        given = self.results or str(self.state / "results")
        return given if "://" in given else str(Path(given).resolve())

    @property
    def job_metrics(self) -> Path:
        """Folder in which the job workers of this machine add up their metrics."""
        return self.state / "metrics" / "jobs"

    def address(self, source: str) -> str:
        """Return where an upstream is read."""
        return SOURCES[source].address(self.urls)


def read_toml(path: Path, model: type[T]) -> T:
    """Read a file: a sentence for each key that is wrong, as for fields of a request's body.

    Raises
    ------
    SettingsError
    """
    try:
        return model.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        wrong = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        wrong = "is not text in UTF-8"
    except tomllib.TOMLDecodeError as error:
        wrong = f"is not TOML: {error}"
    except ValidationError as error:
        wrong = " ".join(field_problem(fault).text("en") for fault in error.errors())
    raise SettingsError(f"{path}: {wrong}")
