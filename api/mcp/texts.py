"""Norwegian texts of the tools: those of `tools.toml`, and how summaries write numbers and times."""

import tomllib
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any

from api.mcp.names import local_time

SUMMARY = "oppsummering"
"""Field of a structured result that repeats the summary: some clients show that alone."""
LONGEST = 600
"""Maximum length of a summary, characters."""
MONTHS = (
    "januar", "februar", "mars", "april", "mai", "juni",
    "juli", "august", "september", "oktober", "november", "desember",
)  # fmt: skip
SIMULATED = "Tallene er SIMULERT og gjelder ikke det virkelige stedet."
"""The warning that matters most where data are invented."""


@cache
def texts() -> dict[str, Any]:
    """Return the texts of `tools.toml`; the lines of each are joined by spaces."""
    joined_texts: dict[str, Any] = _joined(
        tomllib.loads(Path(__file__).with_name("tools.toml").read_text(encoding="utf-8"))
    )
    return joined_texts


def _joined(value: Any) -> Any:
    return {name: _joined(one) for name, one in value.items()} if isinstance(value, dict) else " ".join(value.split())


def text(table: str, key: str, **values: object) -> str:
    """Return a text with its places filled in."""
    found: str = texts()[table][key]
    return found.format(**values) if values else found


def number(value: float, decimals: int = 0) -> str:
    """Return a number as Norwegians write it: 12 345,6."""
    return f"{value:,.{decimals}f}".replace(",", "\u00a0").replace(".", ",").replace("-", "\u2212")


def short(value: float) -> str:
    """Return a number with as many decimals as it has, at most two."""
    return f"{round(value, 2):g}".replace(".", ",").replace("-", "\u2212")


def facing(aspect: float) -> str:
    """Return where a surface faces, from its azimuth from south, degrees."""
    plain = {0.0: "sør", -90.0: "øst", 90.0: "vest", 180.0: "nord", -180.0: "nord"}
    if aspect in plain:
        return f"rett mot {plain[aspect]}"
    return f"{short(abs(aspect))}° mot {'øst' if aspect < 0 else 'vest'} fra sør"


def degrees(lat: float, lon: float) -> str:
    """Return a position."""
    return f"{number(lat, 4)}° N, {number(lon, 4)}° Ø"


def day(iso: str) -> str:
    """Return a date such as 30. november."""
    of = date.fromisoformat(iso[:10])
    return f"{of.day}. {MONTHS[of.month - 1]}"


def clock(utc: str) -> str:
    """Return the local time of a moment in UTC: 30. november kl. 12.00."""
    local = datetime.fromisoformat(local_time(utc))
    return f"{local.day}. {MONTHS[local.month - 1]} kl. {local:%H.%M}"


def joined(*sentences: str) -> str:
    """Return a summary of the sentences that are not empty, at most `LONGEST` characters."""
    return " ".join(one for one in sentences if one)[:LONGEST]


def first(*warnings: tuple[bool, str]) -> str:
    """Return the first warning that holds: a summary has one."""
    return next((sentence for holds, sentence in warnings if holds), "")
