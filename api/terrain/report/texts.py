"""Words and numbers of the report."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from api.reports.text import plain, written


@cache
def words() -> Mapping[str, Any]:
    """Return the texts of `words.toml`."""
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


def value(one: Any) -> str:
    """Return a value of the answer as it is printed: numbers with all their digits, `-` where there is none."""
    if one is None:
        return str(words()["none"])
    if isinstance(one, str):
        return plain(one)
    return written(int(one) if one == int(one) else one)  # 120 m, not 120.0


def direction(degrees: float) -> str:
    """Return the nearest of sixteen points of the compass."""
    return str(words()["compass"][round(degrees / 22.5) % 16])
