"""The heights around a point: from what this machine keeps, else through the process that fetches them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from math import floor
from pathlib import Path
from typing import TypeVar

from aiohttp import web

from api import texts
from api.crew import Crew
from api.errors import Unavailable
from api.horizon.rooftop.block import SIDE, Block, Square, unpack
from api.horizon.rooftop.fetching import Fetching
from api.horizon.rooftop.squares import Squares
from tiles.grid import HORIZON
from tiles.products.horizon import BEYOND_M

NEAR_M = float(BEYOND_M)
"""How far the surface model is looked at; beyond, a building is less than a degree high."""

REACH_M = NEAR_M * 1.006 + 2
"""That in the map, which stretches by up to 0.42 % in Norway, and a cell for the slope between cells."""

# Some, so that a disk that hangs on one reading stops no other.
_READERS = 4
# The squares of a point are 5 MB: one point is calculated while the next one's are read.
_AT_ONCE = 2
_LARGEST_LINE = 64
_RETRY_S = 2

T = TypeVar("T")

Blocks = Mapping[Square, Block]


def ground_at(x: float, y: float) -> Square:
    """Return the square of the terrain that a point lies in.

    Parameters
    ----------
    x, y : float
        m in UTM 33.
    """
    return Square("dtm", floor(x / SIDE), floor(y / SIDE))


def _middle(x: float, y: float) -> tuple[float, float]:
    side = HORIZON.size
    east, north = (origin + ((at - origin) // side + 0.5) * side for at, origin in ((x, HORIZON.x0), (y, HORIZON.y0)))
    return east, north


def around(x: float, y: float) -> list[Square]:
    """Return the squares that are needed for a point: terrain there and at level 1's eye, surface within reach."""
    found = list(dict.fromkeys((ground_at(x, y), ground_at(*_middle(x, y)))))
    for row in range(floor((y - REACH_M) / SIDE), floor((y + REACH_M) / SIDE) + 1):
        for column in range(floor((x - REACH_M) / SIDE), floor((x + REACH_M) / SIDE) + 1):
            aside = max(column * SIDE - x, 0.0, x - (column + 1) * SIDE)
            along = max(row * SIDE - y, 0.0, y - (row + 1) * SIDE)
            if aside**2 + along**2 <= REACH_M**2:
                found.append(Square("dom", column, row))
    return found


class Land:
    """Heights, with one question for a square however many ask.

    Parameters
    ----------
    url : str
        Of Kartverket's coverages.
    user_agent : str
    folder : Path
        That the workers of this machine share.
    max_bytes : int
        Of all that is kept in it.
    fetching : Fetching, optional
        For tests.
    """

    def __init__(
        self, url: str, user_agent: str, folder: Path, max_bytes: int, fetching: Fetching | None = None
    ) -> None:
        self._squares = Squares(folder, url, max_bytes)
        named = user_agent.encode("ascii", "replace").decode()
        setup = {"url": url, "user_agent": named, "folder": str(folder), "max_bytes": max_bytes}
        self._fetching = fetching or Fetching(setup)
        self._readers = Crew(_READERS, "heights-reader")
        self._turns, self._waiting = asyncio.Semaphore(_AT_ONCE), 0

    async def lifespan(self, app: web.Application) -> AsyncIterator[None]:
        """Live with the application."""
        async for _ in self._fetching.lifespan(app):
            yield

    async def use(self, x: float, y: float, work: Callable[[Blocks], Awaitable[T]]) -> T:
        """Return what is made of all squares that are needed for a point.

        Parameters
        ----------
        x, y : float
            m in UTM 33.
        work : callable
            It is awaited while few others are.

        Raises
        ------
        FetchFailed
        Unavailable
            Too many wait for their turn, or for squares.
        """
        wanted, fetched, again = around(x, y), dict[Square, Block](), False
        while True:
            async with self._turn():
                held = await self._readers.run(partial(self._squares.held, [s for s in wanted if s not in fetched]))
                blocks = {**held, **fetched}
                missing = [square for square in wanted if square not in blocks]
                if not missing:
                    return await work(blocks)
            del held, blocks  # whoever waits for a source holds nothing but what he waits for
            fetched.update(await self._fetched(missing, whole=again))
            again = True  # what should be in the folder and is not goes another way

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        if self._waiting >= _LARGEST_LINE:
            raise Unavailable(texts.ROOFTOP_BUSY, _RETRY_S)
        self._waiting += 1
        try:
            await self._turns.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._turns.release()

    async def _fetched(self, missing: Sequence[Square], *, whole: bool) -> Blocks:
        bodies = await asyncio.gather(*(self._fetching.get(square, whole=whole) for square in missing))
        return {square: unpack(square, body) for square, body in zip(missing, bodies, strict=True) if body}

    def trim(self) -> None:
        """Remove what is too old or too much; it may wait for the disk."""
        self._squares.trim()
