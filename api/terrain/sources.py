"""Sources as the answer lists them."""

from collections.abc import Iterable, Mapping
from typing import Any

from catalog.sources.registry import SOURCES

Source = dict[str, Any]


def entry(terms: Mapping[str, Any], used: str, origin: str, date: str | None = None) -> Source:
    """Return an entry of the list, of a source's name, licence and attribution as provenance has them."""
    named = {"navn": terms["name"], "brukt_til": used, "lisens": terms["licence"], "navngivelse": terms["attribution"]}
    return {**named, "data_origin": origin, "dato": date}


def upstream(name: str, used: str, origin: str, date: str | None = None) -> Source:
    """Return the entry of a source that was read itself."""
    return entry(SOURCES[name].named(origin), used, origin, date)


def once(sources: Iterable[Source]) -> list[Source]:
    """Return each entry once."""
    return list({tuple(one.values()): one for one in sources}.values())
