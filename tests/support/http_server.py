"""A threaded HTTP server on loopback, of which the made-up authorities are made."""

import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit


@dataclass
class Request:
    """What a client asked; `path` is that of its first line, with the query."""

    method: str
    path: str
    headers: Message
    body: bytes = b""

    @property
    def query(self) -> dict[str, list[str]]:
        """The values of each parameter."""
        return parse_qs(urlsplit(self.path).query, keep_blank_values=True)


@dataclass(frozen=True)
class Status:
    """A whole answer."""

    code: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


def byte_range(header: str, size: int) -> tuple[int, int] | None:
    """Return where the range that a header asks for begins and ends; None where it asks for none."""
    match = re.fullmatch(r"bytes=(\d*)-(\d*)", header)
    if not match:
        return None
    if not match[1]:
        return max(0, size - int(match[2])), size
    return int(match[1]), min(size, int(match[2] or size - 1) + 1)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each body waits 40 ms for the receipt of its head
    server: "Server"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.respond(self, Request(self.command, self.path, self.headers, body))

    do_HEAD = do_POST = do_PUT = do_DELETE = do_GET

    def send(self, answer: Status) -> None:
        self.send_response(answer.code)
        for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            with suppress(OSError):
                self.wfile.write(answer.body)


class Server(ThreadingHTTPServer):
    """A context manager that serves from a thread of its own.

    Parameters
    ----------
    answer : callable
        Of a request.
    """

    daemon_threads = True

    def __init__(self, answer: Callable[[Request], Status]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self._answer = answer
        self.url = f"http://127.0.0.1:{self.server_port}"
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def respond(self, handler: Handler, request: Request) -> None:
        """Send an answer."""
        handler.send(self._answer(request))

    def handle_error(self, *whose: Any) -> None:
        """Report what went wrong, but for a client that went away."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(*whose)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join()


Respond = Callable[[str, dict[str, list[str]], Any], tuple[int, dict[str, str], bytes]]
"""What a stub answers: (path, query, headers of the request) -> status, headers, body."""


@contextmanager
def serving(respond: Respond) -> Iterator[str]:
    """Serve on loopback whatever a function answers; yields the base address."""
    with Server(lambda asked: Status(*respond(urlsplit(asked.path).path, asked.query, asked.headers))) as server:
        yield server.url
