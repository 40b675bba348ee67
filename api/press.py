"""Work beside the event loop: one at a time, and behind everything else; and how many may wait for it."""

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TypeVar

from api.errors import Unavailable

# Several threads at once kept the event loop from the interpreter: /health took 160 ms (p50) beside eight downloads.
_THREADS = 1
_NICENESS = 10
# Each holds a year of 0.5 MB, then its file of 2; a worker prints some 200 a second.
_LARGEST_LINE = 64
_RETRY_S = 1

T = TypeVar("T")


class Press:
    """Makes answers in a thread of its own.

    None is kept: those that were, left so fast that the event loop did nothing but send, and /health waited longer.

    Parameters
    ----------
    name : str
        Of the thread.
    busy : str
        What who comes too late is told.
    """

    def __init__(self, name: str, busy: str) -> None:
        self._thread = ThreadPoolExecutor(_THREADS, name, initializer=_step_back)
        self._busy, self._in_line = busy, 0

    @contextmanager
    def place(self) -> Iterator[None]:
        """Stand in the line of answers that are being made, from before anything is read for them.

        Raises
        ------
        Unavailable
            It is long enough.
        """
        if self._in_line >= _LARGEST_LINE:
            raise Unavailable(self._busy, _RETRY_S)
        self._in_line += 1
        try:
            yield
        finally:
            self._in_line -= 1

    async def run(self, make: Callable[[], T]) -> T:
        """Return what is made, in the thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, make)


def _step_back() -> None:
    """Let the event loop go first where processors are short: on Linux a thread has a niceness of its own."""
    with suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
