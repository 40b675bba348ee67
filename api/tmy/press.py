"""Printing files beside the event loop: one at a time, behind everything else, and the last ones are kept."""

import asyncio
import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

# Eight of the largest. Who asks for a site twice, or many who ask for one, cost a quarter of the processor time.
KEPT_BYTES = 16 << 20
# Several threads at once kept the event loop from the interpreter: /health took 160 ms (p50) beside eight downloads.
_THREADS = 1
_NICENESS = 10


class Press:
    """Makes bodies in a thread of its own, and keeps the last ones.

    Parameters
    ----------
    kept_bytes : int
        How much is kept.
    """

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._thread = ThreadPoolExecutor(_THREADS, "tmy", initializer=_step_back)
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._kept_bytes, self._held = kept_bytes, 0

    def kept(self, etag: str) -> bytes | None:
        """Return the body of an ETag, if it is kept."""
        body = self._kept.get(etag)
        if body is not None:
            self._kept.move_to_end(etag)
        return body

    async def body(self, etag: str, make: Callable[[], bytes]) -> bytes:
        """Return a body, made now or kept; call it on the event loop.

        Parameters
        ----------
        etag : str
            Names the very bytes.
        make : callable
        """
        body = self.kept(etag)
        if body is None:
            body = await asyncio.get_running_loop().run_in_executor(self._thread, make)
            self._keep(etag, body)
        return body

    def _keep(self, etag: str, body: bytes) -> None:
        if etag in self._kept:  # made twice at once
            return
        self._kept[etag] = body
        self._held += len(body)
        while self._held > self._kept_bytes:
            self._held -= len(self._kept.popitem(last=False)[1])


def _step_back() -> None:
    """Let the event loop go first where processors are short: on Linux a thread has a niceness of its own."""
    with suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
