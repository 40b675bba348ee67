"""The log of a real worker: JSON, whatever happens, and no key in it, whatever is asked."""

import re
import socket
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from tests.api.core.test_worker import odd_worker
from tests.api.fabricated import entry, write_index
from tests.support.worker import until

KEY = "sk_live_" + "Zx9" * 21 + "Q"
OTHER = "hemmelig-uten-form"
QUERIES = (f"api_key={KEY}", f"lat=59.9137&lon=10.7522&api_key={OTHER}", f"%61pi_key={OTHER}", f"token={OTHER}")
PATHS = ("/api/forecast", "/api/forecast/latest", "/api/verify", "/nowhere", "/accident", "/health", "/docs")

Asked = tuple[list[httpx.Response], list[Any], str]


@pytest.fixture(scope="module")
def asked(state: Path, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """Ask a worker for everything with a key in every place; return the answers, the lines of the log, and its text."""
    folder, got = tmp_path_factory.mktemp("store"), []
    write_index(folder, entry())
    with odd_worker(state, folder, folder / "log") as (url, end):
        until(url, "/health", 200)
        for path in PATHS:
            got.append(httpx.get(f"{url}{path}?lat=59.9137&lon=10.7522", headers={"X-API-Key": KEY}, timeout=20))
            got.append(httpx.get(url + path, headers={"Authorization": f"Bearer {KEY}"}, timeout=20))
            got.extend(httpx.get(f"{url}{path}?{query}", timeout=20) for query in QUERIES)
        for more, status in ((" and more", b"400"), ("x" * 9000, b"414")):
            host, port = url.removeprefix("http://").split(":")
            with socket.create_connection((host, int(port))) as raw:
                raw.sendall(f"GET /x?api_key={KEY}{more} HTTP/1.1\r\n\r\n".encode())
                assert raw.recv(100).startswith(b"HTTP/1.0 " + status)
        assert end().wait(20) == 0
    text = (folder / "log").read_text()
    return got, [orjson.loads(line) for line in text.splitlines()], text


def test_no_key_and_no_place_is_in_it(asked: Asked) -> None:
    answers, lines, text = asked
    assert {answer.status_code for answer in answers} >= {200, 401, 404, 500}
    assert KEY[:20] not in text
    assert KEY[-20:] not in text
    assert OTHER not in text
    assert "59.9137" not in str([line for line in lines if "endpoint" in line])
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"]) for line in lines)


def test_every_answer_has_its_line_also_the_last_ones(asked: Asked) -> None:
    answers, lines, _ = asked
    noted = [line for line in lines if "endpoint" in line][1:]
    expected = [(answer.status_code, answer.headers["X-Request-Id"]) for answer in answers]
    assert [(line["status"], line["request_id"]) for line in noted[:-2]] == expected
    assert [line["status"] for line in noted[-2:]] == [400, 414]
    assert all(line["endpoint"] in (*PATHS, "-") for line in noted)


def test_an_accident_is_told_to_the_operator_alone(asked: Asked) -> None:
    answers, lines, _ = asked
    failed = [answer for answer in answers if answer.status_code == 500]
    assert len(failed) == 6
    for answer in failed:
        assert answer.json()["code"] == "INTERNAL"
        identity = answer.headers["X-Request-Id"]
        [told] = [line for line in lines if line.get("request_id") == identity and "exception" in line]
        assert told["message"] == "unexpected: GET /accident"
        assert "RuntimeError: cannot use" in told["exception"]
        assert told["exception"].startswith("Traceback")
