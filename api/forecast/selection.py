"""Which model a query gets, and the date from which the outgoing one can no longer be chosen."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

SUNSET = datetime(2026, 11, 19, tzinfo=UTC)
SUNSET_HEADER = {"Sunset": "Thu, 19 Nov 2026 00:00:00 GMT"}


@dataclass(frozen=True)
class Model:
    """A forecast model.

    Parameters
    ----------
    choice : str
        The `data_mode`; for all but the day, the value of `model=` too.
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
DAILY = Model("v23b_daily", "production_v2_3b", "ghi")


class Asked(Protocol):
    """What a query or a body says of the model."""

    @property
    def model(self) -> str:
        """The model's `choice`."""

    @property
    def v23b(self) -> bool:
        """Legacy: false is v1."""

    @property
    def corrected(self) -> bool:
        """Legacy: true is v1."""

    @property
    def fresh(self) -> bool:
        """Legacy: true is v1."""

    @property
    def daily(self) -> bool:
        """Whether the stitched day is wanted; it is of v2.3b, whatever the model."""


def asks_for_v1(query: Asked) -> bool:
    """Return whether a query chooses V1.5 in any of the four ways."""
    return query.model == V1.choice or not query.v23b or query.corrected or query.fresh


def choose(query: Asked, now: datetime) -> tuple[Model, dict[str, str] | None]:
    """Return the model that answers, and the header that a dated choice is answered with."""
    if not asks_for_v1(query):
        return V23B, None
    return (V1 if now < SUNSET else V23B), SUNSET_HEADER
