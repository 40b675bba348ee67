"""Each answer is a line: what was asked, how it went, and nothing of who asked or for what place."""

import asyncio
import io
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, TextIO

import orjson
import pytest
from aiohttp import web

from api.observing.answers import Answers, write_lines
from api.observing.metrics import Metrics
from tests.api.conftest import Client
from tests.api.core.served import connected, exchange, read_answer, route, serve, well
from tests.support.waiting import until

FIELDS = {"time", "request_id", "method", "endpoint", "status", "duration_ms", "bytes"}


class Stream(io.StringIO):
    """Remembers what was written in one piece; a full one takes nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.is_full = False

    def write(self, text: str) -> int:
        if self.is_full:
            raise OSError(28, "No space left on device")
        self.pieces.append(text)
        return len(text)

    @property
    def lines(self) -> list[Any]:
        return [orjson.loads(line) for line in "".join(self.pieces).splitlines()]


def serving(stream: TextIO, metrics: Metrics, **options: Any) -> AbstractAsyncContextManager[Client]:
    """Serve ROUTES, and note their answers in a stream."""
    answers = Answers(metrics, **options)
    answers.write_to(stream)
    return serve(*ROUTES, answers=answers)


@pytest.fixture
def metrics(tmp_path: Path) -> Iterator[Metrics]:
    made = Metrics(tmp_path)
    yield made
    made.close()


async def accident(_: web.BaseRequest, __: None) -> web.StreamResponse:
    raise RuntimeError("no")


async def slow(_: web.BaseRequest, __: None) -> web.StreamResponse:
    await asyncio.sleep(0.1)  # a calculation
    return web.Response()


ROUTES = (route("/well", well), route("/accident", accident), route("/slow", slow), route("/jobs/{id}", well))


async def test_a_line_for_each_answer(metrics: Metrics) -> None:
    expected = [
        ("GET", "/well?lat=59.9137&lon=10.7522", "/well", 200),
        ("HEAD", "/well?lat=59.9137&lon=10.7522", "/well", 200),
        ("GET", "/jobs/59.9137", "/jobs/{id}", 200),
        ("GET", "/nowhere/59.9137?lat=59.9137", "-", 404),
        ("POST", "/well", "/well", 405),
        ("PROPFIND", "/well", "/well", 405),
        ("OPTIONS", "/well", "/well", 204),
        ("GET", "/accident", "/accident", 500),
    ]
    stream = Stream()
    async with serving(stream, metrics) as client:
        asked = [await client.ask(path, method) for method, path, _, _ in expected]
        await exchange(client, b"GET /59.9137 HTTP/9.9.9\r\n\r\n")
    lines = stream.lines
    assert not re.search(r"59\.9137|127\.0\.0\.1", str(lines))  # "59.9" can be the time
    got = [(line["endpoint"], line["status"]) for line in lines]
    assert got == [*((endpoint, status) for _, _, endpoint, status in expected), ("-", 400)]
    assert [line["request_id"] for line in lines[:-1]] == [one.headers["X-Request-Id"] for one in asked]
    assert [line["method"] for line in lines[:6]] == ["GET", "HEAD", "GET", "GET", "POST", "-"]
    for line in lines:
        assert set(line) == FIELDS
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
        assert 0 <= line["duration_ms"] < 5000
    for line, one in zip(lines, asked, strict=False):  # with the head
        assert 300 < line["bytes"] - len(one.text.encode()) < 1500
    assert sum(line["duration_ms"] % 1 != 0 for line in lines) > 4, "finer than the loop's clock"


async def test_each_request_of_a_connection_has_its_own_time(metrics: Metrics) -> None:
    stream, request = Stream(), b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"
    async with serving(stream, metrics) as client, connected(client) as (reader, writer):
        writer.write(request * 3)  # those that wait behind others are not timed before their turn
        for _ in range(3):
            await read_answer(reader)
        with pytest.raises(TimeoutError):  # nor is the pause before the next one's
            await asyncio.wait_for(reader.read(1), 0.4)
        writer.write(request)
        await read_answer(reader)
    durations = [line["duration_ms"] for line in stream.lines]
    assert len(durations) == 4
    assert min(durations) >= 95
    assert sorted(durations)[1] < 300, "but where the machine was busy"


async def test_answers_are_written_together_and_soon_and_the_last_at_the_end(metrics: Metrics) -> None:
    stream = Stream()
    async with serving(stream, metrics, flush_s=3.0, together=5) as client:
        for _ in range(8):
            await client.ask("/well")
        assert [piece.count("\n") for piece in stream.pieces] == [5]
        await until(lambda: len(stream.pieces) == 2)
        await client.ask("/well")
    assert [piece.count("\n") for piece in stream.pieces] == [5, 3, 1]
    counted = 'solflis_requests_total{method="GET",route="/well",status="200"} 9.0'
    assert counted in metrics.text({}, True).decode()


class Full(Metrics):
    """Has no room for a count of a new kind."""

    def answers(self, route: str, *kind: Any) -> Callable[[float], None]:
        if route == "-":
            raise OSError(28, "No space left on device")
        return super().answers(route, *kind)


async def test_what_cannot_be_counted_costs_that_count_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    stream, metrics = Stream(), Full(tmp_path)
    async with serving(stream, metrics) as client:
        for path in ("/well", "/nowhere", "/well"):
            await client.ask(path)
    assert len(stream.lines) == 2
    assert "an answer could not be counted" in caplog.text
    assert 'route="/well",status="200"} 2.0' in metrics.text({}, True).decode()
    metrics.close()


def test_no_piece_is_larger_than_a_pipe_takes_at_once() -> None:
    stream = Stream()
    write_lines(stream, (f"{i:099d}\n" for i in range(1000)))
    assert "".join(stream.pieces) == "".join(f"{i:099d}\n" for i in range(1000))
    assert max(map(len, stream.pieces)) == 4000
    assert len(stream.pieces) == 25


async def test_a_full_disk_costs_lines_not_answers(metrics: Metrics) -> None:
    stream = Stream()
    stream.is_full = True
    async with serving(stream, metrics, together=5) as client:
        answers = await exchange(client, b"GET /well HTTP/1.1\r\nHost: x\r\n\r\n" * 20, count=20)
        assert {one.status for one in answers} == {200}
        stream.is_full = False  # lines are written again when there is room
        await client.ask("/well")
    assert len(stream.lines) >= 1
