"""A pooler in front of PostgreSQL that gives each transaction another session, as pgbouncer does for transactions."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sqlalchemy import URL

_SSL_REQUEST, _SESSIONS = 80877103, 2
Peer = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass
class Pooler:
    """A pooler of transactions.

    Parameters
    ----------
    url : URL
        Of the database, by way of the pooler.
    loses_commits : bool
        Whether it breaks connections instead of passing on that a commit is done.
    """

    url: URL
    loses_commits: bool = False


async def _message(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readexactly(5)
    return head + await reader.readexactly(int.from_bytes(head[1:]) - 4)


async def _start_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    while True:
        size = await reader.readexactly(4)
        rest = await reader.readexactly(int.from_bytes(size) - 4)
        if int.from_bytes(rest[:4]) != _SSL_REQUEST:
            return size + rest
        writer.write(b"N")


async def _until_ready(server: Peer) -> bytes:
    answer = b""
    while not (message := await _message(server[0])).startswith(b"Z"):
        answer += message
    return answer + message


async def _pool(pooler: Pooler, socket: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    start_up = await _start_up(reader, writer)
    if b"\0options\0" in start_up:
        fields = b"SFATAL\0C08P01\0Munsupported startup parameter: options\0\0"
        writer.write(b"E" + (len(fields) + 4).to_bytes(4) + fields)
        writer.close()
        return
    servers = [await asyncio.open_unix_connection(socket) for _ in range(_SESSIONS)]
    for server in servers:
        server[1].write(start_up)
        greeting = await _until_ready(server)
    writer.write(greeting)
    transactions = 0
    while not (message := await _message(reader)).startswith(b"X"):
        server = servers[transactions % _SESSIONS]
        server[1].write(message)
        if message[:1] in b"QS":
            answer = await _until_ready(server)
            if pooler.loses_commits and message.endswith(b"COMMIT\0"):
                break
            writer.write(answer)
            transactions += answer.endswith(b"I")
    for _, each in (*servers, (reader, writer)):
        each.close()


@asynccontextmanager
async def pooler(url: URL) -> AsyncIterator[Pooler]:
    """Run a pooler in front of a database that is reached by a socket."""
    socket = f"{url.query['host']}/.s.PGSQL.5432"
    pools = set[asyncio.Task[None]]()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        pools.add(asyncio.ensure_future(_pool(running, socket, reader, writer)))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    running = Pooler(url.set(host="127.0.0.1", port=server.sockets[0].getsockname()[1], query={}))
    yield running
    server.close()
    await asyncio.gather(*pools, return_exceptions=True)
