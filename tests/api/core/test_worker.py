"""A worker as `solflis serve` starts it: an inherited socket, a graceful end, and nothing heavy in it."""

import http.client
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import orjson
import pytest

from api.horizon.formats.registry import FORMATS
from infra.serve import GRACE_S
from tests.api.fabricated import CYCLE
from tests.support.coverages import Coverages
from tests.support.place_search import PlaceSearches
from tests.support.worker import until, workers

NOW = CYCLE.isoformat() + "!"
HEAVY = {"airflow", "pandas", "xarray", "pvlib", "matplotlib", "zarr", "h5py", "rasterio", "mcp_types"}


@contextmanager
def odd_worker(
    state: Path, store: Path, log: Path, **settings: str
) -> Iterator[tuple[str, Callable[[], subprocess.Popen[bytes]]]]:
    """Run one worker with quotas; yield its address, and what has it end."""
    with workers(0, str(store), state, NOW, log, ACCESS="keys", **settings) as running:
        process = running.start("tests.api.core.odd_worker")

        def end() -> subprocess.Popen[bytes]:
            process.send_signal(signal.SIGTERM)
            return process

        yield running.url, end


def test_garbage_of_requests_is_collected_and_what_start_up_made_is_never_walked(
    state: Path, store: Path, tmp_path: Path
) -> None:
    with odd_worker(state, store, tmp_path / "log") as (url, _):
        enabled, frozen = until(url, "/collector", 200).json()
        assert enabled
        assert frozen > 50_000


def test_requests_that_outlive_the_end_are_answered_before_the_parent_kills(
    state: Path, store: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with odd_worker(state, store, log) as (url, end):
        until(url, "/health", 200)
        hangs, stubborn = [http.client.HTTPConnection(url.removeprefix("http://"), timeout=20) for _ in range(2)]
        hangs.request("GET", "/hang")
        stubborn.request("GET", "/stubborn")
        while log.read_text().count("it hangs") < 2:
            time.sleep(0.02)
        begun = time.monotonic()
        process = end()
        assert hangs.getresponse().status == 503
        assert process.wait(20) == 0
        assert time.monotonic() - begun < GRACE_S - 1  # the last second is the ledger's
        with pytest.raises(http.client.RemoteDisconnected):
            stubborn.getresponse()
        hangs.close()
        stubborn.close()
    assert '"endpoint":"/hang","status":503' in log.read_text(), "its line is written at the end"


def test_nothing_heavy_is_loaded_after_one_request_to_every_route(
    state: Path, full_store: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with Coverages() as heights, PlaceSearches() as searches, ExitStack() as stack:
        urls = {"KARTVERKET_WCS_URL": heights.url, "KARTVERKET_ADRESSER_URL": searches.url}
        url, end = stack.enter_context(odd_worker(state, full_store, log, **urls))
        paths = until(url, "/openapi.json", 200).json()["paths"]
        client = httpx.Client(base_url=url, timeout=120)
        examples = [
            e for item in paths.values() for operation in item.values() for e in operation.get("x-examples", ())
        ]
        for example in (*examples, "/api/forecast", "/nowhere", "/api/forecast?lat=70&lon=20"):
            client.get(example)
        for path in ("/api/pv/calc", "/api/horizon/terrain", "/api/snowload/calc"):
            pictured = next(e for e in examples if e.startswith(path)) + "&format=png"
            assert client.get(pictured).content.startswith(b"\x89PNG")
        for form in FORMATS:
            assert client.get(f"/api/horizon/terrain?lat=59.91&lon=10.75&format={form}").status_code == 200
        for path, item in paths.items():
            if path.startswith("/api/forecast") and "post" in item:
                example = item["post"]["requestBody"]["content"]["application/json"]["example"]
                assert client.post(path, json=example).status_code in (200, 403, 503)
        place = {"lat": 59.91, "lon": 10.75}
        params = {"name": "pv_produksjon", "arguments": place}
        called = client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        assert "isError" not in called.json()["result"]
        for form in ("json", "csv", "png"):
            assert client.post(f"/api/horizon/rooftop?format={form}", json=place).status_code == 200
        end().wait(60)
    # Behind it libraries may say something of their own.
    last = [line for line in log.read_text().splitlines() if '"message":"loaded ' in line][-1]
    loaded = set(orjson.loads(last)["message"].split())
    assert {"loaded", "aiohttp"} <= loaded
    assert not loaded & HEAVY


@pytest.mark.parametrize(("variable", "value"), [("CLOCK", "yesterday"), ("SNOWLOAD_TABLE", "none.csv")])
def test_a_bad_setting_ends_it_with_one_sentence(
    state: Path, store: Path, tmp_path: Path, variable: str, value: str
) -> None:
    log = tmp_path / "log"
    with workers(0, str(store), state, NOW, log) as running:
        assert running.start(**{f"SOLFLIS_{variable}": value}).wait(60) == os.EX_CONFIG
    [line] = log.read_text().splitlines()
    assert value in line
