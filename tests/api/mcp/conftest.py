"""The tool server over published tiles, with a worker of jobs, a search for places, and a key."""

import asyncio
import itertools
import json
import shutil
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import ClientSession
from anyio.from_thread import start_blocking_portal

from api.access import keys
from api.access.secret import Secret
from api.database.engine import address, make_async_engine
from api.jobs.worker import Worker
from api.mcp.registry import FILE
from tests.api.conftest import HALF_PAST_TWO, Api, Asked, MovableClock, applications
from tests.api.fabricated import WEATHER, entry, hydrate, hydrate_turbidity, write_index
from tests.api.terrain.conftest import land_store  # noqa: F401 -- a fixture
from tests.support.place_search import PlaceSearches

STATELESS, *HANDSHAKE = VERSIONS = ("2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26")
LISTS: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
TOOLS: dict[str, Any] = {tool["name"]: tool for tool in LISTS[STATELESS]["tools"]}
SECRET = "a secret of thirty-two characters"
OSLO = {"lat": 59.91, "lon": 10.75}
SITE = {"lat": 65.0, "lon": 12.0}
"""A place with published terrain and land cover."""
ARGUMENTS: dict[str, dict[str, Any]] = {
    "adressesok": {"text": "Oslo"},
    "pv_produksjon": {**OSLO, "peakpower": 8},
    "snolast": OSLO,
    "snotap": OSLO,
    "tmy": OSLO,
    "terrengkategori": SITE,
    "solproduksjon_naa": {},
    "solprognose": {**OSLO, "peakpower": 8},
}
"""A call of each tool that works."""
_addresses = itertools.count(1)


def meta(version: str = STATELESS) -> dict[str, Any]:
    """Return what every request without a handshake carries."""
    return {"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": {}}


@dataclass
class Server:
    """A tool server, asked in raw HTTP."""

    api: Api
    key: str
    path: str = "/mcp"

    async def post(self, body: Any, headers: Mapping[str, str] | None = None, query: str = "") -> Asked:
        """Send bytes, or something as JSON, from an address of its own."""
        sent = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "X-Forwarded-For": f"2001:db8:{next(_addresses):x}::1",
            **(headers or {}),
        }
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.api.ask(self.path + query, "POST", data=data, headers=sent)

    async def rpc(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        version: str = STATELESS,
        headers: Mapping[str, str] | None = None,
        query: str = "",
    ) -> Asked:
        """Send a request as a client of a version does."""
        params, sent = dict(params or {}), {"MCP-Protocol-Version": version}
        if version == STATELESS:
            params["_meta"] = meta()
            sent["Mcp-Method"] = method
            if "name" in params:
                sent["Mcp-Name"] = params["name"]
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return await self.post(body, {**sent, **(headers or {})}, query)

    async def call(self, tool: str, arguments: Mapping[str, Any], *, key: bool = True, **more: Any) -> dict[str, Any]:
        """Return the result of a tool."""
        headers = {**({"X-API-Key": self.key} if key else {}), **more.pop("headers", {})}
        asked = await self.rpc("tools/call", {"name": tool, "arguments": dict(arguments)}, headers=headers, **more)
        assert asked.status == 200, asked.text
        result: dict[str, Any] = asked.json["result"]
        return result

    async def refusal(self, tool: str, arguments: Mapping[str, Any], **more: Any) -> str:
        """Return the text of a call that fails."""
        result = await self.call(tool, arguments, **more)
        assert result["isError"] is True, result
        assert "structuredContent" not in result
        text: str = result["content"][0]["text"]
        return text


async def _issue(database: str, state: Path) -> str:
    engine = make_async_engine(address(database, state))
    key = await keys.issue(engine, Secret(SECRET.encode()), "assistant@example.com", "pro", HALF_PAST_TWO)
    await engine.dispose()
    return key


@pytest.fixture(scope="package")
def served(
    full_store: Path,
    land_store: Path,  # noqa: F811
    migrated_sqlite: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Server]:
    """An application with keys, on everything that tools ask."""
    folder = tmp_path_factory.mktemp("mcp")
    store = folder / "tiles"
    hydrate(folder / "state", entry(variables=WEATHER))
    hydrate_turbidity(folder / "state")
    write_index(store, entry(variables=WEATHER))
    for product in (*full_store.iterdir(), *land_store.iterdir()):
        if not (store / product.name).exists():
            (store / product.name).symlink_to(product)
    database = Path(shutil.copy(migrated_sqlite, folder / "solflis.sqlite"))
    key = asyncio.run(_issue(f"sqlite:///{database}", folder))
    with (
        PlaceSearches() as searches,
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(applications(folder / "state", store, database)) as starting,
    ):
        settings = {"access": "keys", "secret": SECRET, "urls": {"kartverket_adresser": searches.url}}
        settings |= {
            "mcp_origins": frozenset({"https://app.example.com"}),
            "terrain_rates": ("1000/second",),
            "mcp_wait_s": 120,
        }
        api = portal.call(partial(starting, clock=MovableClock(), **settings))
        with portal.wrap_async_context_manager(Worker(api.app.settings).lifespan()):
            yield Server(api, key)


@pytest_asyncio.fixture
async def server(served: Server) -> AsyncIterator[Server]:
    """That application, over connections of the test's own."""
    async with ClientSession() as session:
        yield replace(served, api=replace(served.api, session=session))
