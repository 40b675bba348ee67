"""The squares of heights that a machine keeps: which file is whose, and how one is fetched that is not there.

A worker looks here; what is missing another process fetches (`fetch`), which alone loads rasterio.
"""

from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from datetime import timedelta
from functools import partial
from pathlib import Path

import numpy as np

from api.core.settings import Settings
from api.data.heights.block import Block, Square, nothing, pack, unpack
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

# Questions of one process at once.
_AT_ONCE = 5


class Squares:
    """Squares of heights in a folder that the processes of a machine share.

    Parameters
    ----------
    folder : Path
    url : str
        Of Kartverket's coverages; what came from one address is not taken for that of another.
    max_bytes : int
    user_agent : str
    clock : Clock, optional
        By default the real time: the land does not follow the service's clock.
    """

    def __init__(self, folder: Path, url: str, max_bytes: int, user_agent: str, clock: Clock | None = None) -> None:
        self._url, self._name, self._user_agent = url, without_credentials(url), user_agent
        self._clock = clock or Clock()
        self._kept: ReadThrough[Block] = ReadThrough(folder, heights.NAME, self._clock, max_bytes, _LIFE)
        self.trim = self._kept.trim

    def held(self, squares: Sequence[Square]) -> dict[Square, Block]:
        """Return those that are there, fresh and whole; what lies abroad is there, without heights."""
        found = {}
        for square in squares:
            if square.abroad:  # the service answers 400 outside of what it covers
                found[square] = nothing(square)
            elif (block := self._kept.fresh(self._key(square), partial(unpack, square))) is not None:
                found[square] = block
        return found

    def fetch(self, square: Square, seconds: float) -> Block:
        """Return a square that another process may have fetched by now, or ask for it.

        Raises
        ------
        SourceError
            It cannot be had.
        """

        def ask(_: str | None, __: str | None, deadline: Deadline) -> Answer:
            bounds, agent = square.bounds, self._user_agent
            found = heights.window(self._url, square.model, *bounds, square.cell, user_agent=agent, deadline=deadline)
            known = np.isfinite(found.z)
            life = _WHOLE if known.all() else _HOLED if known.any() else _EMPTY
            return Answer(pack(found), None, None, self._clock.now() + life)

        return self._kept.get(self._key(square), ask, partial(unpack, square), Deadline(seconds))

    def _key(self, square: Square) -> str:
        return f"{self._name} {square.model} {square.column} {square.row} {square.cell}"


def squares_of(settings: Settings) -> Squares:
    """Return the squares of an installation."""
    folder, url = settings.state / "readthrough" / "kartverket_wcs", settings.address("kartverket_wcs")
    return Squares(folder, url, settings.heights_bytes, settings.user_agent)


def fetch(squares: Squares, wanted: Sequence[Square], whole: bool, seconds: float) -> dict[Square, Block]:
    """Fetch squares into their folder; return those that it does not hold, or all.

    Parameters
    ----------
    squares : Squares
    wanted : sequence of Square
    whole : bool
        Whether all are wanted.
    seconds : float
        For all of them, s.

    Raises
    ------
    SourceError
        One cannot be had; those that are not begun are left, and the others go on into the folder.
    """
    pool = ThreadPoolExecutor(_AT_ONCE, "fetch")
    asked = {square: pool.submit(squares.fetch, square, seconds) for square in wanted}
    done, _ = wait(asked.values(), return_when=FIRST_EXCEPTION)
    pool.shutdown(wait=False, cancel_futures=True)
    for one in done:
        one.result()
    held = () if whole else squares.held(wanted)
    return {square: one.result() for square, one in asked.items() if square not in held}


def held_or_fetched(squares: Squares, wanted: Sequence[Square], seconds: float) -> dict[Square, Block]:
    """Return squares, of which those that are not there are fetched; parameters and errors as of `fetch`."""
    held = squares.held(wanted)
    return held | fetch(squares, [square for square in wanted if square not in held], whole=True, seconds=seconds)
