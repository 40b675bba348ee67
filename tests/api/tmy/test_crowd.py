"""Readings that hang stop no other, and the line of files that are being made has an end."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api import press
from api.tmy import routes
from tests.api.conftest import Asked, Start
from tests.api.tmy.conftest import tmy
from tests.api.tmy.test_errors import assert_refused
from tests.support.tmy import OSLO, QUAY


class Hanging:
    """Looks places up; that of one place waits until it is let go."""

    def __init__(self) -> None:
        self._find, self._go = routes.find, threading.Event()
        self.waiting = threading.Semaphore(0)

    def find(self, climate: Any, lat: float, lon: float, now: Any) -> Any:
        """Stand in for `find`."""
        if (lat, lon) == OSLO:
            self.waiting.release()
            assert self._go.wait(20)
        return self._find(climate, lat, lon, now)

    async def begun(self, how_many: int) -> None:
        """Wait until so many hang."""
        for _ in range(how_many):
            assert await asyncio.to_thread(self.waiting.acquire, timeout=20)

    def let_go(self) -> None:
        """Let all of them end."""
        self._go.set()


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hanging]:
    """One that `api.tmy` uses."""
    one = Hanging()
    monkeypatch.setattr(routes, "find", one.find)
    yield one
    one.let_go()


async def test_some_readings_that_hang_stop_no_other(start: Start, climate: Path, hanging: Hanging) -> None:
    api = await start(store_folder=climate)
    async with asyncio.TaskGroup() as group:
        hung = [group.create_task(api.ask(tmy(path=path))) for path in ("/api/tmy", "/api/tmy/stats")]
        await hanging.begun(len(hung))
        async with asyncio.timeout(20):
            assert (await api.ask(tmy(QUAY))).status == 200
        hanging.let_go()
    assert [task.result().status for task in hung] == [200, 200]


async def test_the_line_has_an_end(
    start: Start, climate: Path, hanging: Hanging, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert press._LARGEST_LINE == 64
    monkeypatch.setattr(press, "_LARGEST_LINE", 2)
    api = await start(store_folder=climate)
    async with asyncio.TaskGroup() as group:
        first: list[asyncio.Task[Asked]] = [group.create_task(api.ask(tmy())) for _ in range(2)]
        await hanging.begun(len(first))
        refused = await api.ask(tmy(QUAY))
        assert_refused(refused, 503, "for mange TMY-filer")
        assert refused.headers["Retry-After"] == "1"
        assert (await api.ask(tmy(QUAY, "/api/tmy/stats"))).status == 200
        hanging.let_go()
    assert [task.result().status for task in first] == [200, 200]
    assert (await api.ask(tmy(QUAY))).status == 200
    assert (await api.ask("/api/tmy?lat=x")).status == 400
