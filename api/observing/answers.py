"""Every answer, noted: one line in the log, and the metrics. No key, coordinate, address or raw path is in either."""

import asyncio
import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from select import PIPE_BUF
from typing import TextIO

from aiohttp import web

from api.core.request_keys import CODE, ENDPOINT
from api.observing import request_id
from api.observing.logs import utc_ms
from api.observing.metrics import Metrics

# Answers are counted and written together: by themselves each takes 10 us of a busy worker, 64 together half of that.
# What waits when a worker is killed is lost.
FLUSH_S = 0.2
_TOGETHER = 64
_RECENT_MINUTES = 5
# What asks how the service is, is no part of how it is.
_WATCHING = frozenset({"/health", "/metrics"})

log = logging.getLogger("solflis.api")

UNKNOWN = "-"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"})


def write_lines(stream: TextIO, lines: Iterable[str]) -> None:
    """Write ASCII lines, each shorter than 4 kB; what cannot be written is dropped.

    Never more at once than a pipe takes in one piece: several workers write to the same one.
    """
    text = "".join(lines)
    while text:
        end = text.rfind("\n", 0, PIPE_BUF) + 1
        with suppress(OSError, ValueError):  # a full disk or a closed stream costs lines, not answers
            stream.write(text[:end])
            stream.flush()
        text = text[end:]


# Method, endpoint, status, code, seconds, moment, request id, size; a class of its own would be a tenth of noting it.
_Noted = tuple[str, str, int, str | None, float, float, str | None, int]


class Answers:
    """Notes answers.

    Parameters
    ----------
    metrics : Metrics
    flush_s : float
        Longest that an answer waits to be counted and written, s.
    together : int
        Most answers that wait.
    """

    def __init__(self, metrics: Metrics, flush_s: float = FLUSH_S, together: int = _TOGETHER) -> None:
        self._metrics, self._flush_s, self._together = metrics, flush_s, together
        self._recent: deque[tuple[int, Counter[str | None]]] = deque(maxlen=_RECENT_MINUTES)
        self._stream: TextIO | None = None
        self._waiting: list[_Noted] = []
        self._timer: asyncio.TimerHandle | None = None
        self._kind = cache(self._new_kind)
        self._second, self._time = 0, ""

    def write_to(self, stream: TextIO | None) -> None:
        """Write a line for each answer to a stream from now on; None writes none."""
        self._stream = stream

    def note(self, request: web.BaseRequest, response: web.StreamResponse, seconds: float) -> None:
        """Note one answer, after it has been sent; it is counted and written soon."""
        size, identity, status = response.body_length, request_id.current.get(), response.status
        code = request.get(CODE) if status >= 400 else None
        endpoint = request.get(ENDPOINT, UNKNOWN)
        self._waiting.append((request.method, endpoint, status, code, seconds, time.time(), identity, size))
        if len(self._waiting) >= self._together:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._flush_s, self.flush)

    def flush(self) -> None:
        """Count and write what waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        waiting, self._waiting = self._waiting, []
        self._remember(waiting)
        lines = []
        for one in waiting:
            try:
                lines.append(self._count(one))
            except (OSError, ValueError):  # no room for a count of a new kind: it costs that count alone
                log.exception("an answer could not be counted")
        if lines and self._stream is not None:
            write_lines(self._stream, lines)

    def recent(self) -> Counter[str | None]:
        """Return how many answers of the last five minutes had which code, None where they had none.

        Errors of the service alone (5xx) count with their code.
        """
        self.flush()
        since = int(time.monotonic() / 60) - _RECENT_MINUTES
        return sum((codes for minute, codes in self._recent if minute > since), Counter())

    def _remember(self, noted: Iterable[_Noted]) -> None:
        minute = int(time.monotonic() / 60)
        if not self._recent or self._recent[-1][0] != minute:
            self._recent.append((minute, Counter()))
        self._recent[-1][1].update(one[3] if one[2] >= 500 else None for one in noted if one[1] not in _WATCHING)

    def _count(self, noted: _Noted) -> str:
        """Count an answer; return its line."""
        method, endpoint, status, code, seconds, at, identity, size = noted
        count, text = self._kind(endpoint, method if method in _METHODS else UNKNOWN, status, code)
        count(seconds)
        second = int(at)
        if second != self._second:
            self._second, self._time = second, utc_ms(second)[:-4]
        return (
            f'{{"time":"{self._time}{int((at - second) * 1000):03d}Z","request_id":"{identity}",'
            f'{text}"duration_ms":{seconds * 1000:.2f},"bytes":{size}}}\n'
        )

    def _new_kind(
        self, endpoint: str, method: str, status: int, code: str | None
    ) -> tuple[Callable[[float], None], str]:
        """Return what counts answers of a kind, and the middle of their lines."""
        text = f'"method":"{method}","endpoint":"{endpoint}","status":{status},'
        return self._metrics.answers(endpoint, method, status, code), text
