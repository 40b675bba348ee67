"""The settings of the API, read once from `SOLFLIS_*` by `api.worker`."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Literal, cast

from catalog.sources.registry import SOURCES, addresses
from tiles.clock import Clock

SITES = Path(__file__).parent / "forecast" / "sites.toml"
PLANS = Path(__file__).parent / "access" / "plans.toml"

Network = IPv4Network | IPv6Network
# Paths are put behind it: no query, no fragment.
_BASE_URL = re.compile(r"https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(/[\w./~%-]*)?", re.ASCII)
_WORD = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
LOOPBACK: tuple[Network, ...] = (ip_network("127.0.0.0/8"), ip_network("::1/128"))


class SettingsError(Exception):
    """A setting cannot be read; the text names the variable."""


@dataclass(frozen=True)
class Settings:
    """What the API needs to know.

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
    tmy_license_version : str
        What the licence of typical years is called.
    tmy_license_last_day : date
        The last day (UTC) on which it holds; past it every answer says that it has expired.
    snowload_table : Path or None
        The operator's table of the national annex on snow loads, CSV; None where there is none.
    metrics : Path or None
        Folder in which the workers of this machine add up their metrics; None is this process alone.
    """

    store: str
    state: Path
    clock: Clock = field(default_factory=Clock)
    sites: Path = SITES
    poll_s: float = 1.0
    access: Literal["keys", "open"] = "keys"
    database: str | None = field(default=None, repr=False)
    secret: str | None = field(default=None, repr=False)
    plans: Path = PLANS
    trusted_proxies: tuple[Network, ...] = LOOPBACK
    rate_store: str | None = field(default=None, repr=False)
    base_url: str = "http://127.0.0.1:8080"
    smtp: str | None = field(default=None, repr=False)
    mail_from: str = "solflis@localhost"
    contact: str | None = None
    urls: Mapping[str, str] = field(default_factory=dict, repr=False)
    heights_bytes: int = 2_000_000_000
    tmy_license_version: str = "tmy-v1-2026-09-30"
    tmy_license_last_day: date = date(2026, 9, 30)
    snowload_table: Path | None = None
    metrics: Path | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Settings":
        """Read the settings; relative folders are taken from the current folder.

        Raises
        ------
        SettingsError
            A value is malformed, or lacks others that belong to it.
        """

        def text(name: str) -> str:
            return environment.get(f"SOLFLIS_{name}", "").strip()

        state = Path(text("STATE") or "./var").resolve()
        try:
            clock = Clock.parse(text("CLOCK") or None)
        except ValueError as error:
            raise SettingsError(f"SOLFLIS_CLOCK: {error}") from error
        try:
            urls = addresses(environment)
        except ValueError as error:
            raise SettingsError(str(error)) from error
        missing = " and ".join(f"SOLFLIS_{name}" for name in ("BASE_URL", "MAIL_FROM") if not text(name))
        if text("SMTP") and missing:
            raise SettingsError(f"SOLFLIS_SMTP sends mails to people: set {missing} too, for their links and sender")
        return cls(
            store=text("STORE") or str(state / "tiles"),
            state=state,
            clock=clock,
            sites=Path(text("SITES") or SITES),
            access=_access(text("ACCESS") or "keys"),
            database=text("DATABASE") or None,
            secret=text("SECRET") or None,
            plans=Path(text("PLANS") or PLANS),
            trusted_proxies=_networks(text("TRUSTED_PROXIES")) or LOOPBACK,
            rate_store=text("RATE_STORE") or None,
            base_url=_base_url(text("BASE_URL") or f"http://127.0.0.1:{text('PORT') or 8080}"),
            smtp=text("SMTP") or None,
            mail_from=text("MAIL_FROM") or "solflis@localhost",
            contact=text("CONTACT") or None,
            urls=urls,
            heights_bytes=_megabytes("HEIGHTS_MB", text("HEIGHTS_MB"), cls.heights_bytes),
            tmy_license_version=_word("TMY_LICENSE_VERSION", text("TMY_LICENSE_VERSION") or cls.tmy_license_version),
            tmy_license_last_day=_day("TMY_LICENSE_LAST_DAY", text("TMY_LICENSE_LAST_DAY"), cls.tmy_license_last_day),
            snowload_table=Path(text("SNOWLOAD_TABLE")) if text("SNOWLOAD_TABLE") else None,
            metrics=Path(text("METRICS")) if text("METRICS") else None,
        )

    def address(self, source: str) -> str:
        """Return where an upstream is read."""
        return SOURCES[source].address(self.urls)


def _access(value: str) -> Literal["keys", "open"]:
    if value not in ("keys", "open"):
        raise SettingsError(f"SOLFLIS_ACCESS='{value}': expected keys or open")
    return cast(Literal["keys", "open"], value)


def _megabytes(name: str, value: str, default: int) -> int:
    if not value:
        return default
    if not (value.isascii() and value.isdigit() and 1 <= int(value) <= 1_000_000):
        raise SettingsError(f"SOLFLIS_{name}='{value}': expected a whole number of MB, such as 2000")
    return int(value) * 1_000_000


def _word(name: str, value: str) -> str:
    """Return what stands in headers and files: one word."""
    if not _WORD.fullmatch(value):
        raise SettingsError(f"SOLFLIS_{name}='{value}': expected 1 to 64 of the characters A-Z a-z 0-9 . _ -")
    return value


def _day(name: str, value: str, default: date) -> date:
    try:
        return date.fromisoformat(value) if value else default
    except ValueError:
        raise SettingsError(f"SOLFLIS_{name}='{value}': expected a day such as 2026-09-30") from None


def _base_url(value: str) -> str:
    if not _BASE_URL.fullmatch(value):
        raise SettingsError(f"SOLFLIS_BASE_URL='{value}': expected an address such as https://solflis.example.com")
    return value.rstrip("/")


def _networks(value: str) -> tuple[Network, ...]:
    try:
        return tuple(ip_network(part.strip()) for part in value.split(",") if part.strip())
    except ValueError as error:
        expected = "expected networks such as 127.0.0.1,10.0.0.0/8"
        raise SettingsError(f"SOLFLIS_TRUSTED_PROXIES='{value}': {expected}") from error
