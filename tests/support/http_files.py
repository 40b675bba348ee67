"""A small HTTP server of files in memory or on disk, with byte ranges and the faults an upstream can have.

    with FileServer() as server:
        server.put("/a.nc", data)                  # bytes or a Path
        server.fail("/a.nc", Status(500), times=2)
        read(server.url + "/a.nc")

Run as a program it serves a folder: python -m tests.support.http_files FOLDER (prints its URL).
"""

import hashlib
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tests.support.garbage import left_lying
from tests.support.http_server import Handler, Request, Server, Status, byte_range

Content = bytes | Path


@dataclass(frozen=True)
class Truncate:
    """Announce the whole answer and break off after `length` bytes of its body."""

    length: int


@dataclass(frozen=True)
class Drip:
    """Send the body byte by byte, `pause_s` apart, until the client gives up."""

    pause_s: float


Fault = Status | Truncate | Drip


class FileServer(Server):
    """A server of what is put; `folder` adds a folder's files. A status is answered instead of the file."""

    def __init__(self, folder: Path | None = None, *, ranges: bool = True, etags: bool = True) -> None:
        super().__init__(lambda _: Status(404))
        self.files: dict[str, Content] = {}
        self.requests: list[Request] = []
        self._folder, self._ranges, self._etags = folder, ranges, etags
        self._faults: dict[str, list[Fault]] = {}
        self._before: Callable[[Request], None] = lambda _: None
        self._stopping, self._garbage = threading.Event(), left_lying()

    def put(self, path: str, content: Content) -> str:
        """Serve (or replace) a file; return its URL."""
        self.files[path] = content
        return self.url + path

    def fail(self, path: str, fault: Fault, times: int = 1000) -> None:
        """Answer the next `times` requests for a path with a fault."""
        self._faults.setdefault(path, []).extend([fault] * times)

    def before(self, action: Callable[[Request], None]) -> None:
        """Run an action before each answer, for instance replacing a file at the n-th request."""
        self._before = action

    def __enter__(self) -> Self:
        self._garbage.__enter__()
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        self._stopping.set()
        super().__exit__()
        self._garbage.__exit__(None, None, None)

    def respond(self, handler: Handler, request: Request) -> None:
        """Send a file, or what is wrong with it."""
        self.requests.append(request)
        self._before(request)
        faults = self._faults.get(request.path)
        fault = faults.pop(0) if faults else None
        content = self.files.get(request.path)
        if content is None and self._folder and (found := self._folder / request.path.lstrip("/")).is_file():
            content = found
        if isinstance(fault, Status):
            handler.send(fault)
        elif content is None:
            super().respond(handler, request)
        else:
            self._send(handler, content, fault)

    def _send(self, handler: Handler, content: Content, fault: Truncate | Drip | None) -> None:
        size = len(content) if isinstance(content, bytes) else content.stat().st_size
        etag = _etag(content)
        if self._etags and handler.headers.get("If-Match", etag) != etag:
            return handler.send(Status(412))
        headers = {"Accept-Ranges": "bytes"} if self._ranges else {}
        part = byte_range(handler.headers.get("Range", ""), size) if self._ranges else None
        start, end = part or (0, size)
        if part:
            if start >= size:
                return handler.send(Status(416, {"Content-Range": f"bytes */{size}"}))
            headers["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
        if self._etags:
            headers["ETag"] = etag
        handler.send_response(206 if part else 200)
        for name, value in {**headers, "Content-Length": str(end - start)}.items():
            handler.send_header(name, value)
        handler.end_headers()
        if handler.command != "HEAD":
            self._body(handler, _part(content, start, end), fault)
        return None

    def _body(self, handler: Handler, data: bytes, fault: Truncate | Drip | None) -> None:
        handler.close_connection = handler.close_connection or fault is not None
        with suppress(OSError):  # the client went away
            if not isinstance(fault, Drip):
                handler.wfile.write(data[: fault.length] if fault else data)
                return
            for byte in data:
                if self._stopping.wait(fault.pause_s):
                    return
                handler.wfile.write(bytes([byte]))


def _part(content: Content, start: int, end: int) -> bytes:
    if isinstance(content, bytes):
        return content[start:end]
    with content.open("rb") as file:
        file.seek(start)
        return file.read(end - start)


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
