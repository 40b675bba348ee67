"""The cache in memory: each value made once at a time, bounded, and no failure kept."""

import asyncio
import gc
from collections.abc import Awaitable, Callable
from typing import NamedTuple

import pytest

from api.core.cache import Cache


class Thing(NamedTuple):
    """A value to keep."""

    name: str
    nbytes: int


class Making:
    """Makes things when it is let."""

    def __init__(self) -> None:
        self.made, self.go_on = 0, asyncio.Event()

    def of(self, name: str, nbytes: int = 1, error: Exception | None = None) -> Callable[[], Awaitable[Thing]]:
        """Return what makes one."""

        async def make() -> Thing:
            self.made += 1
            await self.go_on.wait()
            if error is not None:
                raise error
            return Thing(name, nbytes)

        return make


async def test_who_asks_for_what_is_being_made_waits_for_it() -> None:
    cache, making = Cache[Thing](10), Making()
    waiting = [asyncio.create_task(cache.get_or_make("a", making.of("a"))) for _ in range(8)]
    await asyncio.sleep(0)
    assert cache.get("a") is None
    making.go_on.set()
    assert len({id(thing) for thing in await asyncio.gather(*waiting)}) == 1
    assert cache.get("a") is await cache.get_or_make("a", making.of("never"))
    assert making.made == 1


async def test_nothing_is_kept_as_well_as_something() -> None:
    cache, made = Cache[None](10, lambda _: 4), 0

    async def make() -> None:
        nonlocal made
        made += 1

    for _ in range(9):
        assert await cache.get_or_make("a", make) is None
    assert (made, cache.nbytes) == (1, 4)


async def test_a_failure_is_told_to_all_and_not_kept() -> None:
    cache, making = Cache[Thing](10), Making()
    making.go_on.set()
    failing = making.of("a", error=OSError("gone"))
    for done in await asyncio.gather(*(cache.get_or_make("a", failing) for _ in range(3)), return_exceptions=True):
        assert isinstance(done, OSError)
    assert (cache.nbytes, making.made) == (0, 1)
    assert (await cache.get_or_make("a", making.of("a"))).name == "a"


async def test_who_is_cancelled_takes_it_from_nobody() -> None:
    cache, making = Cache[Thing](10), Making()
    first, second = [asyncio.create_task(cache.get_or_make("a", making.of("a"))) for _ in range(2)]
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait([first])
    making.go_on.set()
    assert (await second).name == "a"
    assert (first.cancelled(), making.made) == (True, 1)


async def test_a_failure_that_nobody_waits_for_is_nobody_s_complaint(caplog: pytest.LogCaptureFixture) -> None:
    cache, making = Cache[Thing](10), Making()
    alone = asyncio.create_task(cache.get_or_make("a", making.of("a", error=OSError("gone"))))
    await asyncio.sleep(0)
    alone.cancel()
    await asyncio.wait([alone])
    making.go_on.set()
    assert (await cache.get_or_make("b", making.of("b"))).name == "b"
    del alone
    gc.collect()  # an error that was never looked at is told when its task goes
    assert not caplog.records


async def test_what_was_not_asked_for_longest_goes() -> None:
    cache, making = Cache[Thing](10), Making()
    making.go_on.set()
    for name in ("a", "b", "a", "c"):  # 4 bytes each: two fit
        await cache.get_or_make(name, making.of(name, 4))
    assert (cache.nbytes, making.made, cache.get("b")) == (8, 3, None)
    assert cache.get("a") is not None
    await cache.get_or_make("d", making.of("d", 4))
    assert (cache.get("c"), making.made) == (None, 4)
    assert (await cache.get_or_make("large", making.of("large", 11))).nbytes == 11
    assert (cache.get("large"), cache.nbytes) == (None, 8), (
        "what is larger than all is answered, and takes nobody's place"
    )
