"""Whatever a query string holds: never a 500, and every 400 in the words of the contract."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import orjson
import pytest
from aiohttp import ClientSession, web
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from yarl import URL

from api.app import create_app
from api.serving import Runner
from api.settings import Settings
from catalog.sources.registry import SOURCES
from tests.api.fabricated import CYCLE, entry, hydrate, write_index
from tiles.clock import Clock

BEGINNINGS = (
    "GET: provide ?lat=&lon= or ?site=jegerveien.",
    "Location outside Norway coverage (57-72N, 4-32E)",
    "Parameteren ",
)
NAMES = ("lat", "lon", "site", "model", "daily", "extended", "snow", "precise", "v23b", "corrected", "fresh", "api_key")
VALUES = st.one_of(
    st.sampled_from(
        ["59.91", "10.75", "true", "1", "0", "false", "v1", "v23b", "jegerveien", "inf", "nan", "1_0", "٣", ""]
    ),
    st.floats().map(repr),
    st.integers().map(str),
    st.text(max_size=30),
)
PAIRS = st.lists(st.tuples(st.one_of(st.sampled_from(NAMES), st.text(max_size=8)), VALUES), max_size=6)
RAW = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters="#"), max_size=60)


class Server:
    """An application on a loop of its own, so that Hypothesis's functions can be plain ones."""

    def __init__(self, folder: Path) -> None:
        hydrate(folder / "state", entry())
        write_index(folder / "tiles", entry())
        clock = Clock.parse(CYCLE.isoformat() + "!")
        self._loop = asyncio.new_event_loop()
        nobody = dict.fromkeys(SOURCES, "http://127.0.0.1:9")
        settings = Settings(
            str(folder / "tiles"),
            folder / "state",
            clock,
            access="open",
            urls=nobody,
        )
        self._runner = Runner(create_app(settings), shutdown_timeout=1)
        self._loop.run_until_complete(self._start())

    async def _start(self) -> None:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self._session = ClientSession()
        self._url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    def ask(self, path: str) -> tuple[int, Any]:
        """Return status and body."""

        async def asking() -> tuple[int, bytes]:
            async with self._session.get(URL(self._url + path, encoded=True)) as answer:
                return answer.status, await answer.read()

        status, body = self._loop.run_until_complete(asking())
        return status, orjson.loads(body)

    def close(self) -> None:
        """Stop."""
        self._loop.run_until_complete(self._session.close())
        self._loop.run_until_complete(self._runner.cleanup())
        self._loop.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running application."""
    running = Server(tmp_path_factory.mktemp("fuzz"))
    yield running
    running.close()


def check(status: int, body: Any) -> None:
    """Hold an answer to the contract."""
    assert status in (200, 400, 401, 403, 503), body
    if status == 200:
        assert len(body["ghi_timeseries"]) == 66
        assert 57 <= body["latitude"] <= 72
        assert 4 <= body["longitude"] <= 32
        return
    assert list(body) == ["error"]
    if status == 400:
        assert body["error"].startswith(BEGINNINGS)
    if status == 503:
        assert body["error"].startswith("No forecast data available")


FUZZ = settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])


@FUZZ
@given(PAIRS)
@example([("lat", "59.91"), ("lon", "10.75")])
@example([("lat", "1e308"), ("lon", "-0.0")])
@example([("lat", "\ud800")])
def test_named_parameters(server: Server, pairs: list[tuple[str, str]]) -> None:
    raw = "&".join(f"{quote(n.encode(errors='replace'))}={quote(v.encode(errors='replace'))}" for n, v in pairs)
    check(*server.ask(f"/api/forecast?{raw}"))


@FUZZ
@given(RAW)
@example("lat=%&lon=%zz")
@example("%ff=%fe&lat=%80")
@example("lat=59.91&lon=10.75;daily=true")
@example("&".join(f"p{i}=1" for i in range(900)))
def test_raw_strings(server: Server, raw: str) -> None:
    check(*server.ask(f"/api/forecast?{raw}"))


@FUZZ
@given(st.floats(56, 73), st.floats(3, 33))
def test_points(server: Server, lat: float, lon: float) -> None:
    status, body = server.ask(f"/api/forecast?lat={lat}&lon={lon}")
    check(status, body)
    inside = 57 <= lat <= 72 and 4 <= lon <= 32
    assert (status == 400) == (not inside)
    if status == 200:
        assert (body["latitude"], body["longitude"]) == (lat, lon)
