"""Norwegian names of the fields of structured results, by the one table in `names.toml`."""

import tomllib
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

_TABLE = tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))
NAMES: dict[str, str] = _TABLE["names"]
SAME = frozenset(_TABLE["same"])
"""Names that are the same in Norwegian."""
# Times of UTC that people read: each gets its local time beside it.
LOCAL = {"tid_utc": "tid_lokal"}
_OSLO = ZoneInfo("Europe/Oslo")

Omitted = Mapping[str, Any]
"""Fields that are left out: by name nothing, or those of the object, or of the objects of the list, that it holds."""
NOTHING: Omitted = {}


def _tree(paths: Iterable[str]) -> Omitted:
    """Return the fields of paths such as `sektorer.profil`."""
    tree: dict[str, Any] = {}
    for path in paths:
        *parents, name = path.split(".")
        inner = tree
        for parent in parents:
            inner = inner.setdefault(parent, {})
        inner[name] = None
    return tree


OMITTED = {tool: _tree(paths) for tool, paths in _TABLE["omitted"].items()}
"""By tool."""


def translate(value: Any, omitted: Omitted = NOTHING) -> Any:
    """Return an answer with the names of its fields in Norwegian, and local times beside those in UTC.

    Parameters
    ----------
    value : object
        As JSON.
    omitted : Omitted
        By the names of the answer.
    """
    if isinstance(value, list):
        return [translate(one, omitted) for one in value] if value and isinstance(value[0], dict) else value
    if not isinstance(value, dict):
        return value
    fields: dict[str, Any] = value
    result: dict[str, Any] = {}
    for name, inner in fields.items():
        within = omitted.get(name, NOTHING)
        if within is None:
            continue
        named = NAMES.get(name, name)
        result[named] = translate(inner, within) if isinstance(inner, dict | list) else inner
        if named in LOCAL:
            result[LOCAL[named]] = local_time(inner)
    return result


@lru_cache(maxsize=1024)  # an hour of a forecast is that of many answers
def local_time(utc: str) -> str:
    """Return an ISO 8601 time in UTC as one in Norway, with its offset."""
    return datetime.fromisoformat(utc).astimezone(_OSLO).isoformat(timespec="minutes")
