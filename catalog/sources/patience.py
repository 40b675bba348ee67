"""Deadlines that hold however slowly an upstream drips: heads, redirects and the framing of bodies too.

A timeout of httpx is for one read of a socket, and a head may come in a hundred thousand of them. So every read is
given no more than what is left of the deadline that its thread works under.
"""

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from ssl import SSLContext
from typing import Any

import httpcore
import httpx

_working = threading.local()


class Deadline:
    """The moment by which everything about a cycle must have been read."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """Seconds left; negative when it has passed."""
        return self._end - time.monotonic()


@contextmanager
def within(deadline: Deadline) -> Iterator[None]:
    """Let all reads of this thread from clients that are `bounded` end by a deadline."""
    before = getattr(_working, "deadline", None)
    _working.deadline = deadline
    try:
        yield
    finally:
        _working.deadline = before


def bounded(client: httpx.Client) -> httpx.Client:
    """Return the client, whose reads end by the deadline of their thread from now on.

    TRAP: httpx hands no network backend on, so it is put into its pools (proxies of the environment have their own).
    """
    for transport in (client._transport, *client._mounts.values()):
        if isinstance(transport, httpx.HTTPTransport):
            pool: Any = transport._pool
            pool._network_backend = _Backend(pool._network_backend)
    return client


def _left(timeout: float | None) -> float:
    deadline: Deadline | None = getattr(_working, "deadline", None)
    left = float("inf") if deadline is None else deadline.remaining()
    if left <= 0:
        raise httpcore.ReadTimeout("the deadline has passed")
    return min(left, float("inf") if timeout is None else timeout)


class _Stream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _finite(_left(timeout)))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, timeout)

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Backend(httpcore.NetworkBackend):
    def __init__(self, backend: httpcore.NetworkBackend) -> None:
        self._backend = backend

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        return _Stream(self._backend.connect_tcp(host, port, timeout, local_address, socket_options))

    def sleep(self, seconds: float) -> None:
        self._backend.sleep(seconds)


def _finite(timeout: float) -> float | None:
    return None if timeout == float("inf") else timeout
