"""Every answer carries an id of its own, ours."""

import asyncio
import re

import pytest
from aiohttp import web

from api.observing import request_id
from api.observing.request_id import current_id, new_request_id
from api.routing import Route
from tests.api.conftest import Api, Start

POINT = "/api/forecast?lat=59.91&lon=10.75"


def test_ids_are_ordered_by_time_and_differ() -> None:
    ids = [new_request_id() for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert [i[:16] for i in ids] == sorted(i[:16] for i in ids)
    assert all(re.fullmatch(r"[0-9a-f]{32}", i) for i in ids)


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", POINT), ("HEAD", POINT), ("GET", "/api/forecast"), ("GET", "/nowhere"), ("POST", "/health"),
     ("OPTIONS", "/health"), ("GET", "/docs")],
)  # fmt: skip
async def test_every_answer_carries_one(api: Api, method: str, path: str) -> None:
    theirs = "f" * 32
    first, second = [await api.ask(path, method, headers={"X-Request-Id": theirs}) for _ in range(2)]
    [one], [two] = (asked.headers.getall("X-Request-Id") for asked in (first, second))
    assert re.fullmatch(r"[0-9a-f]{32}", one)
    assert len({one, two, theirs}) == 3
    assert one < two


async def test_an_answer_before_routing_carries_one(api: Api) -> None:
    host, port = api.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"nonsense\r\n\r\n")
    answer = await asyncio.wait_for(reader.read(), 5)
    writer.close()
    assert re.search(rb"\r\nX-Request-Id: [0-9a-f]{32}\r\n", answer)


async def test_handlers_know_it_also_in_threads(start: Start) -> None:
    async def tell(_: web.Request, __: None) -> web.Response:
        in_thread = await asyncio.to_thread(request_id.current.get)
        return web.Response(body=f"{current_id()} {request_id.current.get()} {in_thread}".encode())

    api = await start(more_routes=(Route("GET", "/tell", tell, summary="-", tag="-"),))
    asked = await api.ask("/tell")
    assert asked.text.split() == [asked.headers["X-Request-Id"]] * 3
    assert request_id.current.get() is None
    with pytest.raises(LookupError):
        current_id()
