"""Range reads over HTTP: one total deadline, retries with backoff, and a file that must not change midway."""

import logging
import re
import ssl
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from email.utils import parsedate_to_datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar
from urllib.parse import unquote, urlsplit

import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception_type

from catalog.sources.errors import Origin, SourceError, Throttled
from catalog.sources.patience import Deadline, bounded, within
from catalog.sources.ranges import BLOCK, LocalRanges, Ranges, open_local

__all__ = ["Deadline", "HttpRanges", "Question", "Requests", "make_client", "open_ranges", "without_credentials"]

ATTEMPTS = 4
MOST_REDIRECTS = 5
FIRST_WAIT_S = 0.5
LONGEST_PAUSE_S = 86_400.0
"""What a source is believed of how long it wants to be left alone: a day."""

REQUEST_TIMEOUT_S = 30.0

# httpx tells the log every address in full: passwords, keys and coordinates included.
logging.getLogger("httpx").setLevel(logging.WARNING)

T = TypeVar("T")
_CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)$")


class Question(NamedTuple):
    """The head of a request, and what is posted; a GET where nothing is."""

    headers: dict[str, str]
    content: bytes | None = None


Explain = Callable[[httpx.Response], str]
"""What an answer of a 429 or 5xx says, behind its status in the sentence; it raises where no other attempt helps."""


class _TransientError(Exception):
    """Worth another attempt."""

    def __init__(self, what: str, retry_after: float = 0.0) -> None:
        super().__init__(what)
        self.retry_after = retry_after


def make_client(user_agent: str) -> httpx.Client:
    """Return the one HTTP client of a cycle; `user_agent` must name the caller, as the authorities demand."""
    if not user_agent.strip():
        raise ValueError("a User-Agent that names the caller is mandatory")
    headers = {"User-Agent": user_agent, "Accept-Encoding": "identity"}
    # redirects are followed by `Requests`: httpx would read the whole body of each, however long it is
    return bounded(httpx.Client(headers=headers, follow_redirects=False, verify=_trust()))


@cache
def _trust() -> ssl.SSLContext:
    """Return whom connections trust: to read all those certificates takes 20 ms, and an archive has many files."""
    return httpx.create_ssl_context()


def open_ranges(source: str, url: str, client: httpx.Client, deadline: Deadline) -> Ranges:
    """Open a file by URL (http, https, file) or plain path.

    Returns
    -------
    `HttpRanges`, or `LocalRanges` for a local file and for the copy of one whose server ignores ranges.

    Raises
    ------
    NotYetAvailable where the file does not exist; SourceError for everything else.
    """
    origin = Origin(source, without_credentials(url))
    scheme, mark, _ = url.partition("://")
    scheme = scheme.lower()
    if not mark:
        return open_local(origin, Path(url))
    if scheme == "file":
        return open_local(origin, Path(unquote(urlsplit(url).path)))
    if scheme not in ("http", "https"):
        raise origin.error(f"is neither a folder nor HTTP: {scheme} is not supported")
    return _open_http(origin, Requests(origin, url, client, deadline))


def without_credentials(url: str) -> str:
    """Return an address (or a folder) as sentences and logs may show it: without user and password."""
    scheme, mark, rest = url.partition("://")
    place, slash, path = rest.partition("/")
    return f"{scheme}{mark}{place.rpartition('@')[2]}{slash}{path}" if mark else url


class Requests:
    """Requests to one URL, within the deadline and with retries.

    Parameters
    ----------
    origin : Origin
        What sentences name.
    url : str or httpx.URL
    client : httpx.Client
    deadline : Deadline

    Raises
    ------
    SourceError
        The URL is no address that can be asked.
    """

    def __init__(self, origin: Origin, url: str | httpx.URL, client: httpx.Client, deadline: Deadline) -> None:
        self.origin = origin
        self._url = _address(origin, url)
        self._client = client
        self._deadline = deadline

    def get(self, headers: dict[str, str], take: Callable[[httpx.Response], T]) -> T:
        """Send a GET and hand the open response to `take`, again after a passing fault."""
        return self.ask(Question(headers), take)

    def ask(self, question: Question, take: Callable[[httpx.Response], T], explain: Explain | None = None) -> T:
        """Ask as `get` does; what is posted must change nothing there, for it may be sent again."""

        def wait(state: RetryCallState) -> float:
            failure = state.outcome.exception() if state.outcome else None
            asked = failure.retry_after if isinstance(failure, _TransientError) else 0.0
            return max(asked, FIRST_WAIT_S * 2.0 ** (state.attempt_number - 1))

        def stop(state: RetryCallState) -> bool:
            return state.attempt_number >= ATTEMPTS or self._deadline.remaining() <= state.upcoming_sleep

        retrying = Retrying(retry=retry_if_exception_type(_TransientError), wait=wait, stop=stop, reraise=True)
        try:
            answer: T = retrying(self._attempt, question, take, explain)
            return answer
        except _TransientError as fault:
            attempts = retrying.statistics["attempt_number"]
            sentence = self.origin.error(f"{fault} ({attempts} attempts)")
            raise (Throttled(str(sentence), fault.retry_after) if fault.retry_after > 0 else sentence) from fault

    def _attempt(self, question: Question, take: Callable[[httpx.Response], T], explain: Explain | None) -> T:
        try:
            with within(self._deadline), closing(self._ask(question)) as response:
                status = response.status_code
                if status == 429 or status >= 500:
                    why = explain(response) if explain else ""
                    raise _TransientError(f"answered HTTP {status}{why}", _retry_after(response))
                return take(response)
        except httpx.TransportError as error:
            self._check_deadline()
            raise _TransientError(f"could not be read: {error or type(error).__name__}") from error
        except httpx.InvalidURL as error:
            raise self.origin.error(f"cannot be asked for: {error}") from error

    def _ask(self, question: Question) -> httpx.Response:
        """Return the open response, to where redirects lead; httpx keeps credentials from other hosts."""
        method = "GET" if question.content is None else "POST"
        request = self._client.build_request(method, self._url, headers=question.headers, content=question.content)
        for _ in range(1 + MOST_REDIRECTS):
            self._check_deadline()
            timeout = min(REQUEST_TIMEOUT_S, max(0.01, self._deadline.remaining()))
            request.extensions = {**request.extensions, "timeout": httpx.Timeout(timeout).as_dict()}
            response = self._client.send(request, stream=True)
            if response.next_request is None:
                return response
            response.close()
            request = response.next_request
        raise self.origin.error(f"redirects more than {MOST_REDIRECTS} times")

    def body(self, response: httpx.Response) -> Iterator[bytes]:
        """Yield the body's pieces as they come, stopping at the deadline however slowly they drip."""
        for piece in response.iter_raw():
            self._check_deadline()
            yield piece

    def _check_deadline(self) -> None:
        if self._deadline.remaining() <= 0:
            raise self.origin.error(f"was not read within {self._deadline.seconds:g} s: the upstream is slow")


def _address(origin: Origin, url: str | httpx.URL) -> httpx.URL:
    try:
        address = httpx.URL(url)
        _ = address.host, address.port
    except (httpx.InvalidURL, ValueError) as error:
        raise origin.error("is no address that can be asked") from error
    return address


def _retry_after(response: httpx.Response) -> float:
    value = response.headers.get("Retry-After", "")
    if value.isascii() and value.isdigit():
        return min(float(value), LONGEST_PAUSE_S)
    try:
        return min(max(0.0, parsedate_to_datetime(value).timestamp() - time.time()), LONGEST_PAUSE_S)
    except (ValueError, OverflowError):  # no date, or one of no calendar
        return 0.0


class HttpRanges:
    """A file behind a server that serves byte ranges; every range is of the file first seen."""

    def __init__(self, requests: Requests, first: httpx.Response, head: bytes, size: int) -> None:
        self.origin = requests.origin
        self.size = size
        self.etag: str | None = first.headers.get("ETag")
        self._modified: str | None = first.headers.get("Last-Modified")
        self._requests = requests
        self._head = head
        self._condition: dict[str, str] = {}
        if self.etag and not self.etag.startswith("W/"):  # a weak tag never matches If-Match
            self._condition = {"If-Match": self.etag}
        elif self._modified:
            self._condition = {"If-Unmodified-Since": self._modified}

    def read(self, offset: int, length: int) -> bytes | bytearray:
        """Return exactly `length` bytes from `offset` of the file that was opened."""
        if offset + length > self.size:
            raise self.origin.error(f"ends at byte {self.size}, {offset + length} are needed: it is truncated")
        if offset + length <= len(self._head):
            return self._head[offset : offset + length]
        headers = {"Range": f"bytes={offset}-{offset + length - 1}", **self._condition}
        return self._requests.get(headers, lambda response: self._take(response, offset, length))

    def _take(self, response: httpx.Response, offset: int, length: int) -> bytearray:
        status = response.status_code
        if status in (404, 410):
            raise self.origin.error("vanished while it was being read")
        if status in (200, 412, 416):
            raise self.origin.error("was replaced while it was being read")
        if status != 206:
            raise self.origin.error(f"answered HTTP {status} to a range request")
        start, end, size = _content_range(self.origin, response)
        now = (size, response.headers.get("ETag"), response.headers.get("Last-Modified"))
        if now != (self.size, self.etag, self._modified):
            raise self.origin.error("was replaced while it was being read")
        data = bytearray()
        for piece in self._requests.body(response):
            data += piece
        if (start, end - start + 1, len(data)) != (offset, length, length):
            raise self.origin.error(f"answered {len(data)} bytes where {length} from {offset} were asked for")
        return data

    def close(self) -> None:
        """Nothing to do: the connection belongs to the client."""


def _open_http(origin: Origin, requests: Requests) -> Ranges:
    def take(response: httpx.Response) -> Ranges:
        status = response.status_code
        if status in (404, 410):
            raise origin.absent(f"answered HTTP {status}: the upstream does not hold this cycle")
        if status == 416:
            raise origin.error("is empty (0 bytes)")
        if status == 200:
            return _copy(origin, requests, response)
        if status != 206:
            raise origin.error(f"answered HTTP {status}")
        start, end, size = _content_range(origin, response)
        head = b"".join(requests.body(response))
        if start != 0 or len(head) != end + 1:
            raise origin.error(f"answered {len(head)} bytes where {end + 1} were announced")
        return HttpRanges(requests, response, head, size)

    return requests.get({"Range": f"bytes=0-{BLOCK - 1}"}, take)


def _content_range(origin: Origin, response: httpx.Response) -> tuple[int, int, int]:
    match = _CONTENT_RANGE.match(response.headers.get("Content-Range", ""))
    if match is None:
        raise origin.error("answered a range request without a usable Content-Range header")
    return int(match[1]), int(match[2]), int(match[3])


def _copy(origin: Origin, requests: Requests, response: httpx.Response) -> LocalRanges:
    """Stream a whole file once to a temporary one: its server serves no ranges."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - LocalRanges closes it
    try:
        for piece in requests.body(response):
            file.write(piece)
        file.flush()
        return LocalRanges(origin, file, response.headers.get("ETag"))
    except (SourceError, httpx.HTTPError):
        file.close()
        raise
    except OSError as error:
        file.close()
        raise origin.error(f"could not be copied to a temporary file: {error.strerror}") from error
