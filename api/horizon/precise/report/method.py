"""Part of the report on its making: assumptions, warnings, sources, versions."""

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from api.horizon.precise.report.words import Writer
from api.reports.text import plain
from catalog.sources.registry import SOURCES

Content = dict[str, Any]


def chapter(result: Mapping[str, Any], write: Writer) -> Content:
    """Return the chapter of the method, as the template takes it."""
    words = write.words["method"]
    return {
        "heading": words["heading"],
        "sentences": _sentences(result, write),
        "warnings_heading": words["warnings"],
        "warnings": [plain(warning) for warning in result["warnings"]["others"]],
        "no_warnings": words["no_others" if result["warnings"]["decisive"] else "no_warnings"],
        "sources_heading": words["sources"],
        "sources_head": words["sources_head"],
        "sources": [_source(source, words["origins"]) for source in result["sources"]],
        "no_sources": words["no_sources"],
        "trace": _trace(result, write),
    }


def _sentences(result: Mapping[str, Any], write: Writer) -> list[list[list[str]]]:
    """Return the sentences in two halves, each with its lead."""
    words, year = write.words["method"], result["typical_year"]
    chosen = (
        "surface", "far" if result["tier1_used"] else "no_far", "point", year["kind"], "sun", "sky", "ground", "trees",
        "apart", "without",
    )  # fmt: skip
    values = {
        "near_m": write.short(result["near_field_m"]),
        "dom": _of_year(result["dom_year"], write),
        "dtm": _of_year(result["dtm_year"], write),
        "tile": write.value(result["tile_key"]),
        "product": write.value(year["product"]),
        "cell": write.value(year["cell_id"]),
        "distance": write.value(year["cell_distance_km"]),
        "version": write.value(year["version"]),
        "transmission": write.number(result["bare_crown_transmission"]),
    }
    sentences = [[lead, text.format(**values)] for lead, text in (words[name] for name in chosen)]
    return [sentences[: len(sentences) // 2], sentences[len(sentences) // 2 :]]


def _of_year(year: int | None, write: Writer) -> str:
    words = write.words["method"]
    return str(words["of_unknown_year"] if year is None else words["of_year"].format(year=year))


def _source(source: Mapping[str, str], origins: Mapping[str, str]) -> Content:
    """Return a source; what is live and in the registry has its producer's address and its licence's."""
    known = SOURCES.get(source["name"]) if source["data_origin"] == "live" else None
    ours = known is not None and known.licence.name == source["licence"]
    return {
        "name": known.producer.name if known is not None else plain(source["name"]),
        "url": known.producer.url if known is not None else "",
        "licence": plain(source["licence"]),
        "licence_url": known.licence.url if known is not None and ours else "",
        "attribution": plain(source["attribution"]),
        "origin": origins[source["data_origin"]],
    }


def _trace(result: Mapping[str, Any], write: Writer) -> Content:
    words, origins = write.words["trace"], write.words["method"]["origins"]
    named = {"api_tier": words["tiers"], "data_origin": origins, "kind": words["kinds"]}

    def table(labels: list[list[str]], values: Mapping[str, Any]) -> list[list[str]]:
        found = [(label, key, values[key]) for label, key in labels]
        return [[label, named[key][value] if key in named else write.value(value)] for label, key, value in found]

    year = result["typical_year"]
    of_year = words["year_rows"] if year["kind"] == "typical" else words["cloudless_rows"]
    halves = table(words["rows"], result), table(of_year, year)
    return {
        "heading": words["heading"],
        "head": words["head"] * 2,
        "rows": [left + right for left, right in zip_longest(*halves, fillvalue=["", ""])],
    }
