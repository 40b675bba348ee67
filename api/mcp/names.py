"""Norwegian names of the fields of structured results, by the one table in `names.toml`."""

import tomllib
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

_TABLE = tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))
NAMES: dict[str, str] = _TABLE["names"]
SAME = frozenset(_TABLE["same"])
"""Names that are the same in Norwegian."""
OMITTED = {tool: frozenset(paths) for tool, paths in _TABLE["omitted"].items()}
"""Fields of answers that a tool leaves out, by their paths."""
# Times of UTC that people read: each gets its local time beside it.
LOCAL = {"tid_utc": "tid_lokal"}
_OSLO = ZoneInfo("Europe/Oslo")


def translate(value: Any, omitted: frozenset[str] = frozenset(), at: str = "") -> Any:
    """Return an answer with the names of its fields in Norwegian, and local times beside those in UTC.

    Parameters
    ----------
    value : object
        As JSON.
    omitted : frozenset of str
        Paths that are left out, such as `sektorer.profil`, by the names of the answer.
    at : str
        Path of the value.
    """
    if isinstance(value, list):
        return [translate(one, omitted, at) for one in value] if value and isinstance(value[0], dict) else value
    if not isinstance(value, dict):
        return value
    fields: dict[str, Any] = value
    result: dict[str, Any] = {}
    for name, inner in fields.items():
        path = f"{at}.{name}" if at else name
        if path in omitted:
            continue
        named = NAMES.get(name, name)
        result[named] = translate(inner, omitted, path) if isinstance(inner, dict | list) else inner
        if named in LOCAL:
            result[LOCAL[named]] = local_time(inner)
    return result


def local_time(utc: str) -> str:
    """Return an ISO 8601 time in UTC as one in Norway, with its offset."""
    return datetime.fromisoformat(utc).astimezone(_OSLO).isoformat(timespec="minutes")
