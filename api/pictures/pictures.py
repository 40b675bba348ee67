"""Pictures for handlers: one process a worker draws them, one after the other; how many may wait, and how long."""

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from aiohttp import web

from api import texts
from api.errors import Unavailable
from api.pictures.painter import DrawingFailed, Painter, PainterFailed, PainterIdled

log = logging.getLogger("solflis.api")

_RETRY_S = 2


class Bounds(NamedTuple):
    """How long things may take, s, and how many requests may wait for the one that is drawn."""

    start_s: float = 20.0
    drawing_s: float = 10.0
    idle_s: float = 300.0
    waiting: int = 16


class Pictures:
    """Draws with at most one process, which is started when the first picture is asked for.

    Parameters
    ----------
    folder : Path
        Where matplotlib keeps its list of fonts; made when needed.
    bounds : Bounds, optional
    command : sequence of str, optional
        The process that draws, for tests.
    """

    def __init__(self, folder: Path, bounds: Bounds | None = None, command: Sequence[str] | None = None) -> None:
        self._folder, self._bounds = folder, bounds or Bounds()
        self._command = command or (sys.executable, "-m", "api.pictures.child", "--idle", str(self._bounds.idle_s))
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._painter: Painter | None = None
        self._drawing: asyncio.Task[bytes] | None = None
        self._closed = False

    async def lifespan(self, _: web.Application) -> AsyncIterator[None]:
        """End the process with the application."""
        yield
        self._closed = True
        if self._drawing is not None and not self._drawing.done():
            self._drawing.cancel()
            await asyncio.wait([self._drawing])
        await self._end()

    async def draw(self, picture: str, data: Mapping[str, Any]) -> bytes:
        """Return a PNG.

        Parameters
        ----------
        picture : str
            The module whose `draw(data) -> bytes` is called in the process: `api.<group>.picture`.
        data : mapping
            What can be JSON.

        Raises
        ------
        Unavailable
            Too many wait, it cannot be drawn, or it takes too long.
        """
        if self._waiting >= self._bounds.waiting:
            raise Unavailable(texts.PICTURES_BUSY, _RETRY_S)
        request = orjson.dumps({"picture": picture, "data": data})
        self._waiting += 1
        try:
            await self._turn.acquire()
        finally:
            self._waiting -= 1
        # A task of its own, which goes on when the request is cancelled: to read a picture that nobody wants costs
        # less than a new process.
        self._drawing = asyncio.create_task(self._drawn(picture, request), name="draw a picture")
        self._drawing.add_done_callback(self._next)
        return await asyncio.shield(self._drawing)

    def _next(self, done: asyncio.Task[bytes]) -> None:
        self._turn.release()
        if not done.cancelled():
            done.exception()  # now nobody complains that it was never asked for, where the request is gone

    async def _drawn(self, picture: str, request: bytes) -> bytes:
        if self._closed:
            raise Unavailable(texts.STOPPING, _RETRY_S)
        try:
            return await self._asked(request)
        except DrawingFailed as error:
            log.error("%s cannot be drawn: %s", picture, error)
            raise Unavailable(texts.NO_PICTURE) from error
        except (PainterFailed, PainterIdled, OSError) as error:  # TimeoutError is one
            await self._end()
            why = "it took too long" if isinstance(error, TimeoutError) else error
            log.error("%s was not drawn, the process is ended: %s", picture, why)
            raise Unavailable(texts.NO_PICTURE, _RETRY_S) from error
        except asyncio.CancelledError:
            await self._end()
            raise

    async def _asked(self, request: bytes) -> bytes:
        """Ask the process that there is; one that just ended for want of work is followed by a new one, once."""
        if self._painter is not None:
            try:
                async with asyncio.timeout(self._bounds.drawing_s):
                    return await self._painter.ask(request)
            except PainterIdled:
                await self._end()
        self._folder.mkdir(parents=True, exist_ok=True)
        async with asyncio.timeout(self._bounds.start_s + self._bounds.drawing_s):
            self._painter = await Painter.start(self._command, self._folder)
            return await self._painter.ask(request)

    async def _end(self) -> None:
        painter, self._painter = self._painter, None
        if painter is not None:
            await painter.end()
