"""A small HTTP server of files in memory or on disk, with byte ranges and the faults an upstream can have.

    with FileServer() as server:
        server.put("/a.nc", data)                  # bytes or a Path
        server.fail("/a.nc", Status(500), times=2)
        read(server.url + "/a.nc")

Run as a program it serves a folder: python -m tests.support.http_files FOLDER (prints its URL).
"""

import hashlib
import os
import re
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType

from tests.support.garbage import left_lying

Content = bytes | Path


@dataclass(frozen=True)
class Status:
    """Answer with a status instead of the file."""

    code: int
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Truncate:
    """Announce the whole answer and break off after `length` bytes of its body."""

    length: int


@dataclass(frozen=True)
class Drip:
    """Send the body byte by byte, `pause_s` apart, until the client gives up."""

    pause_s: float


Fault = Status | Truncate | Drip


@dataclass
class Request:
    """What a client asked."""

    method: str
    path: str
    headers: dict[str, str]


@dataclass
class _State:
    folder: Path | None
    ranges: bool = True
    etags: bool = True
    files: dict[str, Content] = field(default_factory=dict)
    faults: dict[str, list[Fault]] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    before: Callable[[Request], None] | None = None
    stopping: threading.Event = field(default_factory=threading.Event)

    def content(self, path: str) -> Content | None:
        if path in self.files:
            return self.files[path]
        if self.folder is not None and (found := self.folder / path.lstrip("/")).is_file():
            return found
        return None


class FileServer:
    """Threaded server on loopback; a context manager. `folder` adds a folder's files to those put."""

    def __init__(self, folder: Path | None = None, *, ranges: bool = True, etags: bool = True) -> None:
        self.state = _State(folder, ranges, etags)
        handler = type("Handler", (_Handler,), {"state": self.state})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._garbage = left_lying()

    def put(self, path: str, content: Content) -> str:
        """Serve (or replace) a file; return its URL."""
        self.state.files[path] = content
        return self.url + path

    def fail(self, path: str, fault: Fault, times: int = 1_000_000) -> None:
        """Answer the next `times` requests for a path with a fault."""
        self.state.faults.setdefault(path, []).extend([fault] * min(times, 1000))

    @property
    def requests(self) -> list[Request]:
        """Every request so far."""
        return self.state.requests

    def before(self, action: Callable[[Request], None]) -> None:
        """Run an action before each answer, for instance replacing a file at the n-th request."""
        self.state.before = action

    def __enter__(self) -> "FileServer":
        self._garbage.__enter__()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.state.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._garbage.__exit__(kind, error, trace)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: _State

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, body: bool) -> None:
        request = Request(self.command, self.path, dict(self.headers.items()))
        self.state.requests.append(request)
        if self.state.before is not None:
            self.state.before(request)
        faults = self.state.faults.get(self.path, [])
        fault = faults.pop(0) if faults else None
        content = self.state.content(self.path)
        if isinstance(fault, Status):
            self._plain(fault.code, fault.headers)
        elif content is None:
            self._plain(404, {})
        else:
            self._send(content, body, fault)

    def _plain(self, code: int, headers: dict[str, str]) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, content: Content, body: bool, fault: Fault | None) -> None:
        size = len(content) if isinstance(content, bytes) else content.stat().st_size
        etag = _etag(content)
        if self.state.etags and self.headers.get("If-Match", etag) != etag:
            return self._plain(412, {})
        match = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", "")) if self.state.ranges else None
        start, end = 0, size
        if match and not match[1]:
            start = max(0, size - int(match[2]))
        elif match:
            start, end = int(match[1]), min(size, int(match[2] or size - 1) + 1)
            if start >= size:
                return self._plain(416, {"Content-Range": f"bytes */{size}"})
        self.send_response(206 if match else 200)
        if match:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{size}")
        if self.state.ranges:
            self.send_header("Accept-Ranges", "bytes")
        if self.state.etags:
            self.send_header("ETag", etag)
        self.send_header("Content-Length", str(end - start))
        self.end_headers()
        if body:
            self._body(content, start, end, fault)
        return None

    def _body(self, content: Content, start: int, end: int, fault: Fault | None) -> None:
        if isinstance(fault, Truncate):
            end = start + fault.length
            self.close_connection = True
        if isinstance(fault, Drip):
            self.close_connection = True
            data = content[start:end] if isinstance(content, bytes) else content.read_bytes()[start:end]
            for byte in data:
                if self.state.stopping.wait(fault.pause_s) or not self._write(bytes([byte])):
                    return
        elif isinstance(content, bytes):
            self._write(content[start:end])
        else:
            with content.open("rb") as file:
                self.wfile.flush()
                while start < end and (
                    sent := os.sendfile(self.connection.fileno(), file.fileno(), start, end - start)
                ):
                    start += sent

    def _write(self, data: bytes) -> bool:
        try:
            self.wfile.write(data)
        except OSError:
            return False
        return True


def _etag(content: Content) -> str:
    if isinstance(content, bytes):
        return f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    status = content.stat()
    return f'"{status.st_mtime_ns:x}-{status.st_size:x}"'


def main() -> None:
    """Serve a folder until stdin ends."""
    with FileServer(Path(sys.argv[1])) as server:
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
