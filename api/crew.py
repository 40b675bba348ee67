"""A few threads for work that may wait long for others; the process does not wait for them when it ends."""

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class Crew:
    """At most so many threads, started when needed; they are daemons, unlike those of an executor.

    Parameters
    ----------
    size : int
    name : str
    """

    def __init__(self, size: int, name: str) -> None:
        self._size, self._name = size, name
        self._tasks: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []

    async def run(self, work: Callable[[], T]) -> T:
        """Do something in one of the threads. Who is cancelled while he waits for one takes it from nobody."""
        future: Future[T] = Future()
        self._tasks.put((future, work))
        if len(self._threads) < self._size:
            thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
            self._threads.append(thread)
            thread.start()
        return await asyncio.wrap_future(future)

    def _serve(self) -> None:
        while True:
            future, work = self._tasks.get()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
                future.set_exception(error)
            del future, work  # else what was made is held until there is something else to do
