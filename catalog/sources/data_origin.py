"""Two origins of data: `live`, of an authority, and `simulated`, of our simulator."""

from typing import Literal

DataOrigin = Literal["live", "simulated"]


def origin_of(*said: object) -> DataOrigin:
    """Return `simulated` where any of several parts says so, else `live`."""
    return "simulated" if "simulated" in said else "live"
