"""The parent's end of the process that fetches heights: many requests at once, and one for a square at a time."""

import asyncio
import itertools
import logging
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextvars import Context
from typing import Any, NamedTuple

import orjson
from aiohttp import web

from api import texts
from api.child.outside import Child
from api.errors import Unavailable
from api.horizon.rooftop.block import HEADER, SIDE, Square
from api.horizon.rooftop.child import ANSWER, FAILED, FETCHED, REQUEST

log = logging.getLogger("solflis.api")

_NAME = "the process that fetches heights"
_LARGEST_BYTES = HEADER.size + 2 * (SIDE + 2) ** 2
_RETRY_S = 2
# Who sends us away with `Retry-After` is left alone, but not for longer than this.
LONGEST_PAUSE_S = 3600.0


class FetchFailed(Exception):
    """A square cannot be had; the text says why.

    Parameters
    ----------
    text : str
    retry_s : float, optional
        After what time the source wants to be asked again.
    """

    def __init__(self, text: str, retry_s: float | None = None) -> None:
        super().__init__(text)
        self.retry_s = retry_s


class _Ended(Exception):
    """The process is gone; `idle` where it had answered everything."""

    def __init__(self, text: str, *, idle: bool) -> None:
        super().__init__(text)
        self.idle = idle


class Bounds(NamedTuple):
    """How long things may take, s, and how many squares may be waited for."""

    fetch_s: float = 60.0
    idle_s: float = 300.0
    grace_s: float = 15.0
    waiting: int = 256


class Fetching:
    """Fetches squares with at most one process, which is started when the first one is asked for.

    Parameters
    ----------
    setup : mapping
        What the process is told first: see `api.horizon.rooftop.child`.
    bounds : Bounds, optional
    command : sequence of str, optional
        The process, for tests.
    """

    def __init__(
        self, setup: Mapping[str, Any], bounds: Bounds | None = None, command: Sequence[str] | None = None
    ) -> None:
        self._setup, self._bounds = orjson.dumps(setup), bounds or Bounds()
        options = ("--idle", str(self._bounds.idle_s), "--seconds", str(self._bounds.fetch_s))
        self._command = command or (sys.executable, "-m", "api.horizon.rooftop.child", *options)
        self._waiting: dict[tuple[Square, bool], asyncio.Task[bytes]] = {}
        self._starting = asyncio.Lock()
        self._process: _Process | None = None
        self._closed, self._not_before = False, 0.0

    async def lifespan(self, _: web.Application) -> AsyncIterator[None]:
        """End the process with the application."""
        yield
        self._closed = True
        tasks = list(self._waiting.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await self._end()

    async def get(self, square: Square, *, whole: bool = False) -> bytes:
        """Return the bytes of a square; none, if not the whole is wanted, of what is in the folder now.

        It goes on being fetched when whoever waits is cancelled.

        Raises
        ------
        FetchFailed
        Unavailable
            Too many are waited for.
        """
        asked = square, whole
        task = self._waiting.get(asked)
        if task is None:
            if (wait := self._not_before - time.monotonic()) > 0:
                raise FetchFailed("the source wants to be left alone", wait)
            if self._closed or len(self._waiting) >= self._bounds.waiting:
                raise Unavailable(texts.ROOFTOP_BUSY, _RETRY_S)
            # in a context of its own: it may outlive the request that happened to begin it
            task = asyncio.create_task(self._fetched(*asked), name="fetch heights", context=Context())
            self._waiting[asked] = task
            task.add_done_callback(lambda done: self._forget(asked, done))
        return await asyncio.shield(task)

    def _forget(self, asked: tuple[Square, bool], done: asyncio.Task[bytes]) -> None:
        del self._waiting[asked]
        if done.cancelled():
            return
        error = done.exception()  # now nobody complains that it was never asked for, where the request is gone
        if isinstance(error, FetchFailed) and error.retry_s is not None:
            self._not_before = time.monotonic() + min(error.retry_s, LONGEST_PAUSE_S)

    async def _fetched(self, square: Square, whole: bool) -> bytes:
        """Ask the process that there is; one that just ended for want of work is followed by a new one, once."""
        try:
            async with asyncio.timeout(self._bounds.fetch_s + self._bounds.grace_s):
                try:
                    return await (await self._running()).ask(square, whole)
                except _Ended as ended:
                    if not ended.idle:
                        raise
                    return await (await self._running()).ask(square, whole)
        except (_Ended, OSError) as error:  # TimeoutError is one
            if isinstance(error, TimeoutError):
                await self._end()
            raise FetchFailed(f"{_NAME}: {error or 'it does not answer'}") from error

    async def _running(self) -> "_Process":
        async with self._starting:
            if self._process is None or self._process.ended:
                await self._end()
                self._process = await _Process.start(self._command, self._setup)
            return self._process

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.end()


class _Process:
    """A running process; several requests may be under way."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._numbers = itertools.count()
        self._asked: dict[int, asyncio.Future[bytes]] = {}
        self._gone: _Ended | None = None
        self._reading = asyncio.create_task(self._read(), name="read heights", context=Context())

    @classmethod
    async def start(cls, command: Sequence[str], setup: bytes) -> "_Process":
        child = await Child.start(command, _NAME, {})
        child.requests.write(REQUEST.pack(len(setup)) + setup)
        return cls(child)

    @property
    def ended(self) -> bool:
        return self._gone is not None or self._child.ended

    @property
    def pid(self) -> int:
        return self._child.pid

    async def ask(self, square: Square, whole: bool) -> bytes:
        if self._gone is not None:
            raise self._gone
        number = next(self._numbers) & 0xFFFFFFFF
        future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._asked[number] = future
        request = orjson.dumps({"id": number, **square._asdict(), "whole": whole})
        try:
            self._child.requests.write(REQUEST.pack(len(request)) + request)
            return await future
        finally:
            self._asked.pop(number, None)

    async def _read(self) -> None:
        """Hand answers to those who wait, until there are no more."""
        answers, why = self._child.answers, ""
        try:
            while True:
                number, status, length = ANSWER.unpack(await answers.readexactly(ANSWER.size))
                if status not in (FETCHED, FAILED) or length > _LARGEST_BYTES:
                    why = "it does not answer in frames"
                    break
                body = await answers.readexactly(length)
                if (future := self._asked.get(number)) is not None and not future.done():
                    _settle(future, status, body)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            idle = not getattr(error, "partial", b"") and await self._child.wait() == 0
            self._gone = _Ended(f"it ended with {await self._child.wait()}", idle=idle)
        else:
            self._gone = _Ended(why, idle=False)
        if self._asked and not self._gone.idle:
            log.error("%s: %s", _NAME, self._gone)
        for future in self._asked.values():
            if not future.done():
                future.set_exception(self._gone)

    async def end(self) -> None:
        self._reading.cancel()
        await asyncio.wait([self._reading])
        self._gone = self._gone or _Ended("it was ended", idle=False)
        for future in self._asked.values():
            if not future.done():
                future.set_exception(self._gone)
        await self._child.end()


def _settle(future: "asyncio.Future[bytes]", status: int, body: bytes) -> None:
    if status == FETCHED:
        future.set_result(body)
    else:
        told = orjson.loads(body)
        future.set_exception(FetchFailed(told["sentence"], told["retry_s"]))
