"""What is dear to make and asked for again: made once at a time, kept within a number of bytes."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, Protocol, TypeVar


class Sized(Protocol):
    """Something that knows how many bytes it takes."""

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        ...


T = TypeVar("T", bound=Sized)


class Kept(Generic[T]):
    """Keeps what was asked for last; whoever asks for what is just being made waits for that.

    Parameters
    ----------
    most_bytes : int
        Beyond, what was not asked for longest goes. What alone is larger is not kept.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes, self._held = most_bytes, 0
        self._kept: OrderedDict[Hashable, T] = OrderedDict()
        self._making: dict[Hashable, asyncio.Task[T]] = {}

    @property
    def nbytes(self) -> int:
        """Bytes that are held."""
        return self._held

    async def get(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        """Return what a key names, made if it has to be; what fails is not kept, and all who wait for it are told.

        Who is cancelled while he waits takes it from nobody: it is made to its end.
        """
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        task = self._making.get(key)
        if task is None:
            task = self._making[key] = asyncio.create_task(self._made(key, make), name="make what is kept")
            task.add_done_callback(_asked_for)
        return await asyncio.shield(task)

    async def _made(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        try:
            made = await make()
        finally:
            del self._making[key]
        self._kept[key] = made
        self._held += made.nbytes
        while self._held > self._most_bytes:
            _, old = self._kept.popitem(last=False)
            self._held -= old.nbytes
        return made


def _asked_for(done: asyncio.Task[T]) -> None:
    """Look at a failure: nobody complains then that it was never asked for, where all who waited are gone."""
    if not done.cancelled():
        done.exception()
