"""Headings and words of seven languages, and headings of real brands."""

import tomllib
from pathlib import Path
from typing import NamedTuple

_HERE = Path(__file__).parent
_WORDS = tomllib.loads((_HERE / "words.toml").read_text(encoding="utf-8"))
MONTHS: dict[str, str] = _WORDS["months"]
SHORT_MONTHS: dict[str, str] = _WORDS["short_months"]
WEEKDAYS: dict[str, str] = _WORDS["weekdays"]


class Brand(NamedTuple):
    """One kind of export; headings by role."""

    name: str
    time: str
    language: str
    values: dict[str, str]
    beside: dict[str, str]
    times: tuple[str, ...]
    file: str


BRANDS = tuple(
    Brand(
        row["name"],
        row["time"],
        row["language"],
        row["values"],
        row.get("beside", {}),
        tuple(row["times"]),
        row["file"],
    )
    for row in tomllib.loads((_HERE / "brands.toml").read_text(encoding="utf-8"))["brand"]
)


def heads(role: str, language: str) -> list[str]:
    """Return the headings of a role in a language."""
    return list(_WORDS["heads"][role][language].split("|"))


def label(name: str, language: str) -> str:
    """Return a word of title rows."""
    return str(_WORDS["labels"][name][language])
