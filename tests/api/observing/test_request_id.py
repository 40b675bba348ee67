"""Every answer carries an id of its own, ours."""

import asyncio
import re

import pytest
from aiohttp import web

from api.observing.request_id import current_id, new_request_id
from tests.api.core.served import route, serve


def test_ids_are_ordered_by_time_and_differ() -> None:
    ids = [new_request_id() for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert [i[:16] for i in ids] == sorted(i[:16] for i in ids)
    assert all(re.fullmatch(r"[0-9a-f]{32}", i) for i in ids)


async def test_handlers_know_it_also_in_threads() -> None:
    async def tell(_: web.BaseRequest, __: None) -> web.Response:
        return web.Response(body=f"{current_id()} {await asyncio.to_thread(current_id)}".encode())

    async with serve(route("/tell", tell)) as client:
        asked = await client.ask("/tell")
    assert asked.text.split() == [asked.headers["X-Request-Id"]] * 2
    with pytest.raises(LookupError):
        current_id()
