"""What the provenance of heights says, as answers and files tell it."""

from collections.abc import Mapping
from typing import Any

from catalog.sources.registry import simulated_terms
from tiles.products.horizon import AZIMUTHS

Source = dict[str, str]
"""`name`, `licence`, `attribution`, `data_origin`."""


def sources_of(provenance: Mapping[str, Any], data_origin: str) -> list[Source]:
    """Return the sources of a version, each once: its provenance has one for each area.

    What is invented is nobody's work and under nobody's licence.

    Parameters
    ----------
    provenance : mapping
    data_origin : str
        Of the version; of a source that does not say its own.
    """
    found = {}
    for one in provenance.get("sources", ()):
        origin = one.get("data_origin") or data_origin
        terms = one if origin == "live" else simulated_terms(one["name"])
        source = one["name"], terms["licence"], terms["attribution"], origin
        found[source] = dict(zip(("name", "licence", "attribution", "data_origin"), source, strict=True))
    return list(found.values())


def sentence(source: Source) -> str:
    """Return a source as a file names it."""
    licence = f" - licence {source['licence']}" if source["data_origin"] == "live" else ""
    return f"{source['attribution']}{licence}"


def cut(provenance: Mapping[str, Any]) -> Mapping[str, str]:
    """Return in what `share` of directions, %, a version's heights end before its reach, `km`; nothing for none."""
    rays, reach = provenance.get("rays") or {}, provenance.get("reach_m")
    if not rays.get("rays_cut") or not reach:
        return {}
    percent = 100 * rays["rays_cut"] / (rays["points"] * AZIMUTHS)
    return {"share": f"{percent:.3g}" if percent >= 0.1 else "< 0.1", "km": f"{reach / 1000:g}"}


def ends(provenance: Mapping[str, Any]) -> str:
    """Say in how many directions a version's heights end before its reach; nothing where that is none, or not known."""
    if not (ending := cut(provenance)):
        return ""
    text = "In {share} % of all directions of all places of this version the heights end before {km} km"
    return text.format(**ending)
