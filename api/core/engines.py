"""The production kernels, loaded beside the tiles at start and behind the first answers: a third of all imports.

Who calculates on the event loop waits for `ready`; a thread may simply import them.
"""

import asyncio
import importlib
import logging
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial

from api.core.executors import background

log = logging.getLogger("solflis.api")

_MODULES = (
    "api.forecast.hours",
    "kernels.point_weather",
    "kernels.text_rows",
    "kernels.tmy.scaling",
)
# Nobody waits for these but who calculates with them, in a thread that may import them itself.
_BEHIND = ("api.pv.answer", "api.snow.answer", "api.snowload.answer")
_FIRST = "kernels.packed"
_AT_START_S = 1.0
# numba takes them in where it can: for functions that no kernel calls, and for a file of settings that is not ours.
_WITHOUT = ("scipy", "cffi", "yaml")

Load = Callable[[Callable[[], object]], None]


def load(begun: Callable[[], object]) -> None:
    """Import the kernels, without what numba would take in beside: a third more time, and 10 MB.

    Parameters
    ----------
    begun : callable
        Called when the first loop is there, and with it all that numba looks through for any.
    """
    hidden = [name for name in _WITHOUT if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        importlib.import_module(_FIRST)
        begun()
        for name in _MODULES:
            importlib.import_module(name)
    finally:
        for name in hidden:
            del sys.modules[name]


def load_behind(names: Sequence[str] = _BEHIND) -> None:
    """Import what follows the kernels; what cannot be loaded is logged, and fails where it is used."""
    for name in names:
        try:
            importlib.import_module(name)
        except Exception:
            log.exception("%s cannot be loaded", name)


class Engines:
    """Loads the kernels as soon as the application runs, in a thread.

    Parameters
    ----------
    first : callable
        Loads what must be there first; it calls its argument when most is.
    behind : callable
        Loads the rest.
    at_start_s : float
        Longest that a start waits for most of it, s.
    """

    def __init__(
        self, first: Load = load, behind: Callable[[], None] = load_behind, at_start_s: float = _AT_START_S
    ) -> None:
        self._load, self._load_behind, self._at_start_s = first, behind, at_start_s
        self._begun, self._ready, self._started = asyncio.Event(), asyncio.Event(), asyncio.Event()

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Load, while requests are answered that need no kernel."""
        async with background(self._run(), "load the kernels"):
            yield

    async def _run(self) -> None:
        begun = partial(asyncio.get_running_loop().call_soon_threadsafe, self._begun.set)
        try:
            await asyncio.to_thread(self._load, begun)
        except Exception:
            log.exception("the kernels cannot be loaded")
            return
        finally:
            self._begun.set()
            self._ready.set()
        await self._started.wait()
        await asyncio.to_thread(self._load_behind)

    async def begun(self) -> None:
        """Return when most is loaded: at start, so that no first call has all of it to wait for.

        What is left follows from here on: beside the tiles it held up the first answer by 0.2 s.
        """
        with suppress(TimeoutError):  # where no machine code was kept
            await asyncio.wait_for(self._begun.wait(), self._at_start_s)
        self._started.set()

    async def ready(self) -> None:
        """Return when the kernels are there; whoever calls them where they cannot be loaded is told why."""
        await self._ready.wait()
