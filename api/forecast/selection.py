"""Which model a query gets, and the date from which the outgoing one can no longer be chosen."""

from dataclasses import dataclass
from datetime import UTC, datetime

from api.forecast.models import ForecastQuery

SUNSET = datetime(2026, 11, 19, tzinfo=UTC)
SUNSET_HEADER = {"Sunset": "Thu, 19 Nov 2026 00:00:00 GMT"}


@dataclass(frozen=True)
class Model:
    """A forecast model.

    Parameters
    ----------
    choice : str
        The value of `model=`, and the `data_mode`.
    name : str
        As answers report it.
    variable : str
        Where the tile holds it.
    """

    choice: str
    name: str
    variable: str


V23B = Model("v23b", "production_v2_3b", "ghi")
V1 = Model("v1", "production_v1", "ghi_v1")


def asks_for_v1(query: ForecastQuery) -> bool:
    """Return whether a query chooses V1.5 in any of the four ways."""
    return query.model == V1.choice or not query.v23b or query.corrected or query.fresh


def choose(query: ForecastQuery, now: datetime) -> tuple[Model, dict[str, str] | None]:
    """Return the model that answers, and the header that a dated choice is answered with."""
    if not asks_for_v1(query):
        return V23B, None
    return (V1 if now < SUNSET else V23B), SUNSET_HEADER
