"""Answers as tables that a spreadsheet opens without options."""

from collections.abc import Iterator, Mapping
from typing import Any

# A spreadsheet takes a text that begins so for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def flat(part: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield what a part of an answer holds, by names that lead to it.

    Parameters
    ----------
    part : mapping
    prefix : str
        What the names begin with.
    """
    for name, value in part.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}_")
        else:
            yield f"{prefix}{name}", value


def cell(value: Any) -> Any:
    """Return a value as a cell holds it: a text that would be a formula has an apostrophe before it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
