"""The squares of heights that a machine keeps: which file is whose, and how one is fetched that is not there.

A worker looks here; what is missing its child process fetches. rasterio is loaded by the fetching alone.
"""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from api.horizon.rooftop.block import CELL, Block, Square, nothing, pack, unpack
from catalog.readthrough import Life, ReadThrough
from catalog.sources.fetch import Answer
from catalog.sources.http import Deadline, without_credentials
from catalog.sources.kartverket import heights
from tiles.clock import Clock

# The country is measured anew every few years, a part at a time.
_WHOLE = timedelta(days=180)
# A hole is sea, or a fault of that day; nothing at all may be a coverage that is being replaced.
_HOLED, _EMPTY = timedelta(days=7), timedelta(hours=6)
_LIFE = Life(unsaid=_WHOLE, longest=_WHOLE, kept=timedelta(days=200))


class _Found(NamedTuple):
    body: memoryview
    block: Block


class Squares:
    """Squares of heights in a folder that the processes of a machine share.

    Parameters
    ----------
    folder : Path
    url : str
        Of Kartverket's coverages; what came from one address is not taken for that of another.
    max_bytes : int
    """

    def __init__(self, folder: Path, url: str, max_bytes: int) -> None:
        self._url, self._name = url, without_credentials(url)
        # by the real time: the land does not follow the service's clock
        self._clock = Clock()
        self._kept: ReadThrough[_Found] = ReadThrough(folder, heights.NAME, self._clock, max_bytes, _LIFE)

    def held(self, squares: Sequence[Square]) -> dict[Square, Block]:
        """Return those that are there, fresh and whole; what lies abroad is there, without heights."""
        found = {}
        for square in squares:
            if square.abroad:  # the service answers 400 outside of what it covers
                found[square] = nothing(square)
            elif kept := self._kept.fresh(self._key(square), partial(_read, square)):
                found[square] = kept.block
        return found

    def fetch(self, square: Square, user_agent: str, seconds: float) -> bytes:
        """Return a square that another process may have fetched by now, or ask for it.

        Raises
        ------
        SourceError
            It cannot be had.
        """

        def ask(_: str | None, __: str | None, deadline: Deadline) -> Answer:
            found = heights.window(
                self._url, square.model, *square.bounds, CELL, user_agent=user_agent, deadline=deadline
            )
            return Answer(pack(found), None, None, self._clock.now() + _life(found))

        kept = self._kept.get(self._key(square), ask, partial(_read, square), Deadline(seconds))
        return bytes(kept.body)

    def trim(self) -> None:
        """Remove what is too old or too much."""
        self._kept.trim()

    def _key(self, square: Square) -> str:
        return f"{self._name} {square.model} {square.column} {square.row}"


def _life(found: heights.Heights) -> timedelta:
    known = np.isfinite(found.z)
    return _WHOLE if known.all() else _HOLED if known.any() else _EMPTY


def _read(square: Square, body: memoryview) -> _Found:
    return _Found(body, unpack(square, body))
