"""Every answer, noted: one line in the log, and the metrics. No key, coordinate, address or raw path is in either."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from select import PIPE_BUF
from typing import TextIO

from aiohttp import web
from aiohttp.abc import AbstractAccessLogger

from api.observing import request_id
from api.observing.logs import utc_ms
from api.observing.metrics import Metrics

# Answers are counted and written together: by themselves each takes 10 us of a busy worker, 64 together half of that.
# What waits when a worker is killed is lost.
FLUSH_S = 0.2
_TOGETHER = 64

log = logging.getLogger("solflis.api")

UNKNOWN = "-"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"})


def endpoint_of(request: web.BaseRequest) -> str:
    """Return the path that the route of a request declares; `-` where no route takes it, or before it is routed."""
    return _endpoint(_match_of(request))


def _match_of(request: web.BaseRequest) -> web.UrlMappingMatchInfo | None:
    return getattr(request, "_match_info", None)  # the public property asserts that there is one


def _endpoint(match: web.UrlMappingMatchInfo | None) -> str:
    resource = None if match is None else match.route.resource
    return UNKNOWN if resource is None else str(resource.canonical)


def write_lines(stream: TextIO, lines: Iterable[str]) -> None:
    """Write ASCII lines; what cannot be written is dropped.

    Never more at once than a pipe takes in one piece: several workers write to the same one.
    """
    piece: list[str] = []
    size = 0
    for line in lines:
        if size + len(line) > PIPE_BUF:
            _write(stream, piece)
            piece, size = [], 0
        piece.append(line)
        size += len(line)
    _write(stream, piece)


def _write(stream: TextIO, piece: list[str]) -> None:
    with suppress(OSError, ValueError):  # a full disk or a closed stream costs lines, not answers
        stream.write("".join(piece))
        stream.flush()


# Method, match, status, seconds, moment, request id, size; a class of its own would be a tenth of noting an answer.
_Noted = tuple[str, web.UrlMappingMatchInfo | None, int, float, float, str | None, int]


class Answers:
    """Notes answers.

    Parameters
    ----------
    metrics : Metrics
    """

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._stream: TextIO | None = None
        self._waiting: list[_Noted] = []
        self._timer: asyncio.TimerHandle | None = None
        self._kinds: dict[tuple[str, str, int], tuple[Callable[[float], None], str]] = {}
        self._second, self._time = 0, ""

    def write_to(self, stream: TextIO | None) -> None:
        """Write a line for each answer to a stream from now on; None writes none."""
        self._stream = stream

    def note(self, request: web.BaseRequest, response: web.StreamResponse, seconds: float) -> None:
        """Note one answer, after it has been sent; it is counted and written soon."""
        size, identity = response.body_length, request_id.current.get()
        noted = request.method, _match_of(request), response.status, seconds, time.time(), identity, size
        self._waiting.append(noted)
        if len(self._waiting) >= _TOGETHER:
            self._settle()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(FLUSH_S, self.flush)

    def flush(self) -> None:
        """Count and write what waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._settle()

    async def close(self, _: web.Application) -> None:
        """Count and write what waits, before metrics and stream are closed."""
        self.flush()

    def _settle(self) -> None:
        waiting, self._waiting = self._waiting, []
        lines = []
        for one in waiting:
            try:
                lines.append(self._count(one))
            except (OSError, ValueError):  # no room for a count of a new kind: it costs that count alone
                log.exception("an answer could not be counted")
        if lines and self._stream is not None:
            write_lines(self._stream, lines)

    def _count(self, noted: _Noted) -> str:
        """Count an answer; return its line."""
        method, match, status, seconds, at, identity, size = noted
        kind = _endpoint(match), method if method in _METHODS else UNKNOWN, status
        known = self._kinds.get(kind)
        if known is None:
            known = self._kinds[kind] = self._kind(*kind)
        count, text = known
        count(seconds)
        second = int(at)
        if second != self._second:
            self._second, self._time = second, utc_ms(second)[:-4]
        return (
            f'{{"time":"{self._time}{int((at - second) * 1000):03d}Z","request_id":"{identity}",'
            f'{text}"duration_ms":{seconds * 1000:.2f},"bytes":{size}}}\n'
        )

    def _kind(self, endpoint: str, method: str, status: int) -> tuple[Callable[[float], None], str]:
        """Return what counts answers of a kind, and the middle of their lines."""
        text = f'"method":"{method}","endpoint":"{endpoint}","status":{status},'
        return self._metrics.answers(endpoint, method, status), text

    def hook(self) -> type[AbstractAccessLogger]:
        """Return what aiohttp takes: a class, of which it makes one object for each connection."""
        note = self.note

        class AccessLogger(AbstractAccessLogger):
            def log(self, request: web.BaseRequest, response: web.StreamResponse, time: float) -> None:
                note(request, response, time)

        return AccessLogger


ANSWERS = web.AppKey("answers", Answers)
