"""Bodies that are refused: before anything is unpacked, without reading them, and the client learns why."""

import asyncio
import time
from collections.abc import AsyncIterator

import orjson
import pytest
import pytest_asyncio
from pydantic import BaseModel

from api.core.body import Body
from tests.api.conftest import Client
from tests.api.core.served import connected, echo, ended, exchange, read_answer, route, serve, well
from tests.support.deflate import bomb


class Name(BaseModel):
    name: str


@pytest_asyncio.fixture
async def client() -> AsyncIterator[Client]:
    async with serve(route("/name", echo, "POST", body=Body(Name, {"name": "x"})), route("/get", well)) as client:
        yield client


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "nonsense", "identity, gzip"])
@pytest.mark.parametrize("target", ["POST /name", "GET /get", "POST /nowhere", "PUT /name"])
async def test_an_encoded_body_is_415_wherever_it_is_sent(client: Client, target: str, encoding: str) -> None:
    head = f"{target} HTTP/1.1\r\nHost: x\r\nContent-Encoding: {encoding}\r\nContent-Length: 8\r\n\r\n"
    [answer] = await exchange(client, head.encode() + b"nonsense")
    assert (answer.status, orjson.loads(answer.body)["code"]) == (415, "UNSUPPORTED_MEDIA")


async def test_a_body_that_says_it_is_not_encoded_is_read(client: Client) -> None:
    asked = await client.ask("/name", "POST", json={"name": "a"}, headers={"Content-Encoding": "identity"})
    assert (asked.status, asked.json) == (200, {"name": "a"})


@pytest.mark.parametrize("path", ["/name", "/nowhere"])
async def test_a_bomb_costs_next_to_nothing_and_its_sender_can_read_why(client: Client, path: str) -> None:
    body = bomb()
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Encoding: deflate\r\nContent-Length: {len(body)}\r\n\r\n"
    begun = time.process_time()
    for _ in range(4):
        async with connected(client) as (reader, writer):
            writer.write(head.encode() + body)
            await writer.drain()
            answer = await read_answer(reader)
            assert (answer.status, answer.headers["connection"]) == (415, "close")
            assert await ended(reader) == b""
    assert time.process_time() - begun < 2, "unpacking four takes half a minute"


async def test_who_sends_all_of_a_body_that_is_too_large_reads_413(client: Client) -> None:
    async with connected(client) as (reader, writer):
        writer.write(b"POST /name HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n")
        for _ in range(30):
            writer.write(b" " * 100_000)
            await writer.drain()
        assert (await read_answer(reader)).status == 413
        assert await ended(reader) == b""


async def test_who_goes_on_sending_what_was_refused_is_cut_off(client: Client) -> None:
    async with connected(client) as (_, writer):
        writer.write(b"POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000000\r\n\r\n")
        for _ in range(50):  # MB: what the kernel holds is less
            writer.write(bytes(1_000_000))
            try:
                async with asyncio.timeout(30):
                    await writer.drain()
            except ConnectionError:
                break
        else:
            raise AssertionError("50 MB were taken")


async def test_a_client_that_waits_for_its_turn_sends_nothing_that_is_refused(client: Client) -> None:
    head = b"POST /name HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: "
    for rest, status in (
        (b"text/xml\r\nContent-Length: 10\r\n\r\n", b" 415 "),
        (b"application/json\r\nContent-Length: 1000001\r\n\r\n", b" 413 "),
    ):
        async with connected(client) as (reader, writer):
            writer.write(head + rest)
            assert status in await reader.readline()
    async with connected(client) as (reader, writer):
        writer.write(head + b"application/json\r\nContent-Length: 12\r\n\r\n")
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b'{"name":"a"}')
        answer = await read_answer(reader)
        assert (answer.status, answer.body) == (200, b'{"name":"a"}')
    [answer] = await exchange(client, head.replace(b"100-continue", b"a miracle") + b"\r\nContent-Length: 2\r\n\r\n{}")
    assert answer.status == 417
