"""Processes beside a worker: what callers get when one does well, fails, dies or hangs, and when they end."""

import asyncio
import logging
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from api.core.executors import ProcessFailed, ProcessPool
from catalog.sources.errors import Throttled
from tests.support.waiting import until

MADE_UP = "tests.api.core.made_up"
# Of a busy machine.
WITHIN_S = 60.0


@pytest_asyncio.fixture
async def pool() -> AsyncIterator[ProcessPool]:
    """A pool of one process."""
    pool = ProcessPool()
    async with pool.lifespan():
        yield pool


async def run(pool: ProcessPool, name: str, *arguments: object, within_s: float = WITHIN_S) -> int:
    found: int = await pool.run(f"{MADE_UP}:{name}", *arguments, within_s=within_s)
    return found


def is_gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE  # for whoever collects orphans here
    except psutil.NoSuchProcess:
        return True


async def until_written(flag: Path) -> int:
    await until(lambda: flag.exists() and flag.read_text() != "")
    return int(flag.read_text())


async def test_work_after_work_is_done_by_one_process_that_goes_last(pool: ProcessPool) -> None:
    process = await run(pool, "process")
    assert process != os.getpid()
    assert await run(pool, "process") == process
    assert psutil.Process(process).nice() > os.getpriority(os.PRIO_PROCESS, 0)


async def test_a_function_that_raises_is_logged_without_what_it_was_given(
    pool: ProcessPool, caplog: pytest.LogCaptureFixture
) -> None:
    process = await run(pool, "process")
    with pytest.raises(ProcessFailed):
        await run(pool, "draw", {"of": "somebody's house"})
    [line] = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert line.startswith(f"{MADE_UP}:draw: ValueError at ")
    assert "house" not in line
    assert await run(pool, "process") == process


async def test_what_a_source_says_comes_back_whole(pool: ProcessPool) -> None:
    with pytest.raises(Throttled, match="not now") as error:
        await run(pool, "spared")
    assert error.value.seconds == 600


async def test_work_whose_process_is_killed_is_done_by_another(pool: ProcessPool, tmp_path: Path) -> None:
    process = await run(pool, "process")
    assert await run(pool, "dies_once", str(tmp_path / "died")) != process
    idle = await run(pool, "process")
    os.kill(idle, signal.SIGKILL)
    assert await run(pool, "process") != idle


async def test_work_that_kills_each_process_fails_and_the_next_is_done(pool: ProcessPool) -> None:
    with pytest.raises(ProcessFailed):
        await run(pool, "dies")
    assert await run(pool, "process")


async def test_work_that_takes_too_long_is_ended_and_the_next_is_done(pool: ProcessPool, tmp_path: Path) -> None:
    await run(pool, "process")
    with pytest.raises(ProcessFailed, match="no result within 2 s"):
        await run(pool, "hangs", str(tmp_path / "begun"), within_s=2)
    assert await run(pool, "process")
    if (tmp_path / "begun").exists():
        process = await until_written(tmp_path / "begun")
        await until(lambda: is_gone(process))


async def test_whoever_gives_up_waiting_takes_the_process_from_nobody(pool: ProcessPool) -> None:
    process = await run(pool, "process")
    one, other = (asyncio.create_task(run(pool, "process")) for _ in range(2))
    await asyncio.sleep(0)
    one.cancel()
    assert await other == process
    with suppress(asyncio.CancelledError):
        await one


async def test_the_end_of_the_application_is_the_end_of_the_process(tmp_path: Path) -> None:
    pool, flag = ProcessPool(), tmp_path / "begun"
    async with pool.lifespan():
        hanging = asyncio.create_task(run(pool, "hangs", str(flag)))
        process = await until_written(flag)
    with pytest.raises(ProcessFailed):
        await hanging
    await until(lambda: is_gone(process))


async def test_work_that_is_under_way_at_the_end_of_the_application_is_no_error_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pool = ProcessPool()
    async with pool.lifespan():
        working = asyncio.create_task(run(pool, "process"))
        await asyncio.sleep(0)  # it begins
    with pytest.raises(ProcessFailed, match="the application has ended"):
        await working
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


WORKER = f"""
    import asyncio, sys
    from api.core.executors import ProcessPool
    asyncio.run(ProcessPool().run("{MADE_UP}:hangs", sys.argv[1], within_s=600))
"""


async def test_a_worker_that_is_killed_takes_its_process_along(tmp_path: Path) -> None:
    flag = tmp_path / "begun"
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(WORKER), str(flag)]) as worker:
        process = await until_written(flag)
        worker.send_signal(signal.SIGKILL)
    await until(lambda: is_gone(process))
