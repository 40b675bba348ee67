"""Questions by POST, and what an upstream says of its errors."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from catalog.sources import http
from catalog.sources.errors import NotYetAvailable, SourceError
from catalog.sources.fetch import fetch
from catalog.sources.http import Deadline, make_client

Sent = tuple[int, dict[str, str], bytes]


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)


@contextmanager
def upstream(*answers: Sent) -> Iterator[tuple[str, list[tuple[str, bytes, Any]]]]:
    """Answers in turn; yields address, and what was asked: method, body, headers."""
    asked: list[tuple[str, bytes, Any]] = []
    left = list(answers)

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            asked.append((self.command, body, self.headers))
            status, headers, content = left.pop(0)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = answer  # noqa: N815 - the base class's names

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/f", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def post(url: str, content: bytes | None = b'{"a": 1}', **more: Any) -> bytes | None:
    with make_client("solflis-test (test@example.com)") as client:
        return fetch("test", url, client, Deadline(5), max_bytes=100, content=content, **more).body


def test_json_is_posted() -> None:
    with upstream((200, {}, b"[2]")) as (url, asked):
        assert post(url) == b"[2]"
    [(method, body, headers)] = asked
    assert (method, body, headers["Content-Type"]) == ("POST", b'{"a": 1}', "application/json")
    assert headers["User-Agent"] == "solflis-test (test@example.com)"


def test_the_same_is_posted_again_after_a_passing_fault() -> None:
    with upstream((500, {}, b"no"), (429, {"Retry-After": "0"}, b""), (200, {}, b"[2]")) as (url, asked):
        assert post(url) == b"[2]"
    assert [(method, body) for method, body, _ in asked] == [("POST", b'{"a": 1}')] * 3


def test_a_redirect_that_keeps_the_question() -> None:
    with upstream((308, {"Location": "/g"}, b""), (200, {}, b"[2]")) as (url, asked):
        assert post(url) == b"[2]"
    assert [(method, body) for method, body, _ in asked] == [("POST", b'{"a": 1}')] * 2


def test_a_body_is_bounded_and_an_absent_one_is_said() -> None:
    with upstream((200, {}, b"x" * 101), (404, {}, b"")) as (url, _):
        with pytest.raises(SourceError, match="more than 100 bytes"):
            post(url)
        with pytest.raises(NotYetAvailable):
            post(url)


@pytest.mark.parametrize("content", [None, b"{}"])
@pytest.mark.parametrize(("status", "attempts"), [(400, 1), (418, 1), (429, 4), (500, 4)])
def test_what_an_error_says_of_itself_is_in_the_sentence(content: bytes | None, status: int, attempts: int) -> None:
    def explain(body: bytes) -> str:
        return body.decode().upper()

    with upstream(*[(status, {}, b"too bad")] * 4) as (url, asked):
        with pytest.raises(SourceError, match=rf"answered HTTP {status}: TOO BAD"):
            post(url, content, explain=explain)
        assert len(asked) == attempts


@pytest.mark.parametrize("status", [400, 429, 500])
def test_an_error_may_be_declared_final(status: int) -> None:
    def final(body: bytes) -> str:
        raise SourceError(body.decode())

    with upstream((status, {}, b"never ask again")) as (url, asked):
        with pytest.raises(SourceError, match=r"^never ask again$"):
            post(url, explain=final)
        assert len(asked) == 1


def test_no_more_of_an_error_than_64_kb_is_looked_at() -> None:
    seen: list[int] = []

    def explain(body: bytes) -> str:
        seen.append(len(body))
        return ""

    with upstream(*[(500, {}, b"x" * 300_000)] * 4) as (url, _), pytest.raises(SourceError, match=r"HTTP 500 \(4 att"):
        post(url, explain=explain)
    assert seen == [65_536] * 4


def test_nothing_is_explained_of_an_answer_that_is_good_or_has_a_reason() -> None:
    def never(_: bytes) -> str:
        raise AssertionError

    with upstream((200, {}, b"ok"), (404, {}, b"x"), (403, {}, b"x")) as (url, _):
        assert post(url, explain=never) == b"ok"
        with pytest.raises(NotYetAvailable):
            post(url, explain=never)
        with pytest.raises(SourceError, match="refuses this User-Agent"):
            post(url, explain=never)
