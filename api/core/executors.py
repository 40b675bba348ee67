"""Threads and processes beside the event loop: for reading, for the processor, for what must not be in a worker."""

import asyncio
import contextvars
import ctypes
import importlib
import logging
import os
import queue
import signal
import threading
import traceback
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from typing import Any, TypeVar

from api.core import problems
from catalog.sources.errors import SourceError

log = logging.getLogger("solflis.api")

# Several threads at once kept the event loop from the interpreter: /health took 160 ms (p50) beside eight downloads.
_CPU_THREADS = 1
_NICENESS = 10
_PR_SET_PDEATHSIG = 1
# A process of jobs that draws maps and traces horizons has 300 MB more than one that has just begun.
_LEAK_BYTES = 800_000_000
# Each holds a year of 0.5 MB, then its file of 2 MB; a worker prints some 200 a second.
_QUEUE = 64

T = TypeVar("T")


@asynccontextmanager
async def background(work: Coroutine[Any, Any, None], name: str) -> AsyncIterator[None]:
    """Run a task as long as the context; nothing waits for it."""
    task = asyncio.create_task(work, name=name)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


class ReaderPool:
    """At most `size` daemon threads for work that waits for disks and servers; the process ends without them.

    Parameters
    ----------
    size : int
    name : str
        Of the threads.
    """

    def __init__(self, size: int, name: str) -> None:
        self._size, self._name = size, name
        self._tasks: queue.SimpleQueue[tuple[asyncio.Future[Any], Callable[[], Any]]] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []

    async def run(self, work: Callable[[], T]) -> T:
        """Return what the work returns; its log lines have the request's id."""
        # Half the time of a future of `concurrent.futures` that is wrapped.
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._tasks.put((future, partial(contextvars.copy_context().run, work)))
        if len(self._threads) < self._size:
            thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
            self._threads.append(thread)
            thread.start()
        return await future

    def _serve(self) -> None:
        while True:
            future, work = self._tasks.get()
            if future.cancelled():
                continue
            result, error = None, None
            try:
                result = work()
            except BaseException as raised:  # noqa: BLE001 - it is raised where it is waited for
                error = raised
            with suppress(RuntimeError):  # the loop has ended, and with it whoever waited
                future.get_loop().call_soon_threadsafe(_settle, future, result, error)
            del future, work, result, error  # else the result is held until there is something else to do


def _settle(future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if future.done():  # nobody waits for it any more
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)


class CpuExecutor:
    """One thread of low priority for calculations, with a bounded queue."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(_CPU_THREADS, "cpu", initializer=_lower_priority)
        self._queued = 0

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Take a place in the queue, before anything is read for the calculation.

        Raises
        ------
        ApiError
            `BUSY`: the queue is full.
        """
        if self._queued >= _QUEUE:
            raise problems.BUSY()
        self._queued += 1
        try:
            yield
        finally:
            self._queued -= 1

    async def run(self, work: Callable[[], T]) -> T:
        """Return what the work returns."""
        work = partial(contextvars.copy_context().run, work)
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


def _lower_priority() -> None:
    """Let the event loop go first where processors are short: on Linux a thread has a niceness of its own."""
    with suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


class ProcessFailed(Exception):
    """The work raised, its process died, or it took too long; the text says which."""

    died = False
    """Whether its process died or was ended, so that another may do it."""


class ProcessPool:
    """Runs functions that must not be in a worker: pictures (matplotlib), heights (rasterio), jobs.

    Processes start when needed and end when idle. Work whose process dies is given to another once; work that takes too
    long fails, and all processes are replaced.

    Parameters
    ----------
    size : int
        Processes at most.
    idle_s : float
        After which an idle process ends, s.
    again : bool
        Whether work whose process dies is given to another.
    """

    def __init__(self, size: int = 1, idle_s: float = 300.0, *, again: bool = True) -> None:
        self._size, self._idle_s, self._again = size, idle_s, again
        self._pool: Any = None
        self._ended = False

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """End the processes with the application."""
        try:
            yield
        finally:
            self._ended = True
            self.drop()

    async def run(self, function: str, *arguments: Any, within_s: float) -> Any:
        """Return what a function returns.

        Parameters
        ----------
        function : str
            `package.module:name`, imported in the process alone.
        *arguments
            Can be pickled.
        within_s : float
            Longest that it may take, queueing included, s.

        Raises
        ------
        ProcessFailed
        SourceError
            The function raised it.
        """
        died = False
        try:
            async with asyncio.timeout(within_s):
                try:
                    return await self._submit(function, arguments)
                except (OSError, RuntimeError):  # a process died: with the work in hand, or idle a moment before
                    if not self._again:
                        raise
                    return await self._submit(function, arguments)
        except TimeoutError:
            self.drop()
            why = f"no result within {within_s:g} s"
            died = True
        except _Raised as error:
            why = str(error)
        except (OSError, RuntimeError) as error:
            why = "the application has ended" if self._ended else type(error).__name__
            died = True
        # at the end no fault: what nobody waits for any more may be under way
        log.log(logging.INFO if died and self._ended else logging.ERROR, "%s: %s", function, why)
        failed = ProcessFailed(f"{function}: {why}")
        failed.died = died
        raise failed

    async def _submit(self, function: str, arguments: tuple[Any, ...]) -> Any:
        if self._ended:
            raise RuntimeError
        pool = self._pool = self._pool or self._start()
        try:
            future = asyncio.wrap_future(pool.submit(_call, function, arguments))
            future.add_done_callback(_note)
            # shielded: whoever gives up waiting takes the result from nobody else
            return await asyncio.shield(future)
        except (OSError, RuntimeError):
            if pool is self._pool:
                self.drop()
            raise

    def _start(self) -> Any:
        import loky  # 60 ms, for the first picture alone

        # read in the processes; by default one with 300 MB more ends, and the next job waits until another has begun
        env = {"LOKY_MAX_MEMORY_LEAK_SIZE": str(_LEAK_BYTES)}
        return loky.ProcessPoolExecutor(
            self._size, timeout=self._idle_s, initializer=_begin, initargs=(os.getpid(),), env=env
        )

    def drop(self) -> threading.Thread:
        """End the processes, whatever they do; the next call starts others. Return what ends with them."""
        pool, self._pool = self._pool, None
        end = threading.Thread(target=pool and partial(pool.shutdown, wait=True, kill_workers=True), daemon=True)
        end.start()
        return end


def _note(future: "asyncio.Future[Any]") -> None:
    """Take an error that nobody waits for any more: asyncio would log it."""
    if not future.cancelled():
        future.exception()


class _Raised(Exception):
    """Kind and place of an error, never its text: it can quote data."""


def _begin(parent: int) -> None:
    """Leave Ctrl-C to the parent, end with it even in the middle of something, and let everything else go first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(AttributeError):  # where it is not Linux, idle processes end by themselves
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it was killed before that
            os._exit(1)
    with suppress(OSError):
        os.nice(_NICENESS)


def _call(function: str, arguments: tuple[Any, ...]) -> Any:
    module, _, name = function.partition(":")
    try:
        return getattr(importlib.import_module(module), name)(*arguments)
    except SourceError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the next call is another
        at = traceback.extract_tb(error.__traceback__)[-1]
        raise _Raised(f"{type(error).__name__} at {at.filename}:{at.lineno}") from None
