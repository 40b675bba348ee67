"""What the provenance of heights says, as answers and files tell it."""

from collections.abc import Iterable, Mapping
from typing import Any

from api.horizon.profile import N
from catalog.sources.registry import simulated_terms

LIVE, SIMULATED = "live", "simulated"

Source = dict[str, str]
"""`name`, `licence`, `attribution`, `data_origin`."""


def source(name: str, licence: str, attribution: str, *, simulated: bool) -> Source:
    """Return a source; what is invented is nobody's work and under nobody's licence."""
    if simulated:
        licence, attribution = simulated_terms(name).values()
    origin = SIMULATED if simulated else LIVE
    return {"name": name, "licence": licence, "attribution": attribution, "data_origin": origin}


def sources_of(provenance: Mapping[str, Any], data_origin: str) -> list[Source]:
    """Return the sources of a version, each once: its provenance has one for each area.

    Parameters
    ----------
    provenance : mapping
    data_origin : str
        Of the version; of a source that does not say its own.
    """
    said = [one for one in provenance.get("sources") or [] if isinstance(one, dict)]
    return distinct(
        source(*(str(one.get(key) or "") for key in ("name", "licence", "attribution")),
               simulated=(one.get("data_origin") or data_origin) != LIVE)
        for one in said
    )  # fmt: skip


def distinct(found: Iterable[Source]) -> list[Source]:
    """Return each source once, in their order."""
    return [dict(one) for one in dict.fromkeys(tuple(one.items()) for one in found)]


def sentence(one: Source) -> str:
    """Return a source as a file names it."""
    who = one["attribution"] or one["name"]
    if one["data_origin"] != LIVE or not one["licence"]:
        return who
    return f"{who} - licence {one['licence']}"


def ends(provenance: Mapping[str, Any]) -> str:
    """Say in how many directions a version's heights end before its reach; nothing where that is none, or not known."""
    rays, reach = provenance.get("rays"), provenance.get("reach_m")
    if not isinstance(rays, dict) or not rays.get("points") or not rays.get("rays_cut") or not reach:
        return ""
    percent = 100 * rays["rays_cut"] / (rays["points"] * N)
    share = f"{percent:.3g} %" if percent >= 0.1 else "less than 0.1 %"
    return f"In {share} of all directions of all places of this version the heights end before {reach / 1000:g} km"
