"""The official conformance suite: all server scenarios that a server of tools alone can meet, in each version."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from mcp_types.methods import serialize_server_result

from api.core.routing import Route, Router, endpoint
from api.core.server import serving
from api.mcp.backends import InnerBackend
from api.mcp.service import McpService
from api.observing.answers import Answers
from api.observing.metrics import Metrics
from tests.api.mcp.conftest import HANDSHAKE, STATELESS, VERSIONS, Server
from tests.support.node_packages import NODE, SUITE, node_packages

pytestmark = pytest.mark.slow

OWN = (
    *(("server-initialize", version) for version in ("2025-06-18", "2025-11-25")),
    *(("server-session-lifecycle", version) for version in HANDSHAKE),
    *(("ping", version) for version in ("2025-06-18", "2025-11-25")),
    *(("tools-list", version) for version in ("2025-06-18", "2025-11-25", STATELESS)),
    *(("dns-rebinding-protection", version) for version in ("2025-11-25", STATELESS)),
    *(("server-sse-multiple-streams", version) for version in ("2025-11-25", STATELESS)),
    ("server-stateless", STATELESS),
    ("http-header-validation", STATELESS),
    ("caching", STATELESS),
    ("input-required-result-unsupported-methods", STATELESS),
)
# Of tools that the suite brings along.
CALLS = tuple(
    (f"tools-call-{kind}", version)
    for kind in ("simple-text", "image", "audio", "embedded-resource", "mixed-content", "error")
    for version in ("2025-06-18", "2025-11-25", STATELESS)
)
NOT_OURS = {
    # prompts and resources, which a server of tools does not have
    "sep-2549-prompts-list-caching-hints",
    "sep-2549-resources-list-caching-hints",
    "sep-2549-resources-templates-list-caching-hints",
    # of a tool that needs sampling
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
}
TEXT = {"type": "text", "text": "A text."}
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": base64.b64encode(b"RIFF").decode(), "mimeType": "audio/wav"}
RESOURCE = {"type": "resource", "resource": {"uri": "test://a", "mimeType": "text/plain", "text": "x"}}
RESULTS: dict[str, Any] = {
    "test_simple_text": {"content": [TEXT]},
    "test_image_content": {"content": [IMAGE]},
    "test_audio_content": {"content": [AUDIO]},
    "test_embedded_resource": {"content": [RESOURCE]},
    "test_multiple_content_types": {"content": [TEXT, IMAGE, RESOURCE]},
    "test_error_handling": {"content": [TEXT], "isError": True},
}


async def failures(url: str, scenario: str, version: str, folder: Path) -> list[str]:
    """Run a scenario; return the checks that failed."""
    await asyncio.to_thread(node_packages)
    process = await asyncio.create_subprocess_exec(
        *(NODE, SUITE, "server", "--url", url, "--scenario", scenario, "--spec-version", version, "-o", folder),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    await asyncio.wait_for(process.wait(), 100)
    checks = [check for file in folder.rglob("checks.json") for check in json.loads(file.read_text())]
    assert checks, "the suite knows no such scenario in this version"
    return [f"{one['id']}: {one.get('errorMessage')}" for one in checks if one["status"] == "FAILURE"]


@pytest.mark.parametrize(("scenario", "version"), OWN)
async def test_scenario(server: Server, scenario: str, version: str, tmp_path: Path) -> None:
    found = await failures(f"{server.api.url}/mcp", scenario, version, tmp_path)
    assert [one for one in found if one.partition(":")[0] not in NOT_OURS] == []


@asynccontextmanager
async def with_tools_of_the_suite(server: Server) -> AsyncIterator[str]:
    """Serve the protocol with other tools; yield its address."""
    resources = server.api.app.resources
    schema = {"type": "object", "properties": {}}
    listed = [{"name": name, "description": "Of the suite.", "inputSchema": schema} for name in RESULTS]
    more = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public"}
    lists = {
        version: serialize_server_result(
            "tools/list", version, {"tools": listed, **(more if version == STATELESS else {})}
        )
        for version in VERSIONS
    }

    async def run(name: str, *_: object) -> dict[str, Any]:
        return dict(RESULTS[name])

    async def has_key(_: web.BaseRequest) -> bool:
        return True

    def backend() -> InnerBackend:
        return InnerBackend(resources.inner, "", 1)

    tools = {name: partial(run, name) for name in RESULTS}
    none: frozenset[str] = frozenset()
    service = McpService(backend, resources.rates, resources.clients, has_key, none, lists, tools, none)
    route = Route("POST", "/mcp", service.post)
    router = Router([(route, endpoint(route, resources.machinery.gate, resources.rates))])
    async with serving(router, Answers(Metrics(None)), finish_s=1) as runner:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/mcp"


@pytest.mark.parametrize(("scenario", "version"), CALLS)
async def test_kinds_of_content(server: Server, scenario: str, version: str, tmp_path: Path) -> None:
    async with with_tools_of_the_suite(server) as url:
        assert await failures(url, scenario, version, tmp_path) == []
