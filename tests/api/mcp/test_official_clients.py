"""The official clients list and call all tools in each version that they speak; they validate what they get."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import mcp_types
import pytest
from mcp import Client, ClientSession
from mcp.client.streamable_http import streamable_http_client

from tests.api.mcp.conftest import ARGUMENTS, HANDSHAKE, STATELESS, Server
from tests.support.node_packages import NODE, node_packages

INFO = mcp_types.Implementation(name="solflis-test", version="1")


@asynccontextmanager
async def connected(server: Server, version: str) -> AsyncIterator[Any]:
    """Yield a client that speaks a version; `auto` finds one out."""
    async with httpx2.AsyncClient(headers={"X-API-Key": server.key}, timeout=60) as http:
        transport = streamable_http_client(f"{server.api.url}/mcp", http_client=http)
        if version not in HANDSHAKE:
            async with Client(transport, mode=version, client_info=INFO) as client:
                yield client
            return
        # `Client` offers the newest handshake version alone
        async with transport as (read, write), ClientSession(read, write, client_info=INFO) as session:
            capabilities = mcp_types.ClientCapabilities()
            params = mcp_types.InitializeRequestParams(
                protocol_version=version, capabilities=capabilities, client_info=INFO
            )
            result = await session.send_request(mcp_types.InitializeRequest(params=params), mcp_types.InitializeResult)
            session.adopt(result)
            await session.send_notification(mcp_types.InitializedNotification())
            await session.send_ping()
            assert session.protocol_version == version
            yield session


@pytest.mark.parametrize("version", [*HANDSHAKE, STATELESS, "auto"])
async def test_python_client(server: Server, version: str) -> None:
    async with connected(server, version) as client:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == list(ARGUMENTS)
        for name, arguments in ARGUMENTS.items():
            result = await client.call_tool(name, arguments)
            assert not result.is_error, (name, result.content)
            assert (result.structured_content is None) == (version == "2025-03-26")


@pytest.mark.slow
async def test_typescript_clients(server: Server) -> None:
    folder = await asyncio.to_thread(node_packages)
    script = Path(shutil.copy(Path(__file__).with_name("client.mjs"), folder))
    command = (NODE, script, f"{server.api.url}/mcp", server.key, json.dumps(ARGUMENTS))
    process = await asyncio.create_subprocess_exec(*command, stdout=-1, stderr=-1)
    out, errors = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode == 0, errors.decode()
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["asked"] for line in lines] == [*HANDSHAKE, *HANDSHAKE, STATELESS, "auto"]
    for line in lines:
        assert line["negotiated"] == (STATELESS if line["asked"] == "auto" else line["asked"])
        assert line["results"].keys() == ARGUMENTS.keys()
        structured = line["asked"] != "2025-03-26"
        assert set(line["results"].values()) == {structured}
