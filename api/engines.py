"""The production kernels, loaded beside the tiles at start and behind the first answers: a third of all imports.

Who calculates on the event loop waits for `ready`; a thread may simply import them.
"""

import asyncio
import importlib
import logging
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial

from aiohttp import web

log = logging.getLogger("solflis.api")

_MODULES = (
    "api.forecast.production.answer",
    "kernels.clearsky",
    "kernels.cloud",
    "kernels.text_rows",
    "kernels.tmy.scaling",
)
# Nobody waits for these but who calculates with them, in a thread that may import them itself.
_BEHIND = (
    "api.pv.answer", "api.snow.calculation", "api.snow.outlook", "api.snow.answer", "api.snow.table",
    "api.snowload.answer",
)  # fmt: skip
_FIRST = "kernels.packed"
_AT_START_S = 1.0
# numba takes them in where it can: for functions that no kernel calls, and for a file of settings that is not ours.
_WITHOUT = ("scipy", "cffi", "yaml")


class Engines:
    """Loads the kernels as soon as the application runs, in a thread."""

    def __init__(self) -> None:
        self._loaded = False
        self._loading: asyncio.Task[None] | None = None
        self._behind: asyncio.Task[None] | None = None
        self._begun = asyncio.Event()

    async def lifespan(self, _: web.Application) -> AsyncIterator[None]:
        """Load, while requests are answered that need no kernel."""
        loop = asyncio.get_running_loop()
        begun = partial(loop.call_soon_threadsafe, self._begun.set)
        self._loading = asyncio.create_task(asyncio.to_thread(load, begun), name="load the kernels")
        self._loading.add_done_callback(self._note)
        yield
        await asyncio.wait([self._loading])
        if self._behind is not None:
            await asyncio.wait([self._behind])

    def _note(self, done: asyncio.Task[None]) -> None:
        self._begun.set()
        self._loaded = not done.cancelled() and done.exception() is None
        if not self._loaded and not done.cancelled():
            log.error("the kernels cannot be loaded", exc_info=done.exception())

    async def begun(self, _: web.Application) -> None:
        """Return when most is loaded: at start, so that no first call has all of it to wait for.

        What is left follows from here on: beside the tiles it held up the first answer by 0.2 s.
        """
        with suppress(TimeoutError):  # where no machine code was kept
            await asyncio.wait_for(self._begun.wait(), _AT_START_S)
        self._behind = asyncio.create_task(self._follow(), name="load what is left of the kernels")

    async def _follow(self) -> None:
        await self.ready()
        if self._loaded:
            await asyncio.to_thread(load_behind)

    async def ready(self) -> None:
        """Return when the kernels are there; whoever calls them where they cannot be loaded is told why."""
        if not self._loaded and self._loading is not None:
            await asyncio.wait([self._loading])


def load(begun: Callable[[], object]) -> None:
    """Import the kernels, without what numba would take in beside: a third more time, and 10 MB.

    Parameters
    ----------
    begun : callable
        Called when the first loop is there, and with it all that numba looks through for any.
    """
    hidden = [name for name in _WITHOUT if name not in sys.modules]
    for name in hidden:
        sys.modules[name] = None  # type: ignore[assignment]
    try:
        importlib.import_module(_FIRST)
        begun()
        for name in _MODULES:
            importlib.import_module(name)
    finally:
        for name in hidden:
            del sys.modules[name]


def load_behind() -> None:
    """Import what follows the kernels; what cannot be loaded is logged, and fails where it is used."""
    for name in _BEHIND:
        try:
            importlib.import_module(name)
        except Exception:
            log.exception("%s cannot be loaded", name)
