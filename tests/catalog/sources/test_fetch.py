"""A whole answer over HTTP: what is asked, retried and refused, redirects, and upstreams that drip."""

import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

import pytest

from catalog.sources.errors import NotYetAvailable, SourceError, Throttled
from catalog.sources.fetch import Answer, fetch
from catalog.sources.http import Deadline, make_client
from tests.support.http_files import FileServer, Truncate
from tests.support.http_server import Status
from tests.support.reading import sentence_of

BODY, QUESTION = b'{"a": 1}', b'{"q": 1}'


@pytest.fixture
def server() -> Iterator[FileServer]:
    with FileServer() as running:
        running.put("/f", BODY)
        yield running


def get(url: str, seconds: float = 5.0, **more: Any) -> Answer:
    with make_client("solflis-test (test@example.com)") as client:
        return fetch("test", url, client, Deadline(seconds), **{"max_bytes": 100, **more})


def sentence(url: str, kind: type[SourceError] = SourceError, **more: Any) -> str:
    return sentence_of("test", lambda: get(url, **more), kind)


def test_the_first_request_names_its_caller_and_makes_no_condition(server: FileServer) -> None:
    server.put("/f?lat=59.9&lon=10.7", BODY)
    answer = get(server.url + "/f", params={"lat": "59.9", "lon": "10.7"})
    assert answer.body == BODY
    assert answer.etag is not None
    assert answer.expires is None
    sent = server.requests[0].headers
    assert sent["User-Agent"] == "solflis-test (test@example.com)"
    assert not {"If-None-Match", "If-Modified-Since"} & set(sent)
    with pytest.raises(ValueError, match="User-Agent"):
        make_client(" ")


def test_304_says_that_the_held_body_is_good_until_a_new_moment(server: FileServer) -> None:
    server.fail("/f", Status(304, {"Expires": "Mon, 20 Jul 2020 12:16:23 GMT"}), times=1)
    answer = get(server.url + "/f", etag='"1"', modified="Mon, 20 Jul 2020 11:44:31 GMT")
    assert (answer.body, answer.expires) == (None, datetime(2020, 7, 20, 12, 16, 23, tzinfo=UTC))
    sent = server.requests[0].headers
    assert (sent["If-None-Match"], sent["If-Modified-Since"]) == ('"1"', "Mon, 20 Jul 2020 11:44:31 GMT")


@pytest.mark.parametrize("fault", [Status(429, {"Retry-After": "0"}), Status(503), Truncate(3)])
def test_passing_faults_are_outlived(server: FileServer, fault: Status | Truncate) -> None:
    server.fail("/f", fault, times=2)
    assert get(server.url + "/f").body == BODY
    assert len(server.requests) == 3


def test_a_posted_question_is_repeated_after_faults_and_redirects(server: FileServer) -> None:
    server.put("/g", BODY)
    for answer in (Status(500), Status(429, {"Retry-After": "0"}), Status(308, {"Location": "/g"})):
        server.fail("/f", answer, times=1)
    assert get(server.url + "/f", content=QUESTION).body == BODY
    assert [(sent.method, sent.path, sent.body) for sent in server.requests] == [
        *[("POST", "/f", QUESTION)] * 3,
        ("POST", "/g", QUESTION),
    ]
    assert {sent.headers["Content-Type"] for sent in server.requests} == {"application/json"}


@pytest.mark.parametrize("status", [304, 400, 401, 403])
def test_a_refusal_is_not_asked_again(server: FileServer, status: int) -> None:
    server.fail("/f", Status(status))
    assert f"answered HTTP {status}" in sentence(server.url + "/f")
    assert len(server.requests) == 1


@pytest.mark.parametrize("content", [None, QUESTION])
def test_what_is_absent_is_not_yet_available(server: FileServer, content: bytes | None) -> None:
    assert "HTTP 404" in sentence(server.url + "/nothing", NotYetAvailable, content=content)


def test_retry_after_is_obeyed(server: FileServer) -> None:
    server.fail("/f", Status(429, {"Retry-After": "1"}), times=1)
    began = time.monotonic()
    assert get(server.url + "/f").body == BODY
    assert time.monotonic() - began >= 1


@pytest.mark.parametrize(
    ("value", "seconds"), [("3600", 3600), ("9" * 400, 86_400), ("Wed, 21 Oct 2099 07:28:00 GMT", 86_400)]
)
def test_a_long_pause_is_reported_and_at_most_a_day(server: FileServer, value: str, seconds: float) -> None:
    server.fail("/f", Status(429, {"Retry-After": value}))
    with pytest.raises(Throttled, match=r"answered HTTP 429 \(1 attempts\)") as caught:
        get(server.url + "/f")
    assert caught.value.seconds == seconds
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "date", ["\xb2", "soon", "", "0", "Fri, 31 Dec 9999 23:59:59 -0100", "Mon, 01 Jan 2024 00:00:00 +99999999999999"]
)
def test_a_date_of_no_calendar_is_past(server: FileServer, date: str) -> None:
    server.fail("/f", Status(304, {"Expires": date}), times=1)
    expires = get(server.url + "/f", etag='"1"').expires
    assert expires is not None
    assert expires.year == 1970  # long past: RFC 9111, section 5.3
    server.fail("/f", Status(503, {"Retry-After": date}))
    with pytest.raises(SourceError, match="HTTP 503"):
        get(server.url + "/f")


@pytest.mark.parametrize(("content", "status", "attempts"), [(None, 400, 1), (QUESTION, 418, 1), (QUESTION, 500, 4)])
def test_an_error_is_quoted(server: FileServer, content: bytes | None, status: int, attempts: int) -> None:
    def explain(body: bytes) -> str:
        assert len(body) == 65_536, "no more of it is looked at"
        return body[:7].decode().upper()

    server.fail("/f", Status(status, {}, b"too bad".ljust(300_000)))
    assert f"answered HTTP {status}: TOO BAD" in sentence(server.url + "/f", content=content, explain=explain)
    assert len(server.requests) == attempts


@pytest.mark.parametrize("status", [400, 500])
def test_an_error_may_be_declared_final(server: FileServer, status: int) -> None:
    def final(body: bytes) -> str:
        raise SourceError(f"test: {body.decode()}")

    server.fail("/f", Status(status, {}, b"never ask again"))
    assert sentence(server.url + "/f", explain=final) == "test: never ask again"
    assert len(server.requests) == 1


def test_a_body_is_bounded(server: FileServer) -> None:
    server.put("/f", b"x" * 101)
    assert "more than 100 bytes" in sentence(server.url + "/f")


def test_secrets_stay_out_of_sentences_and_logs(server: FileServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    url = server.url.replace("http://", "http://kari:geheim@") + "/nothing?token=geheim"
    said = sentence(url, NotYetAvailable, params={"lat": "59.9"}) + caplog.text
    assert "geheim" not in said
    assert "59.9" not in said


@pytest.mark.parametrize("url", ["file:///etc/passwd", "/etc/passwd", "http://[::1", "http://\x01"])
def test_what_is_no_address_is_refused_in_a_sentence(url: str) -> None:
    assert "address" in sentence(url, params={"a": "1"})


Speak = Callable[[socket.socket], None]


@contextmanager
def speaking(speak: Speak) -> Iterator[str]:
    """Yield the address of a server that answers one connection by a function of its socket."""
    server = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        with suppress(OSError):
            connection, _ = server.accept()
            with connection:
                connection.recv(65_536)
                speak(connection)

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}/f"
    server.close()


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(b"HTTP/1.1 200 OK\r\nX-Long: ", id="head"),
        pytest.param(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", id="framing"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", id="body"),
        pytest.param(b"HTTP/1.1 302 Found\r\nLocation: /f\r\nX-Long: ", id="redirect"),
    ],
)
def test_the_deadline_holds_however_slowly_an_answer_drips(before: bytes) -> None:
    given_up = threading.Event()

    def drip(connection: socket.socket) -> None:
        connection.sendall(before)
        while not given_up.wait(0.05):
            connection.sendall(b"a")

    with speaking(drip) as url:
        began = time.monotonic()
        with pytest.raises(SourceError, match=r"was not read within 0\.5 s"):
            get(url, 0.5)
        assert time.monotonic() - began < 8
        given_up.set()


def test_the_body_of_a_redirect_is_not_read() -> None:
    sent: list[int] = []

    def speak(connection: socket.socket) -> None:
        connection.sendall(f"HTTP/1.1 302 Found\r\nLocation: {good}\r\nContent-Length: 900000000\r\n\r\n".encode())
        for _ in range(900):
            connection.sendall(bytes(1_000_000))
            sent.append(1)

    with FileServer() as server, speaking(speak) as url:
        good = server.put("/there", b"good")
        assert get(url).body == b"good"
    assert len(sent) < 50  # megabytes that lie in the sockets' buffers


def test_redirects_lead_somewhere() -> None:
    with FileServer() as server:
        url = server.put("/f", b"x")
        server.fail("/f", Status(302, {"Location": "/f"}))
        with pytest.raises(SourceError, match="redirects more than 5 times"):
            get(url)
        assert len(server.requests) == 6


def test_credentials_are_not_sent_to_another_host() -> None:
    with FileServer() as first, FileServer() as other:
        own = first.put("/f", b"x").replace("http://", "http://id:secret@")
        for where in (first.put("/own", b"here"), other.put("/g", b"there")):
            first.fail("/f", Status(302, {"Location": where.replace(first.url, "")}), times=1)
        assert [get(own).body, get(own).body] == [b"here", b"there"]
    assert ["Authorization" in request.headers for request in first.requests] == [True, True, True]
    assert "Authorization" not in other.requests[0].headers


def test_letters_that_no_header_takes_are_replaced() -> None:
    with make_client("solflis (post@bjørn.no)") as client:
        assert client.headers["User-Agent"] == "solflis (post@bj?rn.no)"
