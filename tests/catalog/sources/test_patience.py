"""Upstreams that drip, and redirects: the deadline holds, and nobody reads what nobody wants."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from catalog.sources.errors import SourceError
from catalog.sources.fetch import Answer, fetch
from catalog.sources.http import Deadline, make_client
from tests.support.http_files import FileServer, Status

Speak = Callable[[socket.socket], None]
DEADLINE_S = 0.5
DRIPPING_S = 15.0
PATIENCE_S = 8.0  # for a busy machine; far less than the dripping takes


@contextmanager
def speaking(speak: Speak) -> Iterator[str]:
    """Yield the address of a server that answers every connection by a function of its socket."""
    server = socket.create_server(("127.0.0.1", 0))

    def answer(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.recv(65_536)
            speak(connection)

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                threading.Thread(target=answer, args=(connection,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/f"
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()


def dripping(before: bytes) -> Speak:
    def speak(connection: socket.socket) -> None:
        connection.sendall(before)
        end = time.monotonic() + DRIPPING_S
        while time.monotonic() < end:
            connection.sendall(b"a")
            time.sleep(0.05)

    return speak


def get(url: str, seconds: float = 5.0) -> Answer:
    with make_client("solflis-test (test@example.com)") as client:
        return fetch("test", url, client, Deadline(seconds), max_bytes=100)


@pytest.mark.parametrize(
    "before",
    [
        b"HTTP/1.1 200 OK\r\nX-Long: ",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;",
        b"HTTP/1.1 302 Found\r\nLocation: /f\r\nX-Long: ",
    ],
    ids=["head", "framing", "redirect"],
)
def test_the_deadline_holds_however_slowly_it_drips(before: bytes) -> None:
    with speaking(dripping(before)) as url:
        began = time.monotonic()
        with pytest.raises(SourceError, match=r"was not read within 0\.5 s"):
            get(url, DEADLINE_S)
        assert time.monotonic() - began < PATIENCE_S


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


def test_credentials_go_to_no_other_host() -> None:
    with FileServer() as first, FileServer() as other:
        own = first.put("/f", b"x").replace("http://", "http://id:secret@")
        first.put("/own", b"own")
        first.fail("/f", Status(302, {"Location": "/own"}), times=1)
        assert get(own).body == b"own"
        first.fail("/f", Status(302, {"Location": other.put("/g", b"other")}), times=1)
        assert get(own).body == b"other"
    assert [("Authorization" in request.headers) for request in first.requests] == [True, True, True]
    assert "Authorization" not in other.requests[0].headers


@pytest.mark.parametrize(
    "date", ["Fri, 31 Dec 9999 23:59:59 -0100", "Mon, 01 Jan 2024 00:00:00 +99999999999999", "0", "1 Jan 99999999999"]
)
def test_a_date_of_no_calendar_asks_for_no_patience(date: str) -> None:
    with FileServer() as server:
        url = server.put("/f", b"x")
        server.fail("/f", Status(304, {"Expires": date}), times=1)
        with make_client("t") as client:
            answer = fetch("test", url, client, Deadline(5), max_bytes=100, etag='"1"')
        assert answer.expires is not None
        assert answer.expires.year == 1970  # long past: RFC 9111, section 5.3
        server.fail("/f", Status(503, {"Retry-After": date}))
        with pytest.raises(SourceError, match="HTTP 503"):
            get(url, DEADLINE_S)
