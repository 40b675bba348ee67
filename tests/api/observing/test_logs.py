"""Lines are JSON, know their request, and never hold a key."""

import asyncio
import io
import logging
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from api.observing import logs, request_id

KEY = "sk_live_" + "aB3-_" * 13


@pytest.fixture
def lines() -> Iterator[Any]:
    """Log through the formatter; returns what has been written."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.JsonFormatter())
    logger = logging.getLogger("test.logs")
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield lambda: [orjson.loads(line) for line in stream.getvalue().splitlines()]
    logger.removeHandler(handler)


log = logging.getLogger("test.logs")


def test_a_line(lines: Any) -> None:
    log.warning('a "quoted"\nmessage of %d lines, ærlig talt', 2)
    [line] = lines()
    assert line.pop("time")[-5:-4] == "."
    assert line == {
        "level": "WARNING", "logger": "test.logs", "message": 'a "quoted"\nmessage of 2 lines, ærlig talt'
    }  # fmt: skip


def test_times_are_utc_with_ms() -> None:
    assert logs.utc_ms(0) == "1970-01-01T00:00:00.000Z"
    assert logs.utc_ms(1782021599.9996) == "2026-06-21T05:59:59.999Z"


async def test_lines_of_a_request_have_its_id(lines: Any) -> None:
    async def answer(identity: str) -> None:
        request_id.current.set(identity)
        await asyncio.sleep(0)
        await asyncio.to_thread(log.info, "%s", identity)

    await asyncio.gather(*(asyncio.create_task(answer(f"id{i}")) for i in range(10)))
    log.info("outside")
    assert all(line["request_id"] == line["message"] for line in lines()[:-1])
    assert len(lines()) == 11
    assert "request_id" not in lines()[-1]


def test_a_trace_is_one_field(lines: Any) -> None:
    try:
        raise ValueError(f"wrong: {KEY}")
    except ValueError:
        log.exception("it failed")
    [line] = lines()
    assert line["exception"].startswith("Traceback (most recent call last):\n")
    assert line["exception"].endswith("ValueError: wrong: sk_live_***")
    assert KEY not in str(line)


def test_half_a_surrogate_does_no_harm() -> None:
    # Not through a logger: pytest's capture of it cannot be sent between its processes.
    record = logging.LogRecord("test.logs", logging.INFO, __file__, 1, "\ud800 alone", None, None)
    assert orjson.loads(logs.JsonFormatter().format(record))["message"] == "\\ud800 alone"


@pytest.mark.parametrize(
    ("said", "written"),
    [
        (f"the key {KEY}.", "the key sk_live_***."),
        ("/api/forecast?lat=1&api_key=hemmelig&lon=2", "/api/forecast?lat=1&api_key=***&lon=2"),
        ("?API_KEY=hemmelig", "?API_KEY=***"),
        ("?%61pi_key=hemmelig", "?%61pi_key=***"),
        ("?api_key%3Dhemmelig&x", "?api_key%3D***&x"),
        ("/api/verify?token=abc-DEF_1'", "/api/verify?token=***'"),
        ("{'Authorization': 'Bearer hemmelig'}", "{'Authorization': 'Bearer ***'}"),
        ("{'X-API-Key': 'hemmelig', 'Host': 'x'}", "{'X-API-Key': '***', 'Host': 'x'}"),
        ("X-API-Key: hemmelig", "X-API-Key: ***"),
        ("smtp://user:pass@mail:25 and postgresql+psycopg://u:p@host/db", "smtp://***@mail:25 and postgresql+psycopg://***@host/db"),
        ("http://127.0.0.1:8080/docs is open; monkey business", "http://127.0.0.1:8080/docs is open; monkey business"),
    ],
)  # fmt: skip
def test_what_looks_secret_is_left_out(said: str, written: str) -> None:
    assert logs.redact(said) == written
