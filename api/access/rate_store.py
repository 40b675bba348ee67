"""What rate limits are counted in: a SQLite file that the workers of a host share, or a Redis that hosts share.

A window moves: as many of the last moments are kept as the rule allows, and there is room when the oldest of them has
left the window. So there are never more than the rule allows in *any* window; windows that stand would let twice as
many through around their edge. One transaction, or script, looks at all rules and then takes from all or from none, by
one clock: the host's, or that of Redis. The strategies of `limits` take one rule at a time, by each caller's clock.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

# A store that is slower than this is away, s.
PATIENCE_S = 1.0


class StoreAway(Exception):
    """The store does not answer, or not as it should."""


class Window(NamedTuple):
    """At most `amount` hits of `key` in any `seconds`."""

    key: str
    amount: int
    seconds: int


class Taken(NamedTuple):
    """What came of asking for a place in some windows.

    Parameters
    ----------
    wait : float
        How long to wait until there is room in all, s; 0 where the places are taken.
    left : tuple of int
        How many more hits each window would take now.
    """

    wait: float
    left: tuple[int, ...]


class Store(Protocol):
    """Counts hits."""

    async def acquire(self, windows: Sequence[Window]) -> Taken:
        """Take a place in every window, or, where one is full, in none.

        Raises
        ------
        StoreAway
        """
        ...

    async def close(self) -> None:
        """Let go of what is open."""
        ...
