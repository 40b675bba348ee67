"""The contract on `/mcp`, sentence by sentence, in raw HTTP."""

import base64
from typing import Any

import pytest
from mcp_types import methods

from tests.api.mcp.conftest import HANDSHAKE, STATELESS, TOOLS, VERSIONS, Server, meta

CLIENT = {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
LIST: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def listing(**changes: Any) -> dict[str, Any]:
    """Return a request of the version without handshake."""
    return {**LIST, "params": {"_meta": meta()}} | changes


def headers(version: str = STATELESS, method: str = "tools/list", **more: str) -> dict[str, str]:
    """Return the headers that mirror it."""
    return {"MCP-Protocol-Version": version, "Mcp-Method": method, **more}


async def refused(server: Server, body: Any, sent: dict[str, str] | None = None) -> tuple[int, int]:
    """Return HTTP status and JSON-RPC code of an error."""
    asked = await server.post(body, sent)
    assert asked.headers["Content-Type"] == "application/json"
    error = asked.json
    assert error["jsonrpc"] == "2.0"
    assert error["error"]["message"]
    return asked.status, error["error"]["code"]


# JSON-RPC 2.0 over Streamable HTTP, stateless, one address, everything over POST.


@pytest.mark.parametrize("version", HANDSHAKE)
async def test_initialize_answers_the_version_asked_for(server: Server, version: str) -> None:
    params = {"protocolVersion": version, **CLIENT}
    body = {"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": params}
    asked = await server.post(body)
    assert (asked.status, asked.json["id"]) == (200, "a")
    result = asked.json["result"]
    methods.validate_server_result("initialize", version, result)
    assert result["protocolVersion"] == version
    assert result["capabilities"] == {"tools": {}}
    assert "adressesok" in result["instructions"]
    assert "Mcp-Session-Id" not in asked.headers


@pytest.mark.parametrize("version", ["2024-11-05", STATELESS, "1900-01-01"])
async def test_initialize_offers_the_newest_handshake_version_for_others(server: Server, version: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": version, **CLIENT}}
    assert (await server.post(body)).json["result"]["protocolVersion"] == "2025-11-25"


async def test_initialize_without_a_version_is_refused(server: Server) -> None:
    assert await refused(server, {"jsonrpc": "2.0", "id": 1, "method": "initialize"}) == (400, -32602)


@pytest.mark.parametrize("version", HANDSHAKE)
async def test_notifications_are_accepted_without_a_body(server: Server, version: str) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    asked = await server.post(note, {"MCP-Protocol-Version": version})
    assert (asked.status, asked.body) == (202, b"")


@pytest.mark.parametrize("version", HANDSHAKE)
async def test_ping_is_an_empty_result(server: Server, version: str) -> None:
    asked = await server.rpc("ping", version=version)
    assert asked.json == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.parametrize("version", VERSIONS)
async def test_tools_are_listed_in_the_shape_of_the_version(server: Server, version: str) -> None:
    asked = await server.rpc("tools/list", version=version)
    assert (asked.status, asked.headers["Content-Type"]) == (200, "application/json")
    result = asked.json["result"]
    methods.validate_server_result("tools/list", version, result)
    assert [tool["name"] for tool in result["tools"]] == list(TOOLS)
    if version == STATELESS:
        assert (result["resultType"], result["cacheScope"], result["ttlMs"]) == ("complete", "public", 3_600_000)
        assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "solflis"
    assert ("outputSchema" in result["tools"][0]) == (version != "2025-03-26")


async def test_discovery_names_all_versions(server: Server) -> None:
    result = (await server.rpc("server/discover")).json["result"]
    methods.validate_server_result("server/discover", STATELESS, result)
    assert result["supportedVersions"] == list(VERSIONS)
    assert result["capabilities"] == {"tools": {}}


@pytest.mark.parametrize("version", VERSIONS)
async def test_call_of_a_tool_has_the_shape_of_the_version(server: Server, version: str) -> None:
    asked = await server.rpc("tools/call", {"name": "solproduksjon_naa", "arguments": {}}, version)
    methods.validate_server_result("tools/call", version, asked.json["result"])


async def test_handshake_client_without_version_header_has_the_oldest(server: Server) -> None:
    asked = await server.post({**LIST, "method": "tools/list"})
    assert "outputSchema" not in asked.json["result"]["tools"][0]


async def test_arguments_may_be_absent(server: Server) -> None:
    for params in ({}, {"arguments": None}, {"arguments": {}}):
        asked = await server.rpc("tools/call", {"name": "solproduksjon_naa", **params})
        assert "isError" not in asked.json["result"]


@pytest.mark.parametrize("identity", [0, "", -7, "x" * 200, 2**53])
async def test_answers_and_errors_repeat_the_id(server: Server, identity: Any) -> None:
    assert (await server.post({**LIST, "id": identity})).json["id"] == identity
    unknown = await server.post({**LIST, "id": identity, "method": "tools/dance"})
    assert unknown.json["id"] == identity


async def test_session_ids_are_neither_issued_nor_needed(server: Server) -> None:
    asked = await server.rpc("tools/list", version="2025-11-25", headers={"Mcp-Session-Id": "made-up"})
    assert asked.status == 200
    assert "Mcp-Session-Id" not in asked.headers


@pytest.mark.parametrize("version", HANDSHAKE)
@pytest.mark.parametrize("method", ["prompts/list", "resources/list", "resources/templates/list"])
async def test_lists_that_clients_ask_unasked_are_empty(server: Server, version: str, method: str) -> None:
    result = (await server.rpc(method, version=version)).json["result"]
    methods.validate_server_result(method, version, result)
    assert list(result.values()) == [[]]


# GET or DELETE on /mcp gives 405. There is no event stream.


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH"])
async def test_other_methods_are_not_allowed(server: Server, method: str) -> None:
    asked = await server.api.ask("/mcp", method, headers={"Accept": "text/event-stream"})
    assert asked.status == 405
    assert "POST" in asked.headers["Allow"]
    assert not {"GET", "DELETE"} & set(asked.headers["Allow"].split(", "))


@pytest.mark.parametrize(
    "path", ["/mcp/", "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server/mcp", "/sse"]
)
async def test_other_addresses_are_plainly_not_found(server: Server, path: str) -> None:
    asked = await server.api.ask(path, "POST", allow_redirects=False)
    assert asked.status == 404
    assert "WWW-Authenticate" not in asked.headers


# Errors.


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nonsense",
        b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}',
        b'"\\ud800"',
        b"\xff\xfe",
        b"[" * 50_000,
        b'{"jsonrpc":"2.0","id":1,"method":"ping"} x',
    ],
)
async def test_body_that_is_not_json(server: Server, body: bytes) -> None:
    assert await refused(server, body) == (400, -32700)


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        [LIST],
        "ping",
        None,
        {**LIST, "jsonrpc": "1.0"},
        {"id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1},
        {**LIST, "method": 7},
        {**LIST, "id": None},
        {**LIST, "id": True},
        {**LIST, "id": 1.5},
        {**LIST, "id": [1]},
        {**LIST, "params": [1]},
        {**LIST, "params": None},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "method": "tools/list"},
    ],
)
async def test_body_that_is_no_json_rpc_message_or_a_batch(server: Server, body: Any) -> None:
    assert await refused(server, body) == (400, -32600)


async def test_other_media_type_is_refused(server: Server) -> None:
    assert (await server.post(LIST, {"Content-Type": "text/plain"})).status == 415


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"Mcp-Method": "tools/list"},
        headers("2025-11-25"),
        headers("2026-07-29"),
        {"MCP-Protocol-Version": STATELESS},
        headers(method="tools/call"),
        headers(method="Tools/List"),
        headers(method="=?base64?bm90IGl0?="),
        headers(method="=?base64?%%%?="),
    ],
)
async def test_headers_that_are_missing_or_do_not_match(server: Server, sent: dict[str, str]) -> None:
    assert await refused(server, listing(), sent) == (400, -32020)


@pytest.mark.parametrize("name", ["", "tmy", "SNOLAST", "=?base64?broken", "=?base64?c25v?="])
async def test_name_of_the_tool_must_be_mirrored(server: Server, name: str) -> None:
    body = listing(method="tools/call", params={"name": "snolast", "arguments": {}, "_meta": meta()})
    assert await refused(server, body, headers(method="tools/call", **{"Mcp-Name": name})) == (400, -32020)
    assert await refused(server, body, headers(method="tools/call")) == (400, -32020)


async def test_mirrors_may_be_encoded_and_padded_and_names_of_headers_in_any_case(server: Server) -> None:
    body = listing(method="tools/call", params={"name": "solproduksjon_naa", "_meta": meta()})
    encoded = f"=?base64?{base64.b64encode(b'solproduksjon_naa').decode()}?="
    sent = {"mcp-protocol-VERSION": f"  {STATELESS} ", "MCP-METHOD": " tools/call", "mcp-name": encoded}
    assert (await server.post(body, sent)).status == 200


async def test_header_that_is_sent_twice_with_two_values_does_not_match(server: Server) -> None:
    for name, other in (("Mcp-Method", "tools/call"), ("MCP-Protocol-Version", "2025-11-25")):
        pairs = [*headers().items(), (name, other), ("Content-Type", "application/json")]
        asked = await server.api.ask("/mcp", "POST", json=listing(), headers=pairs)
        assert (asked.status, asked.json["error"]["code"]) == (400, -32020)


async def test_version_that_is_not_supported_names_those_that_are(server: Server) -> None:
    asked = await server.post(listing(params={"_meta": meta("2031-01-01")}), headers("2031-01-01"))
    assert (asked.status, asked.json["error"]["code"], asked.json["id"]) == (400, -32022, 1)
    assert asked.json["error"]["data"] == {"supported": list(VERSIONS), "requested": "2031-01-01"}
    by_header = await server.post(LIST, {"MCP-Protocol-Version": "1900-01-01"})
    assert by_header.json["error"]["code"] == -32022


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"_meta": {}},
        {"_meta": {"io.modelcontextprotocol/protocolVersion": STATELESS}},
        {"_meta": {**meta(), "io.modelcontextprotocol/clientCapabilities": None}},
        {"_meta": []},
    ],
)
async def test_request_without_handshake_needs_version_and_capabilities(server: Server, wrong: Any) -> None:
    assert await refused(server, listing(params=wrong), headers()) == (400, -32602)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("method", ["tools/dance", "logging/setLevel", "resources/read", "completion/complete", ""])
async def test_unknown_method(server: Server, version: str, method: str) -> None:
    asked = await server.rpc(method, version=version)
    assert (asked.status, asked.json["error"]["code"]) == (404, -32601)


@pytest.mark.parametrize("method", ["initialize", "ping", "prompts/list", "subscriptions/listen"])
async def test_methods_of_the_handshake_are_unknown_without_it(server: Server, method: str) -> None:
    asked = await server.rpc(method, {"protocolVersion": STATELESS, **CLIENT})
    assert (asked.status, asked.json["error"]["code"]) == (404, -32601)


@pytest.mark.parametrize("params", [{"name": 7}, {}, {"name": "tmy", "arguments": []}, {"name": "tmy", "arguments": 1}])
async def test_call_without_name_or_with_wrong_arguments(server: Server, params: Any) -> None:
    assert await refused(server, {**LIST, "method": "tools/call", "params": params}) == (400, -32602)


async def test_there_is_one_page_of_tools(server: Server) -> None:
    assert await refused(server, {**LIST, "params": {"cursor": "2"}}) == (400, -32602)


# Browsers.


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1", "https://127.0.0.1:8080"])
async def test_origin_that_is_not_listed(server: Server, origin: str) -> None:
    assert await refused(server, LIST, {"Origin": origin}) == (403, -32600)


async def test_own_origin_and_listed_ones_may_call(server: Server) -> None:
    for origin in ("http://127.0.0.1:8080", "https://app.example.com"):
        assert (await server.post(LIST, {"Origin": origin})).status == 200


async def test_preflight_allows_the_headers_of_the_protocol(server: Server) -> None:
    asked = await server.api.ask("/mcp", "OPTIONS", headers={"Origin": "https://app.example.com"})
    allowed = {name.strip().lower() for name in asked.headers["Access-Control-Allow-Headers"].split(",")}
    needed = {"mcp-protocol-version", "mcp-method", "mcp-name", "authorization", "x-api-key", "content-type"}
    assert needed <= allowed
    assert asked.headers["Access-Control-Allow-Methods"] == "OPTIONS, POST"
