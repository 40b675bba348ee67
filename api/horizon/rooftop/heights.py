"""The heights around a point: from what this machine keeps, else fetched by another process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from math import floor

from api.core.cache import Cache
from api.core.executors import ProcessFailed, ProcessPool, ReaderPool
from api.core.upstream import Upstream
from api.data.heights.block import CELLS, Block, Square
from api.data.heights.mosaic import Blocks, within
from api.data.heights.squares import Squares
from catalog.sources.errors import SourceError
from catalog.sources.kartverket.heights import NAME
from tiles.grid import HORIZON
from tiles.products.horizon import BEYOND_M

NEAR_M = float(BEYOND_M)
"""Reach of the surface model; beyond it a building is less than a degree high."""

REACH_M = NEAR_M * 1.006 + 2
"""That in the map, which stretches by up to 0.42 % in Norway, and a cell for the slope between cells."""

# Some, so that a disk that hangs on one reading stops no other.
_READERS = 4
# The squares of a point are 5 MB, mapped: one point is calculated, others are read or their pictures drawn.
_AT_ONCE = 4
# Processes that fetch, and how long they are given for the squares of a point; then for their end.
_PROCESSES = 2
_FETCHED_WITHIN_S, _GRACE_S = 60.0, 15.0
_FAILURES = 3


def ground_at(x: float, y: float) -> Square:
    """Return the square of the terrain that a point lies in.

    Parameters
    ----------
    x, y : float
        m in UTM 33.
    """
    return Square("dtm", floor(x / CELLS), floor(y / CELLS))


def around(x: float, y: float, *, ground: bool = False) -> list[Square]:
    """Return the squares that are needed for a point: terrain there and at level 1's eye, surface within reach.

    With `ground` also the terrain within reach.
    """
    cell = HORIZON.size
    middle = (at + cell / 2 - (at - origin) % cell for at, origin in ((x, HORIZON.x0), (y, HORIZON.y0)))
    found = [ground_at(x, y), ground_at(*middle)]
    for model in ("dom", "dtm") if ground else ("dom",):
        found += within(model, x, y, REACH_M)
    return list(dict.fromkeys(found))


class Heights:
    """Heights around points.

    Parameters
    ----------
    squares : Squares
        That the workers of this machine share.
    """

    def __init__(self, squares: Squares) -> None:
        self._squares = squares
        # of its own: a picture that is late, and its process ended, is no concern of what is being fetched
        self._processes = ProcessPool(_PROCESSES)
        self._service = Upstream(NAME, askers=_PROCESSES, failures=_FAILURES)
        self._fetching: Cache[dict[Square, Block]] = Cache(0, lambda _: 1)  # keeps nothing: for its single flight
        self._readers, self._turns = ReaderPool(_READERS, "heights-reader"), asyncio.Semaphore(_AT_ONCE)
        self.lifespan, self.trim = self._processes.lifespan, self._squares.trim

    @asynccontextmanager
    async def around(self, x: float, y: float, *, ground: bool = False) -> AsyncIterator[Blocks]:
        """Yield all squares that are needed for a point, to few at once.

        Parameters
        ----------
        x, y : float
            m in UTM 33.
        ground : bool
            Whether the terrain within reach is needed too.

        Raises
        ------
        SourceError
        """
        wanted, fetched, whole = around(x, y, ground=ground), dict[Square, Block](), False
        while True:
            async with self._turns:
                held = await self._readers.run(partial(self._squares.held, [s for s in wanted if s not in fetched]))
                blocks = {**held, **fetched}
                missing = tuple(square for square in wanted if square not in blocks)
                if not missing:
                    yield blocks
                    return
            del held, blocks  # whoever waits for a source holds nothing but what he waits for
            ask = partial(self._service.ask_process, partial(self._fetch, missing, whole), _FETCHED_WITHIN_S)
            fetched |= await self._fetching.get_or_make((missing, whole), ask)
            whole = True  # what should be in the folder and is not goes another way

    async def _fetch(self, missing: tuple[Square, ...], whole: bool) -> dict[Square, Block]:
        function, arguments = "api.data.heights.squares:fetch", (self._squares, missing, whole, _FETCHED_WITHIN_S)
        try:
            blocks: dict[Square, Block] = await self._processes.run(
                function, *arguments, within_s=_FETCHED_WITHIN_S + _GRACE_S
            )
        except ProcessFailed as error:
            raise SourceError(str(error)) from error
        return blocks
