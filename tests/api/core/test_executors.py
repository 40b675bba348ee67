"""Threads beside the event loop."""

import asyncio
import threading
from collections.abc import Callable

import pytest

from api.core.executors import CpuExecutor, ReaderPool, background
from api.observing import request_id

Run = Callable[[Callable[[], object]], object]


@pytest.fixture(params=["readers", "cpu"])
def run(request: pytest.FixtureRequest) -> Run:
    return ReaderPool(2, "reader").run if request.param == "readers" else CpuExecutor().run


async def test_work_runs_in_a_thread_returns_raises_and_knows_its_request(run: Run) -> None:
    request_id.current.set("id")
    assert await run(lambda: (threading.current_thread() is threading.main_thread(), request_id.current.get())) == (
        False,
        "id",
    )
    with pytest.raises(ZeroDivisionError):
        await run(lambda: 1 // 0)
    with pytest.raises(SystemExit):  # a thread that ended with it would be missing from then on
        await run(lambda: exec("raise SystemExit"))
    assert await run(lambda: 1) == 1


async def test_no_more_readers_work_at_once_than_the_pool_has() -> None:
    pool, go_on, working = ReaderPool(2, "reader"), threading.Event(), threading.Semaphore(0)

    def read() -> int:
        working.release()
        assert go_on.wait(60)
        return threading.get_ident()

    waiting = [asyncio.create_task(pool.run(read)) for _ in range(6)]
    for _ in range(2):
        assert await asyncio.to_thread(working.acquire, timeout=60)
    waiting[-1].cancel()
    await asyncio.wait([waiting[-1]])
    assert not working.acquire(blocking=False)
    go_on.set()
    assert len(set(await asyncio.gather(*waiting[:-1]))) == 2
    assert sum(working.acquire(blocking=False) for _ in range(6)) == 3, "what nobody waits for is not begun"


async def test_what_runs_in_the_background_ends_with_its_context() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with background(work(), "work"):
        await begun.wait()
    assert ended.is_set()
