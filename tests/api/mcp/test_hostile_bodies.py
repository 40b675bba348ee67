"""Hostile messages: none is a server error, and each is answered by a message of the protocol."""

import asyncio
import json
import random
import string
from collections import Counter
from typing import Any

import pytest

from tests.api.mcp.conftest import ARGUMENTS, TOOLS, VERSIONS, Server, meta

METHODS = (
    "tools/call", "tools/call", "tools/call", "tools/list", "initialize", "ping", "server/discover", "prompts/list",
    "notifications/initialized", "notifications/cancelled", "tools/dance", "",
)  # fmt: skip
AT_ONCE = 8


class Attacker:
    """Makes messages: right ones with something wrong in them, and noise."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def value(self, depth: int = 0) -> Any:
        """Return anything that JSON has, and that should not be there."""
        r = self._random
        kinds = (
            lambda: None,
            lambda: r.choice((True, False)),
            lambda: r.choice((0, -1, 2**63, 2**64, -(2**70), 10**300, 1e308, -1e-320, 59.91, 10.75, 0.1)),
            lambda: "".join(
                r.choices(string.printable + "æøå\u0000\u2028\ud7ff\U0001f31e", k=r.choice((0, 1, 8, 300)))
            ),
            lambda: r.choice(
                ("59.91", "NaN", "inf", "1e999", "' OR 1=1 --", "../../etc/passwd", "%00", "{0}", "\r\nX: y")
            ),
            lambda: [self.value(depth + 1) for _ in range(r.randrange(4))],
            lambda: {str(self.value(9)): self.value(depth + 1) for _ in range(r.randrange(4))},
        )
        return r.choice(kinds[: 5 if depth > 3 else 7])()

    def arguments(self, tool: str) -> dict[str, Any]:
        """Return arguments of a tool with some that are wrong."""
        r = self._random
        arguments = dict(ARGUMENTS.get(tool, {}))
        names = [*TOOLS.get(tool, {"inputSchema": {"properties": {}}})["inputSchema"]["properties"], str(self.value(9))]
        for name in r.sample(names, r.randrange(1, min(4, len(names)) + 1)):
            arguments[name] = self.value()
        for name in list(arguments):
            if r.random() < 0.05:
                del arguments[name]
        return arguments

    def message(self) -> tuple[bytes, dict[str, str]]:
        """Return a body and its headers."""
        r = self._random
        version, method = r.choice(VERSIONS), r.choice(METHODS)
        params: Any = {}
        headers = {"MCP-Protocol-Version": version}
        if method == "tools/call":
            tool = r.choice((*TOOLS, str(self.value(9))))
            params = {"name": tool, "arguments": self.arguments(tool)}
        elif method == "initialize":
            params = {"protocolVersion": r.choice((*VERSIONS, self.value())), "capabilities": self.value()}
        if version == VERSIONS[0]:
            params["_meta"] = meta()
            headers |= {"Mcp-Method": _printable(method), "Mcp-Name": _printable(str(params.get("name", "")))}
        body: Any = {"jsonrpc": "2.0", "id": r.choice((1, "a", 0)), "method": method, "params": params}
        for _ in range(r.choice((0, 0, 1, 2))):
            where = r.choice((body, params)) if isinstance(params, dict) else body
            where[r.choice((*where, "_meta", "id", "jsonrpc", "method", "params", "cursor"))] = self.value()
        if method.startswith("notifications/") and r.random() < 0.8:
            body.pop("id", None)
        if r.random() < 0.1:
            body = r.choice((body, [body], self.value()))
        raw = json.dumps(body).encode("utf-8", "replace")
        if r.random() < 0.15:
            raw = self._torn(raw)
        for name in list(headers):
            if r.random() < 0.05:
                headers[name] = _printable(str(self.value(9)))
        return raw, headers

    def _torn(self, raw: bytes) -> bytes:
        r = self._random
        at = r.randrange(len(raw) + 1)
        return r.choice((raw[:at], raw[at:], raw[:at] + r.randbytes(3) + raw[at:], raw + raw, b"\xef\xbb\xbf" + raw))


def _printable(text: str) -> str:
    """Return what a header can hold."""
    return "".join(letter for letter in text if " " <= letter <= "~")[:200].strip()


async def _attack(server: Server, seed: int, count: int) -> Counter[str]:
    attacker, found = Attacker(seed), Counter()

    async def one(body: bytes, headers: dict[str, str]) -> None:
        asked = await server.post(body, {"X-API-Key": server.key, **headers})
        assert asked.status in (200, 202, 400, 403, 404), (asked.status, body, asked.text)
        if asked.status == 202:
            found["accepted"] += 1
            return
        message = asked.json
        assert message["jsonrpc"] == "2.0", body
        assert len(message.keys() & {"result", "error"}) == 1
        found["refused" if "error" in message else "isError" if message["result"].get("isError") else "result"] += 1
        assert "uventet" not in asked.text, (body, asked.text)  # a fault of ours

    for _ in range(count // AT_ONCE):
        await asyncio.gather(*(one(*attacker.message()) for _ in range(AT_ONCE)))
    return found


async def test_some_hostile_messages(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    found = await _attack(server, 1, 1200)
    assert min(found[kind] for kind in ("accepted", "refused", "isError", "result")) > 10, found
    assert "unexpected" not in caplog.text


@pytest.mark.slow
@pytest.mark.timeout(1800)
async def test_fifty_thousand_hostile_messages(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    found: Counter[str] = Counter()
    for seed in range(2, 12):
        found += await _attack(server, seed, 5000)
    print(f"50,000 hostile messages: {dict(found)}")
    assert found.total() == 50_000
    assert "unexpected" not in caplog.text
