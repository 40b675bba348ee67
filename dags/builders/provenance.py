"""What every version says of how it was made."""

from functools import cache
from importlib.metadata import version


@cache
def code_version() -> str:
    """Return the version of this code, `solflis 0.1.0`."""
    return f"solflis {version('solflis')}"


def user_agent() -> str:
    """Return how builders introduce themselves to upstream authorities, who ask for a name and a contact."""
    return f"solflis/{version('solflis')} (self-hosted; solar forecasts for Norway)"


def terms(source: str, licence: str, attribution: str, *, simulated: bool) -> dict[str, str]:
    """Return licence and attribution; what is invented is nobody's work and under nobody's licence.

    Parameters
    ----------
    source, licence, attribution : str
        The upstream's name, and what holds for its real data.
    simulated : bool
    """
    if simulated:
        made_up = f"SIMULATED by Solflis in the format of {source}"
        return {"licence": "none: simulated data", "attribution": made_up}
    return {"licence": licence, "attribution": attribution}
