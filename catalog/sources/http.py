"""HTTP requests to an authority: one client, one total deadline, retries with backoff, redirects by hand.

A timeout of httpx is for one read of a socket, and a head may come in a hundred thousand of them. So every read is
given no more than what is left of the deadline that its thread works under.
"""

import logging
import ssl
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from contextvars import ContextVar
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any, TypeVar

import httpcore
import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception_type

from catalog.sources.errors import Origin, Throttled

ATTEMPTS = 4
MOST_REDIRECTS = 5
FIRST_WAIT_S = 0.5
LONGEST_PAUSE_S = 86_400.0
"""What a source is believed of how long it wants to be left alone: a day."""

REQUEST_TIMEOUT_S = 30.0

# httpx tells the log every address in full: passwords, keys and coordinates included.
logging.getLogger("httpx").setLevel(logging.WARNING)

T = TypeVar("T")
Explain = Callable[[httpx.Response], str]
"""Returns the explanation in an answer of 429 or 5xx, for the error text; raises where no retry helps."""


class Deadline:
    """The moment by which all that belongs together must have been read."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """Seconds left; negative when it has passed."""
        return self._end - time.monotonic()

    def at_most(self, seconds: float) -> float:
        """Return so many seconds, or those that are left."""
        return max(0.0, min(seconds, self.remaining()))

    def check(self, origin: Origin) -> None:
        """Raise `SourceError` when it has passed."""
        if self.remaining() <= 0:
            raise origin.error(f"was not read within {self.seconds:g} s: the upstream is slow")


_deadline: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


class _TransientError(Exception):
    """Worth another attempt."""

    def __init__(self, what: str, retry_after: float = 0.0) -> None:
        super().__init__(what)
        self.retry_after = retry_after


class _Bounded:
    """A network backend of httpcore, or one of its streams, whose reads end by the deadline of their thread."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data: bytes = self._inner.read(max_bytes, _left(timeout))
        return data

    def connect_tcp(self, *where: Any, timeout: float | None = None, **how: Any) -> "_Bounded":
        return _Bounded(self._inner.connect_tcp(*where, timeout=_left(timeout), **how))

    def start_tls(self, *how: Any, timeout: float | None = None, **more: Any) -> "_Bounded":
        return _Bounded(self._inner.start_tls(*how, timeout=_left(timeout), **more))


def _left(timeout: float | None) -> float | None:
    deadline = _deadline.get()
    if deadline is None:
        return timeout
    left = deadline.remaining()
    if left <= 0:
        raise httpcore.ReadTimeout("the deadline has passed")
    return left if timeout is None else min(left, timeout)


def make_client(user_agent: str) -> httpx.Client:
    """Return the one HTTP client of a cycle; `user_agent` must name the caller, as the authorities demand."""
    if not user_agent.strip():
        raise ValueError("a User-Agent that names the caller is mandatory")
    # a contact may have letters that no header takes
    headers = {"User-Agent": user_agent.encode("ascii", "replace").decode(), "Accept-Encoding": "identity"}
    # redirects are followed by `request`: httpx would read the whole body of each, however long it is
    client = httpx.Client(headers=headers, follow_redirects=False, verify=_trust(), timeout=REQUEST_TIMEOUT_S)
    # TRAP: httpx hands no network backend on, so it is put into its pools (proxies of the environment have their own)
    for transport in (client._transport, *client._mounts.values()):
        if isinstance(transport, httpx.HTTPTransport):
            pool: Any = transport._pool
            pool._network_backend = _Bounded(pool._network_backend)
    return client


@cache
def _trust() -> ssl.SSLContext:
    """Return whom connections trust: to read all those certificates takes 20 ms, and an archive has many files."""
    return httpx.create_ssl_context()


def without_credentials(url: str) -> str:
    """Return an address (or a folder) as sentences and logs may show it: without user and password."""
    scheme, mark, rest = url.partition("://")
    place, slash, path = rest.partition("/")
    return f"{scheme}{mark}{place.rpartition('@')[2]}{slash}{path}" if mark else url


def request(
    origin: Origin,
    url: str | httpx.URL,
    client: httpx.Client,
    deadline: Deadline,
    take: Callable[[httpx.Response], T],
    *,
    headers: Mapping[str, str],
    content: bytes | None = None,
    explain: Explain | None = None,
) -> T:
    """Return what `take` makes of the open response, asked for again after a passing fault.

    Parameters
    ----------
    origin : Origin
        What sentences name.
    url : str or httpx.URL
    client : httpx.Client
        Of `make_client`.
    deadline : Deadline
        For all of it, waits between attempts included.
    take : callable
        Takes every response but 429 and 5xx, once for each attempt; it reads the body by `iter_raw`.
    headers : mapping of str to str
    content : bytes, optional
        What is posted; it must change nothing there, for it may be sent again. A GET where absent.
    explain : Explain, optional

    Raises
    ------
    Throttled
        The upstream says when to come back, and that is too late.
    SourceError
        Anything else, and what `take` raises.
    """
    try:
        first = client.build_request("GET" if content is None else "POST", url, headers=headers, content=content)
        _ = first.url.host, first.url.port
    except (httpx.InvalidURL, ValueError) as error:
        raise origin.error("is no address that can be asked") from error

    def attempt() -> T:
        holding = _deadline.set(deadline)
        try:
            with closing(_send(origin, client, first, deadline)) as response:
                status = response.status_code
                if status == 429 or status >= 500:
                    why = explain(response) if explain else ""
                    raise _TransientError(f"answered HTTP {status}{why}", _retry_after(response))
                return take(response)
        except httpx.TransportError as error:
            deadline.check(origin)
            raise _TransientError(f"could not be read: {error or type(error).__name__}") from error
        except httpx.InvalidURL as error:
            raise origin.error(f"cannot be asked for: {error}") from error
        finally:
            _deadline.reset(holding)

    def wait(state: RetryCallState) -> float:
        failure = state.outcome.exception() if state.outcome else None
        asked = failure.retry_after if isinstance(failure, _TransientError) else 0.0
        return max(asked, FIRST_WAIT_S * 2.0 ** (state.attempt_number - 1))

    def stop(state: RetryCallState) -> bool:
        return state.attempt_number >= ATTEMPTS or deadline.remaining() <= state.upcoming_sleep

    retrying = Retrying(retry=retry_if_exception_type(_TransientError), wait=wait, stop=stop, reraise=True)
    try:
        return retrying(attempt)
    except _TransientError as fault:
        sentence = origin.error(f"{fault} ({retrying.statistics['attempt_number']} attempts)")
        raise (Throttled(str(sentence), fault.retry_after) if fault.retry_after > 0 else sentence) from fault


def _send(origin: Origin, client: httpx.Client, request: httpx.Request, deadline: Deadline) -> httpx.Response:
    """Return the open response, to where redirects lead; httpx keeps credentials from other hosts."""
    for _ in range(1 + MOST_REDIRECTS):
        deadline.check(origin)
        response = client.send(request, stream=True)
        if response.next_request is None:
            return response
        response.close()
        request = response.next_request
    raise origin.error(f"redirects more than {MOST_REDIRECTS} times")


def _retry_after(response: httpx.Response) -> float:
    value = response.headers.get("Retry-After", "")
    if value.isascii() and value.isdigit():
        return min(float(value), LONGEST_PAUSE_S)
    try:
        return min(max(0.0, parsedate_to_datetime(value).timestamp() - time.time()), LONGEST_PAUSE_S)
    except (ValueError, OverflowError):  # no date, or one of no calendar
        return 0.0
