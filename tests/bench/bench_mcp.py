"""Tools over `POST /mcp` beside the routes that they ask: p50 of each, in turn, on one worker and one connection.

`made`: no two questions alike, so that each is calculated; `kept`: the same again and again. The bar is on p50: a tool
takes at most 1.5 ms more than its route. `tmy` asks two routes and is held against one.
"""

import http.client
import json
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from tests.bench.serving import BLOCK_OF_CELLS, PLACE, Server, national, process, publish_block
from tests.bench.timing import private_mb
from tests.support.horizon import publish_horizon
from tests.support.snow import publish_snow
from tests.support.snowload import publish_snowload, publish_squares
from tests.support.tmy import OSLO
from tests.support.worker import until
from tiles.store import open_store

POINT = {"lat": OSLO[0], "lon": OSLO[1]}
HEADERS = {"Content-Type": "application/json", "MCP-Protocol-Version": "2025-11-25"}
# Tilts differ by so much from question to question, degrees.
_STEP = 0.003

Arguments = dict[str, Any]


class Compared(NamedTuple):
    """A tool, its arguments for a tilt, and the request to its route for the same."""

    tool: str
    arguments: Callable[[float], Arguments]
    request: Callable[[float], tuple[str, str, Arguments | None]]


def _get(path: str, arguments: Arguments) -> tuple[str, str, None]:
    return "GET", f"{path}?{urlencode(arguments)}", None


def _plant(tilt: float) -> Arguments:
    return {**POINT, "peakpower": 8, "angle": tilt}


def _load(tilt: float) -> Arguments:
    return {**POINT, "variability": 1 + tilt / 90}


def _forecast(tilt: float) -> tuple[str, str, Arguments]:
    array = {"name": "flate_1", "kwp": 8, "tilt_deg": tilt, "azimuth_deg": 180}
    place = {"latitude": OSLO[0], "longitude": OSLO[1], "timezone": "Europe/Oslo"}
    return "POST", "/api/forecast", {**place, "arrays": [array]}


TOOLS = (
    Compared("pv_produksjon", _plant, lambda tilt: _get("/api/pv/calc", _plant(tilt))),
    Compared("tmy", lambda _: POINT, lambda _: _get("/api/tmy/stats", POINT)),
    Compared("snolast", _load, lambda tilt: _get("/api/snowload/calc", _load(tilt))),
    Compared("solprognose", _plant, _forecast),
)


class Client:
    """One connection; returns how long an answer takes, ms."""

    def __init__(self, server: Server) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=30)

    def took(self, method: str, path: str, body: Arguments | None) -> float:
        """Ask once."""
        sent = None if body is None else json.dumps(body).encode()
        begun = time.perf_counter()
        self._connection.request(method, path, sent, HEADERS if sent else {})
        answer = self._connection.getresponse()
        content = answer.read()
        ms = (time.perf_counter() - begun) * 1000
        assert answer.status == 200, content
        assert b'"isError":true' not in content, content
        return ms

    def called(self, tool: str, arguments: Arguments) -> float:
        """Call a tool once."""
        params = {"name": tool, "arguments": arguments}
        return self.took("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})


def compare(client: Client, one: Compared, pairs: int, step: float) -> None:
    """Ask route and tool in turn; print their p50."""
    route, tool = [], []
    for pair in range(pairs + 20):
        tilt = 20 + 2 * pair * step
        route.append(client.took(*one.request(tilt)))
        tool.append(client.called(one.tool, one.arguments(tilt + step)))
    p50 = median(route[20:]), median(tool[20:])
    kind = "made" if step else "kept"
    more = p50[1] - p50[0]
    print(f"{one.tool}, {kind}: route {p50[0]:.2f} ms, tool {p50[1]:.2f} ms, {more:+.2f} ms (bar 1.5)")


def measure(folder: Path, pairs: int = 400) -> None:
    """Print the figures."""
    environment = {**national(folder), "SOLFLIS_ACCESS": "open"}
    publish_block(folder)
    store = open_store(str(folder / "tiles"))
    publish_horizon(store)
    publish_snow(store, date(2026, 5, 31), BLOCK_OF_CELLS)
    publish_snowload(store)
    publish_squares(store, folder / "borders")
    with process(environment) as server:
        for path in (f"/api/pv/calc?{PLACE}", f"/api/forecast?{PLACE}", f"/api/snowload/calc?{PLACE}"):
            until(server.url, path, 200)
        client = Client(server)
        for one in TOOLS:
            for step in (_STEP, 0.0):
                compare(client, one, pairs, step)
        print(f"private memory: {private_mb(server.pids[0]):.0f} MB (of all routes: bar 260)")
