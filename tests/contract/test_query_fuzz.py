"""Whatever a query string holds: never a 500, and every 400 in the words of the contract."""

import http.client
from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.api.fabricated import CYCLE, entry, hydrate, write_index
from tests.support.worker import until, worker

BEGINNINGS = (
    "GET: provide ?lat=&lon= or ?site=jegerveien.",
    "Location outside Norway coverage (57-72N, 4-32E)",
    "Parameteren ",
)
RAW = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters="#"), max_size=60)


Ask = Callable[[str], tuple[int, Any]]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Ask a worker; return status and body."""
    folder = tmp_path_factory.mktemp("fuzz")
    hydrate(folder / "state", entry())
    write_index(folder / "tiles", entry())
    with worker(str(folder / "tiles"), folder / "state", f"{CYCLE.isoformat()}!", folder / "log") as url:
        until(url, "/api/forecast/latest", 200)
        connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)

        def asking(path: str) -> tuple[int, Any]:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, orjson.loads(answer.read())

        yield asking


def check(status: int, body: Any) -> None:
    """Hold an answer to the contract."""
    assert status in (200, 400, 401, 403, 503), body
    if status == 200:
        assert len(body["ghi_timeseries"]) == 66
        assert 57 <= body["latitude"] <= 72
        assert 4 <= body["longitude"] <= 32
        return
    assert {"error", "code"} <= set(body) <= {"error", "code", "parameter", "build", "nearest"}
    if status == 400:
        assert body["error"].startswith(BEGINNINGS)
    if status == 503:
        assert body["error"].startswith("No forecast data available")


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RAW)
@example("lat=%&lon=%zz")
@example("%ff=%fe&lat=%80")
@example("lat=1e308&lon=-0.0")
@example("lat=59.91&lon=10.75;daily=true")
@example("&".join(f"p{i}=1" for i in range(900)))
def test_raw_strings(ask: Ask, raw: str) -> None:
    check(*ask(f"/api/forecast?{raw}"))
