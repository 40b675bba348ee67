"""The parent's end of the process that fetches heights: many requests at once, and one for a square at a time."""

import asyncio
import itertools
import logging
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextvars import Context
from typing import Any, NamedTuple, Never

import orjson
from aiohttp import web

from api import texts
from api.child.outside import Child
from api.errors import Unavailable
from api.horizon.rooftop.block import HEADER, SIDE, Square
from api.horizon.rooftop.child import ANSWER, BEGUN, FAILED, FETCHED, REQUEST

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
    """How long things may take, s, and how many squares may be waited for.

    A square has `fetch_s` from when the process begins with it, which the process sees to; it is given up `grace_s`
    later, alone. The process is given up where nothing is heard of it for as long as that and once more `grace_s`.
    """

    fetch_s: float = 60.0
    idle_s: float = 300.0
    grace_s: float = 15.0
    waiting: int = 256

    @property
    def square_s(self) -> float:
        """After what time of work a square is given up."""
        return self.fetch_s + self.grace_s

    @property
    def silence_s(self) -> float:
        """After what time without a word the process is given up."""
        return self.square_s + self.grace_s


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
            try:
                return await (await self._running()).ask(square, whole)
            except _Ended as ended:
                if not ended.idle:
                    raise
                return await (await self._running()).ask(square, whole)
        except (_Ended, OSError) as error:
            raise FetchFailed(f"{_NAME}: {error}") from error

    async def _running(self) -> "_Process":
        async with self._starting:
            if self._process is None or self._process.ended:
                await self._end()
                self._process = await _Process.start(self._command, self._setup, self._bounds)
            return self._process

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.end()


class _Asked(NamedTuple):
    """Who waits for an answer, and the clock that is started when the process begins with it."""

    answer: asyncio.Future[bytes]
    clock: asyncio.Timeout


class _Process:
    """A running process; several requests may be under way."""

    def __init__(self, child: Child, bounds: Bounds) -> None:
        self._child, self._bounds = child, bounds
        self._numbers = itertools.count()
        self._asked: dict[int, _Asked] = {}
        self._gone: _Ended | None = None
        self._silence, self._listening = asyncio.timeout(None), False
        self._reading = asyncio.create_task(self._read(), name="read heights", context=Context())

    @classmethod
    async def start(cls, command: Sequence[str], setup: bytes, bounds: Bounds) -> "_Process":
        child = await Child.start(command, _NAME, {})
        child.requests.write(REQUEST.pack(len(setup)) + setup)
        return cls(child, bounds)

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
        request = orjson.dumps({"id": number, **square._asdict(), "whole": whole})
        try:
            async with asyncio.timeout(None) as clock:
                self._asked[number] = _Asked(asyncio.get_running_loop().create_future(), clock)
                if len(self._asked) == 1:
                    self._heard()  # nothing was to be heard till now
                self._child.requests.write(REQUEST.pack(len(request)) + request)
                return await self._asked[number].answer
        except TimeoutError:
            # not which: it says where somebody lives
            why = f"no answer {self._bounds.square_s:g} s after it began with a square"
            raise FetchFailed(f"{_NAME}: {why}") from None
        finally:
            self._asked.pop(number, None)

    def _heard(self) -> None:
        """Begin to wait for the next word, where one is expected."""
        if self._listening and not self._silence.expired():
            until = asyncio.get_running_loop().time() + self._bounds.silence_s
            self._silence.reschedule(until if self._asked else None)

    async def _read(self) -> None:
        """Hand answers to those who wait, until there are no more; whatever comes, nobody waits on after that."""
        idle = False
        try:
            async with self._silence:
                self._listening = True
                self._heard()
                try:
                    await self._frames()
                except (asyncio.IncompleteReadError, ConnectionError) as error:
                    code = await self._child.wait()
                    why, idle = f"it ended with {code}", code == 0 and not getattr(error, "partial", b"")
        except TimeoutError:
            why = f"nothing was heard of it for {self._bounds.silence_s:g} s"
        except (ValueError, KeyError, TypeError):
            why = "it does not answer in frames"
        self._listening, self._gone = False, _Ended(why, idle=idle)
        if self._asked and not idle:
            log.error("%s: %s", _NAME, why)
        self._give_up(self._gone)
        await self._child.end()

    async def _frames(self) -> Never:
        """Read until the process has no more to say; ValueError, KeyError and TypeError where it is none of ours."""
        answers = self._child.answers
        while True:
            number, status, length = ANSWER.unpack(await answers.readexactly(ANSWER.size))
            if status not in (FETCHED, FAILED, BEGUN) or length > _LARGEST_BYTES:
                raise ValueError("no frame")
            body = await answers.readexactly(length)
            if (asked := self._asked.get(number)) is not None and not asked.answer.done():
                if status != BEGUN:
                    _settle(asked.answer, status, body)
                elif not asked.clock.expired():
                    asked.clock.reschedule(asyncio.get_running_loop().time() + self._bounds.square_s)
            self._heard()

    def _give_up(self, error: _Ended) -> None:
        for asked in self._asked.values():
            if not asked.answer.done():
                asked.answer.set_exception(error)

    async def end(self) -> None:
        self._reading.cancel()
        await asyncio.wait([self._reading])
        self._gone = self._gone or _Ended("it was ended", idle=False)
        self._give_up(self._gone)
        await self._child.end()


def _settle(future: asyncio.Future[bytes], status: int, body: bytes) -> None:
    if status == FETCHED:
        future.set_result(body)
    else:
        told = orjson.loads(body)
        future.set_exception(FetchFailed(told["sentence"], told["retry_s"]))
