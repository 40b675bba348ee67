"""Each answer is a line: what was asked, how it went, and nothing of who asked or for what place."""

import asyncio
import io
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TextIO
from unittest.mock import Mock

import orjson
import pytest
from aiohttp import ClientSession, web

from api import connection
from api.app import create_app
from api.observing import answers
from api.observing.answers import write_lines
from api.observing.metrics import METRICS, Metrics
from api.routing import Route
from api.serving import Runner
from api.settings import Settings
from tests.api.conftest import MovableClock, Start

FIELDS = {"time", "request_id", "method", "endpoint", "status", "duration_ms", "bytes"}


async def test_a_line_for_each_answer(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "FLUSH_S", 0.0)

    async def accident(_: web.Request, __: None) -> web.Response:
        raise RuntimeError("no")

    async def slow(_: web.Request, __: None) -> web.Response:
        await asyncio.sleep(0.05)
        return web.Response(body=b"12345")

    stream = io.StringIO()
    more = (
        Route("GET", "/accident", accident, summary="-", tag="-"),
        Route("GET", "/jobs/{id}", slow, summary="-", tag="-"),
    )
    api = await start(access_log=stream, more_routes=more)
    expected = [
        ("GET", "/api/forecast?lat=59.9137&lon=10.7522", "/api/forecast", 200),
        ("HEAD", "/api/forecast?lat=59.9137&lon=10.7522", "/api/forecast", 200),
        ("GET", "/api/forecast?lat=59.9137", "/api/forecast", 400),
        ("GET", "/jobs/59.9137", "/jobs/{id}", 200),
        ("GET", "/nowhere/59.9137?lat=59.9137", "-", 404),
        ("POST", "/health", "-", 405),
        ("PROPFIND", "/health", "-", 405),
        ("OPTIONS", "/health", "/health", 204),
        ("GET", "/accident", "/accident", 500),
    ]
    asked = [await api.ask(path, method) for method, path, _, _ in expected]
    host, port = api.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"GET /59.9137 HTTP/9.9.9\r\n\r\n")
    await asyncio.wait_for(reader.read(), 5)
    writer.close()
    await asyncio.sleep(0)

    assert "59.9137" not in stream.getvalue()  # "59.9" can be the time
    assert "127.0.0.1" not in stream.getvalue()
    lines = [orjson.loads(line) for line in stream.getvalue().splitlines()]
    got = [(line["endpoint"], line["status"]) for line in lines]
    assert got == [*((endpoint, status) for _, _, endpoint, status in expected), ("-", 400)]
    assert [line["request_id"] for line in lines[:-1]] == [one.headers["X-Request-Id"] for one in asked]
    for line in lines:
        assert set(line) == FIELDS
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
        assert 0 <= line["duration_ms"] < 5000
    assert [line["method"] for line in lines[:7]] == ["GET", "HEAD", "GET", "GET", "GET", "POST", "-"]
    for line, one in zip(lines, asked, strict=False):  # with the head
        assert 300 < line["bytes"] - len(one.text.encode()) < 1500
    assert lines[3]["duration_ms"] >= 45


async def test_each_request_of_a_connection_has_its_own_time(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0

    async def slow(_: web.Request, __: None) -> web.Response:
        nonlocal now
        await asyncio.sleep(0.1)
        now += 0.1
        return web.Response()

    async def until_noted(count: int) -> None:
        async with asyncio.timeout(10):
            while stream.getvalue().count("\n") < count:
                await asyncio.sleep(0.02)

    monkeypatch.setattr(connection, "perf_counter", lambda: now)
    stream = io.StringIO()
    api = await start(access_log=stream, more_routes=(Route("GET", "/slow", slow, summary="-", tag="-"),))
    host, port = api.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    request = b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"
    writer.write(request * 2)
    await asyncio.sleep(0.05)
    writer.write(request)
    for _ in range(3):
        await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
    await until_noted(3)
    now += 0.4
    writer.write(request)
    await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
    writer.close()
    await until_noted(4)
    assert [orjson.loads(line)["duration_ms"] for line in stream.getvalue().splitlines()] == [100.0] * 4


class Stream(io.StringIO):
    """Remembers what was written in one piece."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []

    def write(self, text: str) -> int:
        self.pieces.append(text)
        return len(text)


async def test_answers_are_written_together_and_soon(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "FLUSH_S", 3.0)
    stream = Stream()
    api = await start(access_log=stream)
    for _ in range(3):
        await api.ask("/api/sites")
    assert stream.pieces == []
    async with asyncio.timeout(30):
        while not stream.pieces:
            await asyncio.sleep(0.01)
    [piece] = stream.pieces
    assert piece.count("\n") == 3


async def test_no_more_than_so_many_wait(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "FLUSH_S", 60.0)
    monkeypatch.setattr(answers, "_TOGETHER", 5)
    stream = Stream()
    api = await start(access_log=stream)
    for _ in range(12):
        await api.ask("/api/sites")
    assert [piece.count("\n") for piece in stream.pieces] == [5, 5]


async def test_what_waits_at_the_end_is_counted_and_written(
    state: Path, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "FLUSH_S", 60.0)
    stream = Stream()
    metrics = tmp_path / "metrics"
    settings = Settings(store=str(store), state=state, clock=MovableClock(), access="open", metrics=metrics)
    runner = Runner(create_app(settings), shutdown_timeout=1, access_log=stream)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    async with ClientSession() as session, session.get(f"http://127.0.0.1:{runner.addresses[0][1]}/api/sites") as got:
        assert got.status == 200
    assert stream.pieces == []
    await runner.cleanup()
    [piece] = stream.pieces
    assert piece.count("\n") == 1
    counted = 'solflis_requests_total{method="GET",route="/api/sites",status="200"} 1.0'
    assert counted in Metrics(metrics).text({}, True).decode()


async def test_what_waits_is_written_where_something_fails_at_the_end(
    state: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing(_: web.Application) -> AsyncIterator[None]:
        yield
        raise RuntimeError("no")

    monkeypatch.setattr(answers, "FLUSH_S", 60.0)
    stream = Stream()
    app = create_app(Settings(store=str(store), state=state, clock=MovableClock(), access="open"))
    app.cleanup_ctx.append(failing)
    runner = Runner(app, shutdown_timeout=1, access_log=stream)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    async with ClientSession() as session, session.get(f"http://127.0.0.1:{runner.addresses[0][1]}/api/sites") as got:
        assert got.status == 200
    with pytest.raises(RuntimeError, match="no"):
        await runner.cleanup()
    assert [piece.count("\n") for piece in stream.pieces] == [1]


async def test_what_cannot_be_counted_costs_that_count_alone(
    start: Start, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(answers, "FLUSH_S", 60.0)
    stream = Stream()
    api = await start(access_log=stream)
    known = api.app[METRICS].answers

    def full(route: str, method: str, status: int) -> Callable[[float], None]:
        if status == 404:
            raise OSError(28, "No space left on device")
        return known(route, method, status)

    monkeypatch.setattr(api.app[METRICS], "answers", full)
    for path in ("/api/sites", "/nowhere", "/api/sites"):
        await api.ask(path)
    api.app[answers.ANSWERS].flush()
    assert "".join(stream.pieces).count("\n") == 2
    assert "an answer could not be counted" in caplog.text
    text = (await api.ask("/metrics")).text
    assert 'solflis_requests_total{method="GET",route="/api/sites",status="200"} 2.0' in text


def test_no_piece_is_larger_than_a_pipe_takes_at_once() -> None:
    stream = Stream()
    write_lines(stream, (f"{i:099d}\n" for i in range(1000)))
    assert "".join(stream.pieces) == "".join(f"{i:099d}\n" for i in range(1000))
    assert max(map(len, stream.pieces)) == 4000
    assert len(stream.pieces) == 25


@pytest.fixture
def full_disk() -> Iterator[TextIO]:
    with suppress(OSError), Path("/dev/full").open("w") as stream:
        yield stream


async def test_a_full_disk_costs_lines_not_answers(full_disk: TextIO, start: Start) -> None:
    api = await start(access_log=full_disk)
    host, port = api.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"HEAD /api/sites HTTP/1.1\r\nHost: x\r\n\r\n" * 100)  # some 20 lines are written at once
    for _ in range(100):
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
        assert head.startswith(b"HTTP/1.1 200 ")
    writer.close()


def test_lines_are_written_again_when_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Stream()
    with monkeypatch.context() as full:
        full.setattr(stream, "flush", Mock(side_effect=OSError(28, "No space left on device")))
        write_lines(stream, ["1\n"])
    write_lines(stream, ["2\n"])
    assert stream.pieces == ["1\n", "2\n"]
