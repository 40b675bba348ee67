"""How the authority is asked: one question at a time, with pauses, and in smaller parts where it cannot answer.

How sure we are. Public clients agree on the address, on the JSON that is posted, with dates as `2026-10-05` and
"x y, x y" of integers in UTM 33, and on a point without a cell, or an answer too large, failing a whole list. From them
as well: 40 cells of 20 years in one question work. Not known: how many questions a day the authority bears; so a
fetch has no two at a time, and the API few fetches.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from urllib.parse import urlsplit

import httpx
import numpy as np
import orjson

from catalog.sources.errors import Origin, SourceError
from catalog.sources.fetch import fetch
from catalog.sources.http import Deadline, make_client, without_credentials
from catalog.sources.nve_gts.answers import Answered, read
from catalog.sources.nve_gts.model import NAME, Point
from catalog.sources.nve_gts.refusals import NoCellAmong, TooLarge, explain
from catalog.sources.nve_gts.themes import Theme

PAUSE_S = 0.2
MOST_POINTS = 2_000
MOST_VALUES = 250_000
_MAX_BYTES = 32_000_000
# Seas and skerries have no cells, but a service that says so of everything is out of order: after so many refusals on
# end it is asked for a cell that there is, in the middle of Oslo.
_MOST_REFUSALS = 200
THERE: Point = (262_500, 6_649_500)
"""A cell that there is."""
_HERE = ("127.0.0.1", "localhost", "::1")


class TooManyQuestions(SourceError):
    """It would take more questions than the caller allows.

    Attributes
    ----------
    parts : sequence of Answered
        What was answered by then, of the list that was asked for last.
    """

    parts: Sequence[Answered] = ()


class Authority:
    """The snow authority, during one fetch.

    Parameters
    ----------
    url : str
        The service, without `/api`.
    client : httpx.Client
    deadline : Deadline
    pause_s : float or None
        Between questions, s; None: 0.2, and none on this machine.
    most_requests : int, optional
        Questions; that one is asked again after a fault does not count.
    """

    def __init__(
        self,
        url: str,
        client: httpx.Client,
        deadline: Deadline,
        pause_s: float | None = None,
        most_requests: int | None = None,
    ) -> None:
        self._base, self._client, self._deadline = f"{url.rstrip('/')}/api", client, deadline
        self._pause_s = _pause(url) if pause_s is None else pause_s
        self._most = most_requests
        self._next, self._refusals, self._questions = 0.0, 0, 0

    def many(self, theme: Theme, points: Sequence[Point], start: date, n_days: int) -> list[Answered]:
        """Return a theme of some cells, from a stamp on: parts in the order of the points, without those of no cell.

        Raises
        ------
        SourceError
        """
        parts: list[Answered] = []
        waiting = [tuple(points)]
        while waiting:
            some = waiting.pop()
            try:
                parts.append(self._post(theme, some, start, n_days))
                self._refusals = 0
            except NoCellAmong as error:
                self._refusals += 1
                if self._refusals > _MOST_REFUSALS:
                    self.probe(theme, start)
                    self._refusals = 0
                waiting += [part for part in _without(some, error.named) if part]
            except TooLarge:
                if len(some) == 1:
                    raise
                waiting += _halves(some)
            except TooManyQuestions as error:
                error.parts = parts
                raise
        return parts

    def probe(self, theme: Theme, start: date) -> bool:
        """Return whether a cell that there is has a value of a stamp.

        Raises
        ------
        SourceError
            The authority refuses it, as it refuses a place without a cell.
        """
        try:
            return not np.isnan(self._post(theme, (THERE,), start, 1).values).all()
        except NoCellAmong as error:
            raise SourceError(f"{error}, though there is one: it is out of order") from error

    def _post(self, theme: Theme, points: Sequence[Point], start: date, n_days: int) -> Answered:
        end = start + timedelta(days=n_days - 1)
        service = f"{self._base}/MultiPointTimeSeries/ByMapCoordinateCsv"
        question = {
            "Theme": theme.name,
            "StartDate": f"{start:%Y-%m-%d}",
            "EndDate": f"{end:%Y-%m-%d}",
            "Format": "json",
            "MapCoordinateCsv": ", ".join(f"{x} {y}" for x, y in points),
        }
        origin = _origin(service)
        body = self._ask(origin, service, orjson.dumps(question))
        return read(body, origin, theme, points, start, n_days)

    def _ask(self, origin: Origin, url: str, content: bytes) -> bytes:
        if self._most is not None and self._questions >= self._most:
            raise TooManyQuestions(str(origin.error(f"would have to be asked more than {self._most} times")))
        time.sleep(max(0.0, min(self._next - time.monotonic(), self._deadline.remaining())))
        self._questions += 1
        try:
            answer = fetch(
                NAME, url, self._client, self._deadline,
                max_bytes=_MAX_BYTES, content=content, explain=lambda _, body: explain(origin, body),
            )  # fmt: skip
        finally:
            self._next = time.monotonic() + self._pause_s
        return answer.body or b""


@contextmanager
def asking(
    url: str,
    user_agent: str,
    deadline: Deadline | float,
    client: httpx.Client | None,
    pause_s: float | None,
    most_requests: int | None = None,
) -> Iterator[Authority]:
    """Hand out the authority, with the caller's client or one of its own."""
    until = deadline if isinstance(deadline, Deadline) else Deadline(deadline)
    own = make_client(user_agent) if client is None else client
    try:
        yield Authority(url, own, until, pause_s, most_requests)
    finally:
        if client is None:
            own.close()


def batches(points: Sequence[Point], n_days: int) -> list[Sequence[Point]]:
    """Return points in parts whose answers are of bounded size."""
    at_once = min(MOST_POINTS, max(1, MOST_VALUES // n_days))
    return [points[first : first + at_once] for first in range(0, len(points), at_once)]


def _without(points: tuple[Point, ...], named: Point | None) -> list[tuple[Point, ...]]:
    """Return what is asked for next, the last first, after a question with a point that has no cell."""
    if named in points:
        return [tuple(point for point in points if point != named)]
    return [] if len(points) == 1 else _halves(points)


def _halves(points: tuple[Point, ...]) -> list[tuple[Point, ...]]:
    middle = (len(points) + 1) // 2
    return [points[middle:], points[:middle]]


def _pause(url: str) -> float:
    return 0.0 if urlsplit(url).hostname in _HERE else PAUSE_S


def _origin(service: str) -> Origin:
    return Origin(NAME, without_credentials(service))
