"""The process that draws, itself: what it answers, when it ends, and that an API worker holds nothing of it."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from api.pictures.child import ANSWER, DRAWN, FAILED, REQUEST, answer
from tests.api.pictures.test_pictures import PNG, living
from tests.api.pv.calc_answers import calc_answer

Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def start() -> Iterator[Start]:
    running: list[subprocess.Popen[bytes]] = []

    def starting(idle: float = 60, code: str = "", **options: Any) -> subprocess.Popen[bytes]:
        argv = (
            ("-c", textwrap.dedent(code), "--idle", str(idle))
            if code
            else ("-m", "api.pictures.child", "--idle", str(idle))
        )
        process = subprocess.Popen([sys.executable, *argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        running.append(process)
        return process

    yield starting
    for process in running:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def framed(**request: Any) -> bytes:
    body = json.dumps(request).encode()
    return REQUEST.pack(len(body)) + body


def ask(process: subprocess.Popen[bytes], request: bytes) -> tuple[int, bytes]:
    process.stdin.write(request)
    process.stdin.flush()
    status, length = ANSWER.unpack(process.stdout.read(ANSWER.size))
    return status, process.stdout.read(length)


def test_it_draws_and_goes_on_after_what_it_cannot_draw(start: Start) -> None:
    process = start()
    good = framed(picture="api.pv.picture", data=calc_answer())
    status, first = ask(process, good)
    assert (status, first[:8]) == (DRAWN, PNG)
    status, said = ask(process, framed(picture="api.pv.picture", data={"monthly": "a secret place"}))
    assert status == FAILED
    assert b"picture.py:" in said
    assert b"secret" not in said
    assert ask(process, b"\0\0\0\2{]")[0] == FAILED
    assert ask(process, good) == (DRAWN, first)
    process.stdin.close()
    assert process.wait(10) == 0


@pytest.mark.parametrize("name", ["os", "api.pv.routes", "api.picture", "tests.pv.picture", "api.pv.picture.x"])
def test_it_loads_pictures_and_nothing_else(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = json.dumps({"picture": name, "data": {}}).encode()
    monkeypatch.setitem(sys.modules, name, SimpleNamespace(draw=lambda _: b"drawn"))
    assert answer(asked)[0] == FAILED
    monkeypatch.setitem(sys.modules, "api.made_up.picture", SimpleNamespace(draw=lambda _: b"drawn"))
    assert answer(asked.replace(name.encode(), b"api.made_up.picture")) == (DRAWN, b"drawn")


PRINTING = """
    import sys, types
    from api.pictures import child
    def draw(data):
        print("a library says something", flush=True)
        return b"a picture"
    sys.modules["api.loud.picture"] = types.SimpleNamespace(draw=draw)
    sys.exit(child.main(sys.argv[1:]))
"""


def test_what_a_library_prints_is_no_answer(start: Start) -> None:
    process = start(code=PRINTING, stderr=subprocess.PIPE)
    assert ask(process, framed(picture="api.loud.picture", data={})) == (DRAWN, b"a picture")
    process.stdin.close()
    assert process.stderr.read() == b"a library says something\n"


def test_it_ends_when_idle(start: Start) -> None:
    assert start(idle=0.05).wait(20) == 0


def test_half_a_request_and_the_end_is_the_end(start: Start) -> None:
    process = start()
    process.stdin.write(REQUEST.pack(1000) + b"{")
    process.stdin.close()
    assert process.wait(20) == 0


PARENT = """
    import asyncio, sys
    from pathlib import Path
    from api.pictures.pictures import Pictures

    async def main():
        pictures = Pictures(Path(sys.argv[1]))
        {asking}
        print(pictures._painter.pid, flush=True)
        await asyncio.sleep(60)

    {run}
"""
IDLING = "await pictures.draw('api.pv.picture', __import__('json').loads(sys.argv[2]))"
RUNS = ("asyncio.run(main())", "import uvloop; uvloop.run(main())")


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE  # for whoever collects orphans here
    except psutil.NoSuchProcess:
        return True


def until(true: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("run", RUNS)
def test_it_dies_with_a_worker_that_is_killed(run: str, tmp_path: Path) -> None:
    code = textwrap.dedent(PARENT).format(asking=IDLING, run=run)
    argv = [sys.executable, "-c", code, str(tmp_path), json.dumps(calc_answer())]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as parent:
        child = int(parent.stdout.readline())
        assert not gone(child)
        parent.send_signal(signal.SIGKILL)
    until(lambda: gone(child))


BUSY = """
    import ctypes, os, sys, types
    from api.pictures import child
    def draw(data):
        print("drawing", file=sys.stderr, flush=True)
        ctypes.PyDLL(None).sleep(60)  # holds the interpreter too
    sys.modules["api.busy.picture"] = types.SimpleNamespace(draw=draw)
    print(os.getpid(), file=sys.stderr, flush=True)
    child.main(["--idle", "60"])
"""


def test_it_dies_with_its_parent_even_in_the_middle_of_a_drawing(tmp_path: Path) -> None:
    child = textwrap.dedent(BUSY)
    parent = f"""
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", {child!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
child.stdin.write({framed(picture="api.busy.picture", data={})!r})
child.stdin.flush()
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", parent], stderr=subprocess.PIPE) as process:
        pid = int(process.stderr.readline())
        assert process.stderr.readline() == b"drawing\n"
        process.send_signal(signal.SIGKILL)
        until(lambda: gone(pid))


def test_it_lets_everything_else_go_first(start: Start) -> None:
    process = start()
    ask(process, b"\0\0\0\0")
    assert psutil.Process(process.pid).nice() > os.getpriority(os.PRIO_PROCESS, 0)


ALONE = """
    import asyncio, json, sys
    from pathlib import Path
    from api.pictures.pictures import Pictures

    async def main():
        pictures = Pictures(Path(sys.argv[1]))
        lifespan = pictures.lifespan(None)
        await anext(lifespan)
        picture = await pictures.draw("api.pv.picture", json.loads(sys.argv[2]))
        await anext(lifespan, None)
        assert picture.startswith(b"\\x89PNG")

    import uvloop
    uvloop.run(main())
    print("MODULES", *sys.modules)
"""


def test_the_process_that_asks_never_holds_matplotlib_nor_the_one_that_draws_the_server(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", textwrap.dedent(ALONE), str(tmp_path), json.dumps(calc_answer())]
    asking = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True)
    assert "api.pictures.pictures" in asking.stdout.split()
    assert not {"matplotlib", "PIL", "api.pv.picture"} & set(asking.stdout.split())
    assert asking.stderr == ""
    code = "import sys, api.pictures.child, api.pv.picture; print(*sys.modules)"
    drawing = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert "matplotlib" in drawing.stdout.split()
    assert not {"aiohttp", "asyncio", "api.errors", "numba", "matplotlib.pyplot"} & set(drawing.stdout.split())


async def test_a_picture_through_all_of_it(tmp_path: Path) -> None:
    from api.pictures.pictures import Pictures

    async with living(Pictures(tmp_path)) as pictures:
        first = await pictures.draw("api.pv.picture", calc_answer())
        assert await pictures.draw("api.pv.picture", calc_answer()) == first
