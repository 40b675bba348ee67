"""Looks after folders that are bounded, as long as the application runs: also of what nobody asks for any more."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

from aiohttp import web

log = logging.getLogger("solflis.api")

EVERY_S = 600.0


class Trimming:
    """Trims one folder after the other, every ten minutes.

    Parameters
    ----------
    *trims : callable
        Each removes what is too old or too much; it may raise OSError.
    """

    def __init__(self, *trims: Callable[[], None]) -> None:
        self._trims = trims

    async def lifespan(self, _: web.Application) -> AsyncIterator[None]:
        """Trim at the start, and then again and again."""
        task = asyncio.create_task(self._go_on(), name="trim folders")
        yield
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    async def _go_on(self) -> None:
        while True:
            for trim in self._trims:
                try:
                    await asyncio.to_thread(trim)
                except OSError as error:
                    log.warning("what is kept cannot be trimmed: %s", error.strerror)
            await asyncio.sleep(EVERY_S)
