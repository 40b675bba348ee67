"""Pictures for handlers: what they get when the process that draws does well, hangs, dies or talks nonsense."""

import asyncio
import gc
import logging
import os
import re
import sys
import textwrap
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
import pytest_asyncio
from aiohttp import web

from api.errors import Unavailable
from api.pictures.pictures import Bounds, Pictures

PNG = b"\x89PNG\r\n\x1a\n"

# A process that draws what it is told to: `data` is Python that may call `say` (an answer) and `hear` (a request).
FAKE = """
    import json, os, struct, sys, time
    def hear():
        head = sys.stdin.buffer.read(4)
        return json.loads(sys.stdin.buffer.read(*struct.unpack("!I", head))) if head else sys.exit(0)
    def say(body, status=0):
        sys.stdout.buffer.write(struct.pack("!BI", status, len(body)) + body)
        sys.stdout.buffer.flush()
    def png(text):
        say(b"\\x89PNG\\r\\n\\x1a\\n" + text.encode())
    while True:
        exec(hear()["data"])
"""
FAKE_COMMAND = (sys.executable, "-c", textwrap.dedent(FAKE))

Make = Callable[..., Awaitable[Pictures]]


@asynccontextmanager
async def living(pictures: Pictures) -> AsyncIterator[Pictures]:
    lifespan = pictures.lifespan(web.Application())
    await anext(lifespan)
    try:
        yield pictures
    finally:
        with pytest.raises(StopAsyncIteration):
            await anext(lifespan)


@pytest_asyncio.fixture
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    async with AsyncExitStack() as stack:

        async def making(command: tuple[str, ...] | None = FAKE_COMMAND, **bounds: Any) -> Pictures:
            return await stack.enter_async_context(living(Pictures(tmp_path / "fonts", Bounds(**bounds), command)))

        yield making


async def do(pictures: Pictures, what: str) -> bytes:
    return await pictures.draw("api.pv.picture", what)  # type: ignore[arg-type]


async def who(pictures: Pictures) -> int:
    return int((await do(pictures, "png(str(os.getpid()))")).removeprefix(PNG))


async def test_one_process_draws_one_picture_after_the_other(make: Make) -> None:
    pictures = await make()
    many = await asyncio.gather(*(do(pictures, f"png('{n} ' + str(os.getpid()))") for n in range(12)))
    drawn = [one.removeprefix(PNG).split() for one in many]
    assert [int(n) for n, _ in drawn] == list(range(12))
    assert len({pid for _, pid in drawn}) == 1


async def test_no_process_is_started_before_a_picture_is_asked_for(make: Make, tmp_path: Path) -> None:
    await make(("/no/such/program",))
    assert not (tmp_path / "fonts").exists()


FAULTS = {
    "hangs": "time.sleep(60)",
    "crashes": "os.abort()",
    "exits": "sys.exit(3)",
    "ends in the middle": "sys.stdout.buffer.write(struct.pack('!BI', 0, 100) + b'half'); sys.exit(0)",
    "talks": "sys.stdout.buffer.write(b'hello, here is your picture'); sys.stdout.buffer.flush()",
    "says no end of things": "sys.stdout.buffer.write(b'\\x00\\xff' * 1_000_000); sys.stdout.buffer.flush()",
    "draws no PNG": "say(b'<svg/>')",
    "closes its ears": "os.close(1); time.sleep(60)",
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_process_that_fails_is_killed_and_the_next_request_gets_another(
    fault: str, make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    pictures = await make(drawing_s=0.5)
    failing = await who(pictures)
    open_files = psutil.Process().num_fds()
    with pytest.raises(Unavailable) as error:
        await do(pictures, FAULTS[fault])
    assert error.value.status == 503
    assert int(error.value.headers["Retry-After"]) > 0
    assert not psutil.pid_exists(failing)
    assert await who(pictures) != failing
    assert psutil.Process().num_fds() == open_files
    [line] = [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR]
    assert line.startswith("api.pv.picture was not drawn")


async def test_what_cannot_be_started_is_a_503(make: Make) -> None:
    pictures = await make(("/no/such/program",))
    for _ in range(2):
        with pytest.raises(Unavailable):
            await do(pictures, "")


async def test_a_start_may_take_longer_than_a_drawing(make: Make) -> None:
    pictures = await make(drawing_s=0.2, start_s=20)
    await do(pictures, "time.sleep(0.5); png('')")
    with pytest.raises(Unavailable):
        await do(pictures, "time.sleep(0.5); png('')")


async def test_a_process_that_went_to_rest_is_followed_by_another_once(make: Make) -> None:
    pictures = await make()
    first = await who(pictures)
    await do(pictures, "png(''); sys.exit(0)")  # it ends, and a moment later or earlier the next request comes
    second = await who(pictures)
    assert second != first
    # the race itself: it leaves at the same moment as the request comes, and each of its followers too
    with pytest.raises(Unavailable):
        await do(pictures, "sys.exit(0)")
    assert await who(pictures) != second


async def test_too_many_that_wait_are_sent_away(make: Make, tmp_path: Path) -> None:
    pictures = await make(waiting=3)
    gate = tmp_path / "gate"
    work = f"while not os.path.exists({str(gate)!r}): time.sleep(.01)\npng('')"
    first = asyncio.create_task(do(pictures, work))
    await asyncio.sleep(0)
    others = [asyncio.create_task(do(pictures, "png('')")) for _ in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(Unavailable) as error:
        await do(pictures, "png('')")
    assert int(error.value.headers["Retry-After"]) > 0
    assert "venter" in error.value.text
    gate.touch()
    await asyncio.gather(first, *others)
    await do(pictures, "png('')")


async def test_a_cancelled_request_leaves_the_next_ones_answer_alone(make: Make, tmp_path: Path) -> None:
    pictures = await make()
    pid = await who(pictures)
    gate, begun = tmp_path / "gate", tmp_path / "begun"
    work = (
        f"open({str(begun)!r}, 'w')\nwhile not os.path.exists({str(gate)!r}): time.sleep(.01)\npng('of the cancelled')"
    )
    drawing = asyncio.create_task(do(pictures, work))
    while not begun.exists():
        await asyncio.sleep(0.01)
    waiting = asyncio.create_task(do(pictures, "png('of the second')"))
    third = asyncio.create_task(do(pictures, "png('of the third')"))
    await asyncio.sleep(0)
    drawing.cancel()
    waiting.cancel()
    await asyncio.wait([drawing, waiting])
    assert drawing.cancelled()
    assert waiting.cancelled()
    gate.touch()
    assert await third == PNG + b"of the third"
    assert await who(pictures) == pid


async def test_a_cancelled_request_whose_picture_fails_is_no_unretrieved_exception(make: Make) -> None:
    said: list[Mapping[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: said.append(context))
    pictures = await make(drawing_s=0.3)
    pid = await who(pictures)
    drawing = asyncio.create_task(do(pictures, "time.sleep(60)"))
    await asyncio.sleep(0)
    drawing.cancel()
    assert await who(pictures) != pid
    del drawing
    gc.collect()  # who was never asked for complains when he goes
    assert said == []


async def test_the_end_of_the_application_is_the_end_of_the_process(tmp_path: Path) -> None:
    async with living(Pictures(tmp_path, Bounds(), FAKE_COMMAND)) as pictures:
        pid = await who(pictures)
        drawing = asyncio.create_task(do(pictures, "time.sleep(60)"))
        waiting = asyncio.create_task(do(pictures, "png('')"))
        await asyncio.sleep(0)
    assert not psutil.pid_exists(pid)
    await asyncio.wait([drawing, waiting], timeout=5)
    assert drawing.cancelled()
    with pytest.raises(Unavailable, match="stopper"):
        await waiting


async def test_these_tests_run_on_uvloop_too(request: pytest.FixtureRequest) -> None:
    uvloops = type(asyncio.get_running_loop()).__module__.startswith("uvloop")
    assert uvloops == ("[uvloop" in request.node.name)


async def test_what_it_says_goes_to_the_log(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    pictures = await make()
    await do(pictures, "print('a glyph is missing', file=sys.stderr, flush=True); png('')")
    await pictures._end()
    assert "the process that draws says: a glyph is missing" in caplog.text


async def test_its_environment_holds_no_setting(make: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SOLFLIS_SECRET", "a secret")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
    pictures = await make()
    environment = (await do(pictures, "png(json.dumps(dict(os.environ)))")).decode(errors="replace")
    assert not re.search(r"secret|SOLFLIS|AWS", environment, re.IGNORECASE)
    assert f'"MPLCONFIGDIR": "{tmp_path / "fonts"}"' in environment
    assert os.environ["PATH"] in environment
