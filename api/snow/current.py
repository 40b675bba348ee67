"""What is published of snow, as it is opened: the history since 1957, and the season with its forecast."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from api import texts
from api.errors import Unavailable
from catalog.versions import Entry
from tiles.chunked import ChunkedTile
from tiles.errors import TileError

log = logging.getLogger("solflis.api")

HISTORY, OUTLOOK = "snow_history", "snow_outlook"
OPENED_BY = "snow_depth"
QUANTITIES = ("new_snow", "new_snow_depth", "snow_depth", "temp_air")
"""Of a day, what the model of the modules takes: mm of water, mm, mm, degrees C."""

EPOCH = date(1970, 1, 1).toordinal()
_RETRY_S = 60


@dataclass(frozen=True)
class Version:
    """A published version.

    Parameters
    ----------
    entry : Entry
    tile : ChunkedTile
    days : int64 (n,)
        Days since 1970-01-01; a day runs from 06 to 06 UTC.
    sources : sequence of mapping
        `name`, `licence` and `attribution` of each.
    method, generator : str
    observed_until : int or None
        Last day that is no forecast; None where all are observed.
    """

    entry: Entry
    tile: ChunkedTile
    days: NDArray[np.int64]
    sources: Sequence[Mapping[str, str]]
    method: str
    generator: str
    observed_until: int | None

    @property
    def name(self) -> str:
        """What tells it from all other versions."""
        return self.entry.path

    @contextmanager
    def reading(self) -> Iterator[ChunkedTile]:
        """Read the tile; what cannot be read becomes an answer.

        Raises
        ------
        Unavailable
        """
        try:
            yield self.tile
        except (TileError, OSError) as error:
            log.error("damaged %s: %r", self.entry.path, error)
            raise Unavailable(texts.SNOW_DAMAGED, _RETRY_S) from error


def number_of(day: date) -> int:
    """Return a day as days since 1970-01-01."""
    return day.toordinal() - EPOCH


def date_of(number: int) -> date:
    """Return the date of a day since 1970-01-01."""
    return date.fromordinal(int(number) + EPOCH)


def running(now: datetime) -> int:
    """Return the day that runs at a moment (UTC), days since 1970-01-01: from 06 to 06 UTC."""
    return number_of((now - timedelta(hours=6)).date())


def _open(entry: Entry, tile: ChunkedTile) -> Version:
    told = tile.manifest.provenance
    missing = [name for name in ("sources", "method", "generator", "days") if not told.get(name)]
    if entry.product == OUTLOOK and not told.get("observed_until"):
        missing.append("observed_until")
    if missing:
        raise ValueError(f"the provenance of {entry.path} lacks {', '.join(missing)}: build it anew")
    first, last = (number_of(date.fromisoformat(day)) for day in told["days"])
    days = np.arange(first, last + 1, dtype=np.int64)
    held = tile.shape(OPENED_BY)[0]
    if days.size != held:
        raise ValueError(f"{entry.path} says that it holds {days.size} days, and holds {held}: build it anew")
    until = told.get("observed_until")
    observed = None if until is None else number_of(date.fromisoformat(until))
    return Version(entry, tile, days, told["sources"], str(told["method"]), str(told["generator"]), observed)


PREPARE: dict[str, Any] = {name: {OPENED_BY: _open} for name in (HISTORY, OUTLOOK)}
"""What is made of each product when a version is opened."""
