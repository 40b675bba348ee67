"""The tool server by itself, `solflis mcp`: the same answers, by an API that is asked over HTTP."""

import json
import os
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import ClientSession

from api.core.settings import Settings, SettingsError
from api.mcp.standalone import ToolServer
from tests.api.conftest import NOBODY, Api
from tests.api.mcp.conftest import ARGUMENTS, OSLO, SECRET, Server
from tests.support.http_server import Request, Status
from tests.support.http_server import Server as HttpServer
from tests.support.worker import Workers, until


@contextmanager
def standalone(folder: Path, api: str, **settings: str) -> Iterator[str]:
    """Run a worker of the tool server; yield its address."""
    ours = {"MCP_API": api, "BASE_URL": "https://sol.example.com", "STATE": str(folder), "SECRET": SECRET, **settings}
    environment = {**os.environ, **{f"SOLFLIS_{name}": value for name, value in ours.items()}}
    with socket.create_server(("127.0.0.1", 0)) as sock:
        running = Workers(sock, environment, folder / "log")
        running.start("api.mcp.worker")
        try:
            until(running.url, "/mcp", 405)
            yield running.url
        finally:
            running.stop()


@asynccontextmanager
async def asked(server: Server, url: str) -> AsyncIterator[Server]:
    """Yield the same, asked at another address."""
    async with ClientSession() as session:
        yield replace(server, api=Api(url, session, server.api.app))


async def test_answers_are_those_of_the_api(server: Server, tmp_path: Path) -> None:
    with standalone(tmp_path, server.api.url) as url:
        async with asked(server, url) as alone:
            assert (await alone.rpc("tools/list")).json == (await server.rpc("tools/list")).json
            for tool, arguments in ARGUMENTS.items():
                ours, theirs = await alone.call(tool, arguments), await server.call(tool, arguments)
                assert "isError" not in ours, (tool, ours)
                if tool == "tmy":
                    assert ours["structuredContent"]["nedlasting"].startswith("https://sol.example.com/api/tmy?")
                elif tool != "terrengkategori":  # tells of its job
                    links = server.api.app.settings.base_url, "https://sol.example.com"
                    assert json.dumps(ours) == json.dumps(theirs).replace(*links)
            assert "ikke gyldig" in await alone.refusal("solprognose", OSLO, headers={"X-API-Key": "sk_live_x"})
            assert "71.5" in await alone.refusal("pv_produksjon", {"lat": 80, "lon": 10})
            assert "/api/register" in await alone.refusal("solprognose", OSLO, key=False)
            assert (await alone.api.ask("/api/forecast")).status == 404
    assert server.key not in (tmp_path / "log").read_text()


async def test_search_with_signs_that_queries_encode(server: Server, tmp_path: Path) -> None:
    with standalone(tmp_path, server.api.url) as url:
        async with asked(server, url) as alone:
            for text in ("Tromsø", "Storgata 5 & co = 100 %+"):
                ours, theirs = [await one.call("adressesok", {"text": text}) for one in (alone, server)]
                assert ours == theirs
                assert ours["structuredContent"]["tekst"] == text


async def test_answers_that_are_none_of_the_api(server: Server, tmp_path: Path) -> None:
    """A long answer in pieces is whole; a page of a proxy and a redirect are no answers."""

    def answer(request: Request) -> Status:
        media = "text/html" if request.path.startswith("/api/pv") else "application/json"
        kind = {"Content-Type": media, "X-Data-Origin": "live"}
        if request.path.startswith("/api/snowload"):
            return Status(301, {**kind, "Location": "/elsewhere"}, b"{}")
        return Status(200, kind, b'{"hits": [], "text": "%b", "attribution": "x"}' % (b"x" * 1_000_000))

    with HttpServer(answer) as odd, standalone(tmp_path, odd.url) as url:
        async with asked(server, url) as alone:
            found = await alone.call("adressesok", {"text": "Oslo"}, headers={"X-API-Key": "k"})
            assert len(found["structuredContent"]["tekst"]) == 1_000_000
            for tool in ("pv_produksjon", "snolast"):
                assert "svarer ikke" in await alone.refusal(tool, OSLO)


async def test_limits_of_the_api_count_the_caller(server: Server, tmp_path: Path) -> None:
    here = {"X-Forwarded-For": "198.51.100.77"}
    path = "/api/tmy/stats?lat=59.91&lon=10.75"

    async def left() -> int:
        return int((await server.api.ask(path, headers=here)).headers["X-Quota-Remaining"])

    before = await left()
    with standalone(tmp_path, server.api.url) as url:
        async with asked(server, url) as alone:
            await alone.call("tmy", OSLO, key=False, headers=here)
    assert await left() == before - 3


async def test_thirty_calls_a_minute_without_key(server: Server, tmp_path: Path) -> None:
    here = {"X-Forwarded-For": "198.51.100.78"}
    with standalone(tmp_path, server.api.url) as url:
        async with asked(server, url) as alone:
            for _ in range(30):
                await alone.call("solproduksjon_naa", {}, key=False, headers=here)
            assert "30" in await alone.refusal("solproduksjon_naa", {}, key=False, headers=here)


async def test_api_that_is_away_is_an_error_of_the_tool(server: Server, tmp_path: Path) -> None:
    with standalone(tmp_path, NOBODY) as url:
        async with asked(server, url) as alone:
            assert "svarer ikke" in await alone.refusal("pv_produksjon", OSLO)
            assert (await alone.rpc("tools/list")).status == 200


def test_needs_the_address_of_the_api(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="SOLFLIS_MCP_API"):
        ToolServer(Settings(store=str(tmp_path), state=tmp_path))
