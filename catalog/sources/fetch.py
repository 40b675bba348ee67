"""A whole answer over HTTP (JSON, a small file), bounded in size and time; `http.py` has the retries and the waits.

    with make_client(user_agent) as client:
        answer = fetch("frost", url, client, Deadline(20), max_bytes=5_000_000, params={"types": "SensorSystem"})

`answer.body` is None where what the caller has is still good (304 to `etag` or `modified`). Parameters stay out of
every sentence.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from catalog.sources.errors import Origin
from catalog.sources.http import Deadline, request, without_credentials

_LONG_PAST = datetime(1970, 1, 1, tzinfo=UTC)
_ABSENT = (404, 410)
_GOOD = (200, 203)  # 203: the same content; some authorities say so that the address is to be withdrawn
# As much of an error's body as anybody looks at.
_EXPLAINED = 65_536
_REFUSALS = {
    401: "the upstream does not know these credentials",
    403: "the upstream refuses this User-Agent, these credentials or this address",
}


Explain = Callable[[bytes], str]
"""Returns what the body of an error says, empty where it says nothing."""


@dataclass(frozen=True)
class Answer:
    """What an upstream answered.

    Parameters
    ----------
    body : bytes or None
        None for 304: what the caller holds is still good.
    etag, modified : str or None
        Of the answer, as they go into the next `fetch`.
    expires : datetime or None
        Until when the upstream does not want to be asked again, by its clock; None where it does not say.
    """

    body: bytes | None
    etag: str | None
    modified: str | None
    expires: datetime | None


def fetch(
    source: str,
    url: str,
    client: httpx.Client,
    deadline: Deadline,
    *,
    max_bytes: int,
    params: Mapping[str, str] | None = None,
    etag: str | None = None,
    modified: str | None = None,
    absent: tuple[int, ...] = _ABSENT,
    content: bytes | None = None,
    explain: Explain | None = None,
    bearer: str = "",
) -> Answer:
    """Read a whole answer, again after 429, 5xx and broken connections (with backoff, `Retry-After` is honoured).

    Parameters
    ----------
    source : str
        Whose name begins every sentence.
    url : str
        http or https.
    client : httpx.Client
        Of `http.make_client`, which demands a User-Agent; it may be shared between threads.
    deadline : Deadline
        For all of it, waits between attempts included.
    max_bytes : int
        A longer body is refused as soon as it is seen to be longer.
    params : mapping of str to str, optional
        More of the query; it appears in no sentence.
    etag, modified : str, optional
        ETag and Last-Modified of what the caller holds: the answer may be 304.
    absent : tuple of int
        Status codes by which this upstream says that it holds nothing there.
    content : bytes, optional
        JSON that is posted: a question that is too long for an address, and may be asked again.
    explain : callable, optional
        Told the body (its first 64 kB) of an answer of 400 and above that is not `absent`; what it returns is
        said in the sentence. It raises where the answer is final though its status is one to try again.
    bearer : str
        Token of the header `Authorization`; another host to which the upstream redirects does not get it.

    Raises
    ------
    NotYetAvailable
        One of `absent`.
    Throttled
        The upstream says when to come back, and that is too late.
    SourceError
        Anything else: one sentence, without credentials and query.
    """
    origin = Origin(source, without_credentials(url.partition("?")[0]))
    if not url.lower().startswith(("http://", "https://")):
        raise origin.error("is no HTTP address")
    kind = "application/json" if content is not None else None
    token = f"Bearer {bearer}" if bearer else None
    fields = (
        ("If-None-Match", etag), ("If-Modified-Since", modified), ("Content-Type", kind), ("Authorization", token)
    )  # fmt: skip
    head = {name: value for name, value in fields if value}

    def why(response: httpx.Response) -> str:
        said = explain(_begin(response, _EXPLAINED)) if explain and response.status_code >= 400 else ""
        return f": {said}" if said else ""

    def take(response: httpx.Response) -> Answer:
        status, said = response.status_code, response.headers
        if status in absent:
            raise origin.absent(f"answered HTTP {status}: the upstream does not hold this")
        if status == 304 and (etag or modified):
            body = None
        elif status not in _GOOD:
            known = _REFUSALS.get(status)
            raise origin.error(f"answered HTTP {status}" + (f": {known}" if known else why(response)))
        elif said.get("Content-Encoding", "identity") != "identity":
            raise origin.error("answered in an encoding that was not asked for")
        elif len(body := _begin(response, max_bytes + 1)) > max_bytes:
            raise origin.error(f"answered more than {max_bytes} bytes: too much to be what was asked for")
        return Answer(body, said.get("ETag"), said.get("Last-Modified"), _moment(said.get("Expires")))

    where = _with(url, params)
    return request(origin, where, client, deadline, take, headers=head, content=content, explain=why)


def _begin(response: httpx.Response, length: int) -> bytes:
    """Return the body, or so many bytes of its beginning."""
    body = bytearray()
    for piece in response.iter_raw():
        body += piece
        if len(body) >= length:
            break
    return bytes(body[:length])


def _with(url: str, params: Mapping[str, str] | None) -> str | httpx.URL:
    try:
        return httpx.URL(url).copy_merge_params(dict(params)) if params else url
    except httpx.InvalidURL:
        return url  # `request` refuses it in a sentence


def _moment(value: str | None) -> datetime | None:
    """Return the moment of an HTTP date: None where there is none, long past where it is no date (`0`; RFC 9111)."""
    if value is None:
        return None
    try:
        moment = parsedate_to_datetime(value)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):  # no date, or one of no calendar
        return _LONG_PAST
