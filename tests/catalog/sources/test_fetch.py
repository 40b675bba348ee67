"""A whole answer over HTTP: what is asked, what is refused, and what an operator reads about it."""

import logging
import time
from datetime import UTC, datetime
from typing import Any

import pytest

from catalog.sources import http
from catalog.sources.errors import NotYetAvailable, SourceError, Throttled
from catalog.sources.fetch import Answer, fetch
from catalog.sources.http import Deadline, make_client
from tests.support.http_files import Drip, FileServer, Status, Truncate

BODY = b'{"a": 1}'


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)


def get(url: str, seconds: float = 5.0, **more: Any) -> Answer:
    with make_client("solflis-test (test@example.com)") as client:
        return fetch("test", url, client, Deadline(seconds), **{"max_bytes": 100, **more})


def sentence(url: str, kind: type[SourceError] = SourceError, **more: Any) -> str:
    with pytest.raises(kind) as caught:
        get(url, **more)
    text = str(caught.value)
    assert text.startswith("test: ")
    assert "\n" not in text
    return text


def test_body_tags_and_the_question() -> None:
    with FileServer() as server:
        server.put("/f?lat=59.9&lon=10.7", BODY)
        answer = get(server.url + "/f", params={"lat": "59.9", "lon": "10.7"})
        assert answer.body == BODY
        assert answer.etag is not None
        assert answer.expires is None
        sent = server.requests[0].headers
    assert sent["User-Agent"] == "solflis-test (test@example.com)"
    assert not {"If-None-Match", "If-Modified-Since"} & set(sent)


def test_not_modified() -> None:
    with FileServer() as server:
        server.put("/f", BODY)
        server.fail("/f", Status(304, {"Expires": "Mon, 20 Jul 2020 12:16:23 GMT"}), times=1)
        answer = get(server.url + "/f", etag='"1"', modified="Mon, 20 Jul 2020 11:44:31 GMT")
        assert answer.body is None
        assert answer.expires == datetime(2020, 7, 20, 12, 16, 23, tzinfo=UTC)
        sent = server.requests[0].headers
        assert (sent["If-None-Match"], sent["If-Modified-Since"]) == ('"1"', "Mon, 20 Jul 2020 11:44:31 GMT")


def test_not_modified_without_having_asked() -> None:
    with FileServer() as server:
        server.put("/f", BODY)
        server.fail("/f", Status(304))
        assert "answered HTTP 304" in sentence(server.url + "/f")


@pytest.mark.parametrize("expires", ["0", "tomorrow", ""])
def test_an_expiry_that_is_none(expires: str) -> None:
    with FileServer() as server:
        server.put("/f", BODY)
        server.fail("/f", Status(304, {"Expires": expires}))
        told = get(server.url + "/f", etag='"1"').expires
        assert told is not None
        assert told.year == 1970, "what is no date is past"


@pytest.mark.parametrize("status", [400, 401, 403])
def test_refused_at_once(status: int) -> None:
    with FileServer() as server:
        server.put("/f", BODY)
        server.fail("/f", Status(status))
        assert f"answered HTTP {status}" in sentence(server.url + "/f")
        assert len(server.requests) == 1


def test_absent() -> None:
    with FileServer() as server:
        assert "HTTP 404" in sentence(server.url + "/f", NotYetAvailable)


@pytest.mark.parametrize("fault", [Status(429, {"Retry-After": "0"}), Status(503), Truncate(3)])
def test_passing_faults_are_outlived(fault: Status | Truncate) -> None:
    with FileServer() as server:
        server.put("/f", BODY)
        server.fail("/f", fault, times=2)
        assert get(server.url + "/f").body == BODY
        assert len(server.requests) == 3


def test_retry_after_is_obeyed() -> None:
    with FileServer() as server:
        server.put("/f", BODY)
        server.fail("/f", Status(429, {"Retry-After": "1"}), times=1)
        began = time.monotonic()
        assert get(server.url + "/f").body == BODY
        assert time.monotonic() - began >= 1


def test_who_is_sent_away_for_longer_than_he_has_time_does_not_wait() -> None:
    with FileServer() as server:
        server.put("/f", BODY)
        server.fail("/f", Status(429, {"Retry-After": "3600"}))
        began = time.monotonic()
        with pytest.raises(Throttled, match=r"answered HTTP 429 \(1 attempts\)") as caught:
            get(server.url + "/f")
        assert caught.value.seconds == 3600
        assert time.monotonic() - began < 2
        assert len(server.requests) == 1


def test_too_large() -> None:
    with FileServer() as server:
        server.put("/f", b"x" * 101)
        assert "more than 100 bytes" in sentence(server.url + "/f")


def test_dripping() -> None:
    with FileServer() as server:
        server.put("/f", BODY * 10)
        server.fail("/f", Drip(0.05))
        assert "was not read within 0.3 s" in sentence(server.url + "/f", seconds=0.3)


def test_what_is_secret_stays_out_of_sentences() -> None:
    with FileServer() as server:
        url = server.url.replace("http://", "http://kari:geheim@") + "/f?token=geheim"
        text = sentence(url, NotYetAvailable, params={"lat": "59.9"})
    assert "geheim" not in text
    assert "59.9" not in text


def test_no_address_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with FileServer() as server, caplog.at_level(logging.INFO):
        server.put("/f?lat=59.9", BODY)
        get(server.url + "/f", params={"lat": "59.9"})
    assert "59.9" not in caplog.text


@pytest.mark.parametrize("url", ["file:///etc/passwd", "/etc/passwd", "http://[::1", "http://x:99999999/"])
def test_no_address(url: str) -> None:
    sentence(url, params={"a": "1"})
