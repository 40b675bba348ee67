"""The process that fetches heights: started, asked, given up; and what one square's fault is to the others."""

import asyncio
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import orjson
import psutil
import pytest

from api.horizon.rooftop.block import Square
from api.horizon.rooftop.child import ANSWER, AT_ONCE, BEGUN, REQUEST
from api.horizon.rooftop.fetching import Bounds, FetchFailed, Fetching
from api.horizon.rooftop.land import around
from tests.api.horizon.rooftop.conftest import held_up
from tests.api.horizon.rooftop.made import OSLO, place
from tests.support.coverages import Coverages

SQUARES = around(*place(*OSLO))

# Column 0 is begun and never answered, 1 waits for its turn until 2 is asked for, 3 fails; others are there.
FAKE = """
    import json, struct, sys
    head, answer = struct.Struct("!I"), struct.Struct("!IBI")
    def said(number, status, body=b""):
        sys.stdout.buffer.write(answer.pack(number, status, len(body)) + body)
        sys.stdout.flush()
    def frame():
        length = sys.stdin.buffer.read(4)
        return json.loads(sys.stdin.buffer.read(*head.unpack(length))) if length else sys.exit()
    queued = []
    frame()
    while True:
        asked = frame()
        number, column = asked["id"], asked["column"]
        if column == 1:
            queued.append(number)
            continue
        said(number, 2)
        if column == 3:
            said(number, 1, FAILURE)
        elif column:
            said(number, 0)
        if column == 2:
            for one in queued:
                said(one, 2)
                said(one, 0)
"""
SILENT = "import sys; sys.stdin.buffer.read()"


def dom(column: int) -> Square:
    return Square("dom", column, 12_900)


def setup(service: Coverages, folder: Path) -> dict[str, object]:
    return {"url": service.url, "user_agent": "test", "folder": str(folder), "max_bytes": 10_000_000}


@asynccontextmanager
async def running(fetching: Fetching) -> AsyncIterator[Fetching]:
    lifespan = fetching.lifespan(None)  # type: ignore[arg-type]
    await anext(lifespan)
    try:
        yield fetching
    finally:
        await anext(lifespan, None)


def instead(code: str, bounds: Bounds | None = None, failure: bytes = b"{}") -> Fetching:
    """Fetch with another program."""
    code = textwrap.dedent(code).replace("FAILURE", repr(failure))
    return Fetching({}, bounds, command=(sys.executable, "-I", "-c", code))


async def test_a_square_that_never_comes_fails_alone_and_those_in_line_go_on_waiting() -> None:
    async with running(instead(FAKE, Bounds(fetch_s=1.0, grace_s=0.5))) as fetching:
        stuck, queued = (asyncio.create_task(fetching.get(dom(column))) for column in (0, 1))
        while not stuck.done():
            await fetching.get(dom(4))
            await asyncio.sleep(0.05)
        with pytest.raises(FetchFailed, match=r"heights: no answer 1\.5 s after it began with a square$"):
            await stuck
        assert not queued.done()
        await fetching.get(dom(2))
        assert await queued == b""


async def test_a_process_that_says_nothing_is_ended() -> None:
    async with running(instead(SILENT, Bounds(fetch_s=0.2, grace_s=0.1))) as fetching:
        asking = [asyncio.create_task(fetching.get(dom(column))) for column in (4, 5)]
        async with asyncio.timeout(60):
            await asyncio.wait(asking)
        assert fetching._process is not None
        for one in asking:
            with pytest.raises(FetchFailed, match=r"nothing was heard of it for 0\.4 s"):
                await one
        await asyncio.wait([fetching._process._reading], timeout=60)
        assert not psutil.pid_exists(fetching._process.pid)


@pytest.mark.parametrize("failure", [b"{", b"[]", b"{}", b"\xff"])
async def test_a_failure_that_cannot_be_read_fails_everybody_at_once(failure: bytes) -> None:
    async with running(instead(FAKE, failure=failure)) as fetching, asyncio.timeout(60):
        others = [asyncio.create_task(fetching.get(dom(column))) for column in (0, 1)]
        await fetching.get(dom(4))
        for one in (fetching.get(dom(3)), *others):
            with pytest.raises(FetchFailed, match="it does not answer in frames"):
                await one
        assert await fetching.get(dom(4)) == b"", "by a new process"


async def test_one_gives_up_and_another_has_the_square_all_the_same(service: Coverages, tmp_path: Path) -> None:
    async with running(Fetching(setup(service, tmp_path))) as fetching:
        with held_up(service):
            first, second = (asyncio.create_task(fetching.get(dom(500), whole=True)) for _ in range(2))
            while not service.asked:
                await asyncio.sleep(0.02)
            first.cancel()
            await asyncio.wait([first])
        assert len(await second) > 500_000
    assert first.cancelled()
    assert len(service.asked) == 1


def test_it_says_whose_turn_it_is_and_ends_with_stdin_though_a_question_is_under_way(
    service: Coverages, tmp_path: Path
) -> None:
    command = (sys.executable, "-m", "api.horizon.rooftop.child", "--idle", "60", "--seconds", "60")
    frames = [setup(service, tmp_path), *({"id": i, **dom(500 + i)._asdict(), "whole": True} for i in range(9))]
    with held_up(service), subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(b"".join(REQUEST.pack(len(raw)) + raw for raw in map(orjson.dumps, frames)))
            process.stdin.flush()
            said = [ANSWER.unpack(process.stdout.read(ANSWER.size)) for _ in range(AT_ONCE)]
            assert sorted(said) == [(i, BEGUN, 0) for i in range(AT_ONCE)]
            process.stdin.close()
            assert process.wait(10) == 0
            assert process.stdout.read() == b""
        finally:
            process.kill()


async def test_a_process_that_idled_is_started_anew(tmp_path: Path, service: Coverages) -> None:
    fetching = Fetching(setup(service, tmp_path), Bounds(idle_s=0.05))
    lifespan = fetching.lifespan(None)  # type: ignore[arg-type]
    await anext(lifespan)
    bodies = []
    for column in (500, 501):
        bodies.append(await fetching.get(Square("dom", column, 12_900), whole=True))
        assert fetching._process is not None
        with suppress(psutil.NoSuchProcess):  # at any moment of these
            process = psutil.Process(fetching._process.pid)
            while process.status() != psutil.STATUS_ZOMBIE:
                await asyncio.sleep(0.02)
    await anext(lifespan, None)
    assert len(bodies[0]) == len(bodies[1]) > 500_000


async def test_a_process_that_answers_nonsense(tmp_path: Path) -> None:
    code = "import sys; sys.stdin.buffer.read(4); sys.stdout.buffer.write(b'what?' * 99); sys.stdout.flush()"
    fetching = Fetching({}, command=(sys.executable, "-c", code))
    with pytest.raises(Exception, match=r"it does not answer in frames|it ended with"):
        await fetching.get(SQUARES[0])
    lifespan = fetching.lifespan(None)  # type: ignore[arg-type]
    await anext(lifespan)
    await anext(lifespan, None)


async def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    fetching = Fetching({}, command=(str(tmp_path / "none"),))
    with pytest.raises(Exception, match="No such file"):
        await fetching.get(SQUARES[0])


async def test_no_more_are_waited_for_than_allowed(service: Coverages, tmp_path: Path) -> None:
    fetching = Fetching(setup(service, tmp_path), Bounds(waiting=2))
    lifespan = fetching.lifespan(None)  # type: ignore[arg-type]
    await anext(lifespan)
    with held_up(service):
        waiting = [asyncio.create_task(fetching.get(square)) for square in SQUARES[:2]]
        await asyncio.sleep(0)
        with pytest.raises(Exception, match="for mange"):
            await fetching.get(SQUARES[2])
    await asyncio.gather(*waiting)
    await anext(lifespan, None)
