"""A server that misbehaves, or a file that changes while it is read: outlived, or one clear sentence."""

import gc
import time
from pathlib import Path

import h5py
import httpx
import pytest

from catalog.sources import http, met_nordic
from catalog.sources.errors import NotYetAvailable, SourceError, Throttled
from catalog.sources.http import _retry_after, without_credentials
from tests.support.http_files import Drip, FileServer, Request, Status, Truncate
from tests.support.netcdf import CYCLE, MadeUp, met_nordic_path, write
from tests.support.reading import LARGE, read, sentence


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)


def served(server: FileServer, data: bytes) -> str:
    path = "/" + str(met_nordic_path(Path()))
    server.put(path, data)
    return path


def content(tmp_path: Path, made: MadeUp = LARGE) -> bytes:
    return write(tmp_path / "made.nc", made).read_bytes()


def test_absent(tmp_path: Path) -> None:
    assert "does not exist" in sentence(tmp_path, NotYetAvailable)
    with FileServer() as server:
        assert "HTTP 404: the upstream does not hold this" in sentence(server.url, NotYetAvailable)


def test_nobody_listens() -> None:
    with FileServer() as server:
        url = server.url
    assert "could not be read" in sentence(url)
    assert "attempts" in sentence(url)


@pytest.mark.parametrize("status", [400, 401, 403])
def test_refused(status: int, tmp_path: Path) -> None:
    with FileServer() as server:
        path = served(server, content(tmp_path))
        server.fail(path, Status(status))
        assert f"answered HTTP {status}" in sentence(server.url)
        assert len(server.requests) == 1


@pytest.mark.parametrize("status", [500, 503, 429])
def test_passing_faults_are_outlived(status: int, tmp_path: Path) -> None:
    with FileServer() as server:
        path = served(server, content(tmp_path))
        server.fail(path, Status(status, {"Retry-After": "0"}), times=2)
        assert read(server.url) == LARGE.steps


def test_garbage_of_hdf5_does_not_stop_the_server(tmp_path: Path) -> None:
    data = content(tmp_path)
    circle: list[object] = [h5py.File(tmp_path / "made.nc")]
    circle.append(circle)
    kept = [circle]
    del circle
    with FileServer() as server:
        served(server, data)

        def collect_as_the_interpreter_may(_: Request) -> None:
            if gc.isenabled() and len(server.requests) == 2:  # the first is asked before HDF5 reads
                kept.clear()
                gc.collect()

        server.before(collect_as_the_interpreter_may)
        assert read(server.url, deadline_s=5) == LARGE.steps
    assert gc.isenabled()


def test_lasting_500(tmp_path: Path) -> None:
    with FileServer() as server:
        server.fail(served(server, content(tmp_path)), Status(500))
        assert "answered HTTP 500 (4 attempts)" in sentence(server.url)


def test_retry_after_beyond_the_deadline_is_not_waited_for(tmp_path: Path) -> None:
    with FileServer() as server:
        server.fail(served(server, content(tmp_path)), Status(503, {"Retry-After": "3600"}))
        begun = time.monotonic()
        assert "answered HTTP 503 (1 attempts)" in sentence(server.url, Throttled)
        assert time.monotonic() - begun < 10


def test_retry_after_is_honoured(tmp_path: Path) -> None:
    with FileServer() as server:
        server.fail(served(server, content(tmp_path)), Status(429, {"Retry-After": "1"}), times=1)
        begun = time.monotonic()
        assert read(server.url) == LARGE.steps
        assert time.monotonic() - begun >= 1.0


@pytest.mark.parametrize("ranges", [True, False], ids=["ranges", "no ranges"])
def test_slow_beyond_the_deadline(ranges: bool, tmp_path: Path) -> None:
    with FileServer(ranges=ranges) as server:
        server.fail(served(server, content(tmp_path)), Drip(0.05))
        begun = time.monotonic()
        assert "was not read within 0.4 s: the upstream is slow" in sentence(server.url, deadline_s=0.4)
        assert time.monotonic() - begun < 5


@pytest.mark.parametrize("ranges", [True, False], ids=["ranges", "no ranges"])
def test_bodies_that_break_off(ranges: bool, tmp_path: Path) -> None:
    with FileServer(ranges=ranges) as server:
        path = served(server, content(tmp_path))
        server.fail(path, Truncate(1000), times=2)
        assert read(server.url) == LARGE.steps
        server.fail(path, Truncate(1000))
        assert "could not be read" in sentence(server.url)


@pytest.mark.parametrize("etags", [True, False], ids=["etag", "no etag"])
@pytest.mark.parametrize("vanishes", [True, False], ids=["vanishes", "replaced"])
def test_a_file_that_changes_midway(etags: bool, vanishes: bool, tmp_path: Path) -> None:
    with FileServer(etags=etags) as server:
        path = served(server, content(tmp_path))
        other = content(tmp_path, MadeUp(nx=300, ny=200, steps=7))

        def change(request: Request) -> None:
            if len(server.requests) == 4:
                if vanishes:
                    del server.state.files[path]
                else:
                    server.put(path, other)

        server.before(change)
        says = "vanished" if vanishes else "was replaced"
        assert f"{says} while it was being read" in sentence(server.url)


def test_a_local_file_rewritten_in_place_midway(tmp_path: Path) -> None:
    path = write(met_nordic_path(tmp_path), LARGE)
    with met_nordic.open_cycle(str(tmp_path), CYCLE, user_agent="tests", deadline_s=20) as cycle:
        steps = cycle.instants()
        next(steps)
        with path.open("r+b") as file:
            file.truncate(5000)
        with pytest.raises(SourceError, match="was replaced while it was being read"):
            list(steps)


def test_credentials_in_a_url_stay_out_of_sentences(tmp_path: Path) -> None:
    with FileServer() as server, pytest.raises(NotYetAvailable) as caught:
        read(server.url.replace("http://", "http://user:secret@"))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("url", ["http://\x01", "http://xn--"])
def test_what_is_no_address_is_one_sentence(url: str) -> None:
    with pytest.raises(SourceError, match="is no address that can be asked"):
        read(url)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:p%20w@host:1/a/b@c", "https://host:1/a/b@c"),
        ("http://user@host", "http://host"),
        ("http://host/a", "http://host/a"),
        ("/data/user:x@y/z", "/data/user:x@y/z"),
    ],
)
def test_an_address_is_shown_without_credentials(url: str, shown: str) -> None:
    assert without_credentials(url) == shown


@pytest.mark.parametrize("value", ["\xb2", "", "soon", "Wed, 21 Oct 99999 07:28:00 GMT"])
def test_a_senseless_retry_after_is_none(value: str) -> None:
    response = httpx.Response(503, headers=[(b"Retry-After", value.encode("latin-1"))])
    assert _retry_after(response) == 0


@pytest.mark.parametrize("value", ["9" * 400, "86401", "Wed, 21 Oct 2099 07:28:00 GMT"])
def test_nobody_is_left_alone_for_more_than_a_day(value: str) -> None:
    assert _retry_after(httpx.Response(503, headers={"Retry-After": value})) == 86_400


def test_other_protocols_are_refused() -> None:
    with pytest.raises(SourceError, match="s3 is not supported"):
        read("s3://bucket/there")
