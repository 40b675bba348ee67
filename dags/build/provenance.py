"""What every version says of how it was made."""

from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version

from tiles.clock import iso


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
