"""Cells that are kept: made once at a time, bounded, and never a failure."""

import asyncio
import gc
import threading
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from api.pv import routes
from api.pv.kept import Kept
from tests.api.conftest import Start
from tests.api.pv.conftest import pv
from tests.support.tmy import OSLO, QUAY

# Nobody waits so long unless something hangs.
_LONG_S = 120


class Thing(NamedTuple):
    """What is kept here."""

    name: str
    nbytes: int


class Making:
    """Makes things when it is let."""

    def __init__(self) -> None:
        self.made, self.go_on = 0, asyncio.Event()

    def of(self, name: str, nbytes: int = 1, error: Exception | None = None) -> Any:
        """Return what makes one."""

        async def make() -> Thing:
            self.made += 1
            await self.go_on.wait()
            if error is not None:
                raise error
            return Thing(name, nbytes)

        return make


async def test_who_asks_for_what_is_being_made_waits_for_it() -> None:
    kept, making = Kept[Thing](10), Making()
    waiting = [asyncio.create_task(kept.get("a", making.of("a"))) for _ in range(8)]
    await asyncio.sleep(0)
    making.go_on.set()
    assert len({id(thing) for thing in await asyncio.gather(*waiting)}) == 1
    assert making.made == 1
    assert (await kept.get("a", making.of("never"))).name == "a"


async def test_a_failure_is_told_to_all_and_not_kept() -> None:
    kept, making = Kept[Thing](10), Making()
    making.go_on.set()
    failing = making.of("a", error=OSError("gone"))
    for done in await asyncio.gather(*(kept.get("a", failing) for _ in range(3)), return_exceptions=True):
        assert isinstance(done, OSError)
    assert (kept.nbytes, making.made) == (0, 1)
    assert (await kept.get("a", making.of("a"))).name == "a"


async def test_who_is_cancelled_takes_it_from_nobody() -> None:
    kept, making = Kept[Thing](10), Making()
    first, second = [asyncio.create_task(kept.get("a", making.of("a"))) for _ in range(2)]
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait([first])
    making.go_on.set()
    assert (await second).name == "a"
    assert (first.cancelled(), making.made) == (True, 1)


async def test_a_failure_that_nobody_waits_for_is_nobody_s_complaint(caplog: pytest.LogCaptureFixture) -> None:
    kept, making = Kept[Thing](10), Making()
    alone = asyncio.create_task(kept.get("a", making.of("a", error=OSError("gone"))))
    await asyncio.sleep(0)
    alone.cancel()
    await asyncio.wait([alone])
    making.go_on.set()
    assert (await kept.get("b", making.of("b"))).name == "b"
    del alone
    gc.collect()  # who was never asked for complains when he goes
    assert not caplog.records


async def test_what_was_not_asked_for_longest_goes() -> None:
    kept, making = Kept[Thing](10), Making()
    making.go_on.set()
    for name in ("a", "b", "a", "c"):  # 4 bytes each: two fit
        await kept.get(name, making.of(name, 4))
    assert (kept.nbytes, making.made) == (8, 3)
    await kept.get("a", making.of("a", 4))
    assert making.made == 3
    await kept.get("b", making.of("b", 4))
    assert making.made == 4
    assert (await kept.get("large", making.of("large", 11))).nbytes == 11
    assert kept.nbytes <= 10


class Counted:
    """Reads years, and waits before it does until it is let."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._read, self.go_on, self.begun = routes.read, threading.Event(), threading.Semaphore(0)
        self.reads = 0
        monkeypatch.setattr(routes, "read", self.read)

    def read(self, chosen: Any) -> Any:
        """Stand in for `read`."""
        self.reads += 1
        self.begun.release()
        assert self.go_on.wait(_LONG_S)
        return self._read(chosen)


async def test_eight_clients_that_ask_for_the_same_cell_read_it_once(
    start: Start, hilly: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(monkeypatch)
    api = await start(store_folder=hilly)
    async with asyncio.TaskGroup() as group:
        eight = [group.create_task(api.ask(pv(angle=angle))) for angle in range(10, 90, 10)]
        assert await asyncio.to_thread(counted.begun.acquire, timeout=_LONG_S)
        assert (await api.ask("/health")).status in (200, 503)  # and meanwhile others are answered
        counted.go_on.set()
    assert [task.result().status for task in eight] == [200] * 8
    assert len({task.result().json["annual"]["e_kwh"] for task in eight}) == 8
    assert counted.reads == 1
    assert (await api.ask(pv(format="csv", confidence="p95"))).status == 200
    assert counted.reads == 1
    # Another cell, the same without its horizon, and one whose terrain is another's: each is its own.
    for more in (pv(QUAY), pv(horizon=0), pv((OSLO[0] + 0.002, OSLO[1]))):
        assert (await api.ask(more)).status == 200
    assert counted.reads == 4
