"""Printing files beside the event loop: one at a time, and behind everything else."""

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

# Several threads at once kept the event loop from the interpreter: /health took 160 ms (p50) beside eight downloads.
_THREADS = 1
_NICENESS = 10


class Press:
    """Makes bodies in a thread of its own.

    None is kept: those that were, left so fast that the event loop did nothing but send, and /health waited longer.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(_THREADS, "tmy", initializer=_step_back)

    async def body(self, make: Callable[[], bytes]) -> bytes:
        """Return what is made, in the thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, make)


def _step_back() -> None:
    """Let the event loop go first where processors are short: on Linux a thread has a niceness of its own."""
    with suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
