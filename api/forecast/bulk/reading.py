"""What the tile says of every system of a bulk call: read first, all at once."""

from typing import NamedTuple

from api import texts
from api.errors import Unavailable
from api.forecast.body import Series
from api.forecast.bulk.models import System
from api.forecast.place import is_covered
from tiles.grid import FORECAST


class Missing(NamedTuple):
    """Why a system has no result.

    Parameters
    ----------
    error : str
    lasts : bool
        Whether it is so for everybody, as long as this tile is served.
    """

    error: str
    lasts: bool


def read(series: Series, system: System) -> bytes | Missing:
    """Return the packed weather of a system, or why there is none."""
    if not is_covered(system.latitude, system.longitude):
        return Missing(texts.OUTSIDE_COVERAGE, lasts=True)
    try:
        return series.packed_weather(FORECAST.cell_at(system.latitude, system.longitude), wind=False)
    except Unavailable as error:
        return Missing(error.text, lasts="Retry-After" not in error.headers)
