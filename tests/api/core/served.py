"""A few routes served by the API's own server, without tiles, database and everything else of an application."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import ClientSession, TCPConnector, web
from pydantic import BaseModel

from api.access.callers import Clients
from api.access.gate import Gate
from api.access.plans import read_plans
from api.access.rates import Rates
from api.access.secret import load_secret
from api.core.routing import Handler, Route, Router, endpoint
from api.core.server import Patience, serving
from api.core.settings import LOOPBACK, PLANS
from api.observing.answers import Answers
from api.observing.metrics import Metrics
from tests.api.conftest import Client
from tiles.clock import Clock

_SECRET = load_secret("secret of the tests of the core alone", PLANS)
_CLIENTS = Clients(LOOPBACK)
GATE = Gate(_SECRET, read_plans(PLANS), _CLIENTS, Clock(), None, lambda _: None)
_RATES = Rates("redis://127.0.0.1:9", _SECRET, _CLIENTS)  # no route here has rates


def route(path: str, handler: Handler, method: str = "GET", **more: object) -> Route:
    """Return a route of which the document is no matter."""
    return Route(method, path, handler, summary="-", tag="-", **more)  # type: ignore[arg-type]


async def well(_: web.BaseRequest, __: None) -> web.StreamResponse:
    """Answer."""
    return web.Response(body=b"well")


async def echo(_: web.BaseRequest, body: BaseModel) -> web.StreamResponse:
    """Answer with the body that was read."""
    return web.Response(body=body.model_dump_json().encode(), content_type="application/json")


@asynccontextmanager
async def serve(
    *routes: Route, patience: Patience | None = None, finish_s: float = 1.0, answers: Answers | None = None
) -> AsyncIterator[Client]:
    """Serve routes until the context ends: then running requests finish for `finish_s` seconds."""
    metrics = Metrics(None)
    router = Router((one, endpoint(one, GATE, _RATES)) for one in routes)
    async with ClientSession(connector=TCPConnector(limit=0)) as session:
        noting = answers or Answers(metrics)
        async with serving(router, noting, finish_s=finish_s, patience=patience or Patience()) as runner:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            yield Client(f"http://127.0.0.1:{runner.addresses[0][1]}", session)
    metrics.close()


@dataclass
class Answer:
    """One answer off the wire; names of headers are lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


@asynccontextmanager
async def connected(client: Client) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Open a connection."""
    host, port = client.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        yield reader, writer
    finally:
        writer.close()


async def read_answer(reader: asyncio.StreamReader, *, is_head: bool = False) -> Answer:
    """Read one answer; interim ones (100) are passed over."""
    async with asyncio.timeout(60):
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:] if line)}
        status = int(lines[0].split()[1])
        if status == 100:
            return await read_answer(reader)
        size = 0 if is_head else int(headers.get("content-length", "0"))
        return Answer(status, headers, await reader.readexactly(size))


async def ended(reader: asyncio.StreamReader) -> bytes:
    """Return what comes until the server closes or resets the connection."""
    received = b""
    try:
        async with asyncio.timeout(60):
            while data := await reader.read(65536):
                received += data
    except ConnectionResetError:
        pass
    return received


async def exchange(client: Client, sent: bytes, count: int = 1, *, closes: bool = False) -> list[Answer]:
    """Send bytes and read some answers; with `closes` the connection has to end behind them."""
    async with connected(client) as (reader, writer):
        writer.write(sent)
        answers = [await read_answer(reader, is_head=sent.startswith(b"HEAD")) for _ in range(count)]
        if closes:
            assert await ended(reader) == b""
        return answers
