"""Errors of a coded route have a code, whoever answers them; those of others have none."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from aiohttp import web
from pydantic import BaseModel

from api.access.required import Access
from api.body import Body
from api.connection import Patience
from api.errors import BadGateway, GatewayTimeout, NotFound
from api.query import Flag, Query
from api.routing import Route
from tests.api.conftest import Api, StartKept


class Thing(BaseModel):
    """A body with a field."""

    what: str


@dataclass
class Asked(Query):
    """A query beside it."""

    loud: Flag = False


async def _answer(_: web.Request, asked: tuple[Asked, Thing]) -> web.Response:
    query, thing = asked
    if thing.what == "away":
        raise BadGateway("away")
    if thing.what == "late":
        raise GatewayTimeout("late", 5)
    if thing.what == "own":
        raise NotFound("none", fields={"code": "OWN"})
    if thing.what == "hang":
        await asyncio.sleep(60)
    if thing.what == "bug":
        raise ZeroDivisionError
    return web.json_response({"what": thing.what, "loud": query.loud})


def _route(path: str, coded: bool) -> Route:
    return Route(
        "POST", path, _answer, summary="-", tag="-", query=Asked, body=Body(Thing, {"what": "x"}, max_bytes=100),
        coded=coded, access=Access(keyed=True), error_headers=lambda: {"X-Tier": "test"},
    )  # fmt: skip


@pytest.fixture(scope="module")
def kept(start_kept: StartKept) -> Api:
    routes = (_route("/coded", True), _route("/plain", False))
    return start_kept(more_routes=routes, patience=Patience(handler_s=0.3))


JSON = {"Content-Type": "application/json"}
CASES: list[tuple[dict[str, Any], int, str]] = [
    ({"data": b"no json", "headers": JSON}, 400, "INVALID_INPUT"),
    ({"json": {"what": 1}}, 400, "INVALID_INPUT"),
    ({"json": {"what": "x" * 200}}, 413, "TOO_LARGE"),
    ({"data": b"<x/>", "headers": {"Content-Type": "text/xml"}}, 415, "UNSUPPORTED_MEDIA"),
    ({"json": {"what": "away"}}, 502, "BACKEND_ERROR"),
    ({"json": {"what": "late"}}, 504, "BACKEND_TIMEOUT"),
    ({"json": {"what": "own"}}, 404, "OWN"),
    ({"json": {"what": "hang"}}, 503, "UNAVAILABLE"),
    ({"json": {"what": "bug"}}, 500, "INTERNAL"),
]


@pytest.mark.parametrize(("options", "status", "code"), CASES)
async def test_each_error_has_its_code(api: Api, options: dict[str, Any], status: int, code: str) -> None:
    asked = await api.ask("/coded", "POST", **options)
    assert (asked.status, asked.json["code"], asked.headers["X-Tier"]) == (status, code, "test")
    assert asked.json["error"]
    assert "code" not in (await api.ask("/plain", "POST", **options)).json or code == "OWN"


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
async def test_another_method(api: Api, method: str) -> None:
    asked = await api.ask("/coded", method)
    assert (asked.status, asked.json["code"], asked.headers["Allow"]) == (405, "METHOD_NOT_ALLOWED", "OPTIONS, POST")
    assert asked.headers["X-Tier"] == "test"
    plain = await api.ask("/plain", method)
    assert (plain.status, plain.json) == (405, {"error": asked.json["error"]})
    assert (await api.ask("/coded", "OPTIONS")).status == 204


async def test_a_body_and_a_query(api: Api) -> None:
    assert (await api.ask("/coded?loud=1", "POST", json={"what": "x"})).json == {"what": "x", "loud": True}
    refused = await api.ask("/coded?loud=perhaps", "POST", data=b"no json")
    assert (refused.status, refused.json["code"]) == (400, "INVALID_INPUT")
    assert "loud" in refused.json["error"]


async def test_the_document_says_so(api: Api) -> None:
    document = (await api.ask("/openapi.json")).json
    responses = document["paths"]
    assert "/coded" in responses
    coded, plain = (responses[path]["post"]["responses"] for path in ("/coded", "/plain"))
    assert set(coded) - set(plain) == {"405"}
    for status, code in (("400", "INVALID_INPUT"), ("405", "METHOD_NOT_ALLOWED"), ("413", "TOO_LARGE")):
        examples = coded[status]["content"]["application/json"]["examples"].values()
        assert {example["value"]["code"] for example in examples} == {code}
    assert "code" not in str(plain["400"]["content"])
