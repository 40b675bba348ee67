"""The log of a real worker: JSON, whatever happens, and no key in it, whatever is asked."""

import http.client
import re
import signal
import socket
import textwrap
from pathlib import Path

import orjson
import pytest

from tests.api.test_worker import worker

KEY = "sk_live_" + "Zx9" * 21 + "Q"
OTHER = "hemmelig-uten-form"

ACCIDENT = """
    import asyncio, logging, sys, warnings
    from aiohttp import web
    import api.app, api.worker
    from api.routing import Route

    async def accident(request, _):
        key = request.headers.get("X-API-Key")
        warnings.warn(f"a library is worried about {request.url}")
        logging.getLogger("some.library").error("it met %s of %r", request.url, request.headers)
        raise RuntimeError(f"cannot use {key} of {request.rel_url}")

    make = api.app.create_app
    route = Route("GET", "/accident", accident, summary="-", tag="-")
    api.worker.create_app = lambda settings: make(settings, (route,))
    sys.exit(api.worker.main(sys.argv[1:]))
"""
QUERIES = (
    f"api_key={KEY}",
    f"lat=59.9137&lon=10.7522&api_key={OTHER}",
    f"%61pi_key={OTHER}",
    f"token={OTHER}",
)
PATHS = ("/api/forecast", "/api/forecast/latest", "/api/verify", "/nowhere", "/accident", "/health", "/docs")


def ask(port: int, path: str, headers: dict[str, str]) -> tuple[int, str, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    found = answer.status, answer.headers["X-Request-Id"], answer.read().decode()
    connection.close()
    return found


@pytest.fixture(scope="module")
def asked(state: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[tuple[int, str, str]], str]:
    """Ask a worker for everything with a key in every place; return the answers and the log."""
    from tests.api.fabricated import entry, write_index

    store = tmp_path_factory.mktemp("store")
    write_index(store, entry())
    got = []
    with worker(state, store, ("-c", textwrap.dedent(ACCIDENT))) as (port, process):
        for path in PATHS:
            got.append(ask(port, f"{path}?lat=59.9137&lon=10.7522", {"X-API-Key": KEY}))
            got.append(ask(port, path, {"Authorization": f"Bearer {KEY}"}))
            got.extend(ask(port, f"{path}?{query}", {}) for query in QUERIES)
        with socket.create_connection(("127.0.0.1", port)) as raw:
            raw.sendall(f"GET /x?api_key={KEY} and more HTTP/1.1\r\n\r\n".encode())
            assert raw.recv(100).startswith(b"HTTP/1.0 400")
        with socket.create_connection(("127.0.0.1", port)) as raw:
            raw.sendall(f"GET /x?api_key={KEY}{'x' * 9000} HTTP/1.1\r\n\r\n".encode())
            assert raw.recv(100).startswith(b"HTTP/1.0 414")
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=20)
        assert process.returncode == 0
    return got, said


def test_no_key_and_no_place_is_in_it(asked: tuple[list[tuple[int, str, str]], str]) -> None:
    answers, said = asked
    assert {status for status, _, _ in answers} >= {200, 401, 404, 500}
    assert KEY[:20] not in said
    assert KEY[-20:] not in said
    assert OTHER not in said


def test_every_line_is_json(asked: tuple[list[tuple[int, str, str]], str]) -> None:
    for line in asked[1].splitlines():
        fields = orjson.loads(line)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", fields["time"])


def test_every_answer_has_its_line_also_the_last_ones(asked: tuple[list[tuple[int, str, str]], str]) -> None:
    answers, said = asked
    lines = [orjson.loads(line) for line in said.splitlines() if '"endpoint"' in line]
    assert [(line["status"], line["request_id"]) for line in lines[:-2]] == [one[:2] for one in answers]
    assert [line["status"] for line in lines[-2:]] == [400, 414]
    assert all(line["endpoint"] in (*PATHS, "-") for line in lines)
    assert "59.9137" not in "".join(line for line in said.splitlines() if '"endpoint"' in line)


def test_durations_are_finer_than_the_loops_clock(asked: tuple[list[tuple[int, str, str]], str]) -> None:
    durations = [orjson.loads(line)["duration_ms"] for line in asked[1].splitlines() if '"endpoint"' in line]
    assert all(0 < duration < 10_000 for duration in durations)
    assert sum(duration % 1 != 0 for duration in durations) > len(durations) / 2


def test_an_accident_is_told_to_the_operator_alone(asked: tuple[list[tuple[int, str, str]], str]) -> None:
    answers, said = asked
    lines = [orjson.loads(line) for line in said.splitlines()]
    failed = [(identity, text) for status, identity, text in answers if status == 500]
    assert len(failed) == 6
    for identity, text in failed:
        assert orjson.loads(text) == {"error": "Intern feil. Den er loggført. Prøv igjen senere."}
        [told] = [line for line in lines if line.get("request_id") == identity and "exception" in line]
        assert told["message"] == "unexpected: GET /accident"
        assert "RuntimeError: cannot use" in told["exception"]
        assert told["exception"].startswith("Traceback")
