"""What every version says of how it was made."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from typing import Any

from catalog.sources.data_origin import origin_of
from catalog.sources.registry import SIMULATED_LICENCE
from tiles.clock import iso

INTERVAL = "time is the start of the hour (UTC); irradiance is the mean over that hour"


@cache
def code_version() -> str:
    """Return the version of this code, `solflis 0.1.0`."""
    return f"solflis {version('solflis')}"


def user_agent() -> str:
    """Return how builders introduce themselves to upstream authorities, who ask for a name and a contact."""
    return f"solflis/{version('solflis')} (self-hosted; solar forecasts for Norway)"


def built_by() -> dict[str, str]:
    """Return which code made a version, and when."""
    return {"code_version": code_version(), "built_at": iso(datetime.now(UTC))}


def provenance(sources: Sequence[Mapping[str, Any]], **more: Any) -> dict[str, Any]:
    """Return what a version says of its sources, their terms, and who built it.

    Parameters
    ----------
    sources : sequence of mapping
        Each with `name`; an upstream's also with `licence` and `attribution`, as `Source.named` returns them.
    **more
        What else it says; it replaces what follows from the sources.
    """
    return {
        "source": "+".join(dict.fromkeys(source["name"] for source in sources)),
        "data_origin": origin_of(*map(_origin, sources)),
        "sources": [dict(source) for source in sources],
        "licence": _joined(sources, "licence"),
        "attribution": _joined(sources, "attribution"),
        **built_by(),
        **more,
    }


def _origin(source: Mapping[str, Any]) -> str | None:
    """Return what a source says of its origin: a product of ours by `data_origin`, an upstream by its licence."""
    return "simulated" if source.get("licence") == SIMULATED_LICENCE else source.get("data_origin")


def _joined(sources: Sequence[Mapping[str, Any]], name: str) -> str:
    return "; ".join(dict.fromkeys(source[name] for source in sources if name in source))
