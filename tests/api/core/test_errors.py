"""Errors: what their bodies hold, in which language, whoever answers them."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
import pytest_asyncio
from aiohttp import web
from pydantic import BaseModel, Field

from api.core import problems
from api.core.body import Body
from api.core.errors import Problem
from api.core.query import Flag, Query
from api.core.server import Patience
from tests.api.conftest import Client
from tests.api.core.served import route, serve

OWN = Problem(404, "Ingen {name} som heter {what}.", "No {name} is called {what}.", code="NO_LAND")
AWAY = Problem(502, "Kilden svarer ikke.", "The source does not answer.")
LATE = Problem(504, "Kilden svarer for sent.", "The source answers too late.", retry_after_s=5)


class Thing(BaseModel):
    kind: Literal["own", "away", "late", "hang", "bug", "nothing"]
    count: int = 1


@dataclass
class ThingQuery(Query):
    angle: Annotated[float, Field(ge=0, le=90)] = 0.0
    loud: Flag = False


async def answer(_: web.BaseRequest, query: tuple[ThingQuery, Thing]) -> web.StreamResponse:
    match query[1].kind:
        case "own":
            raise OWN("kind", what="x", fields={"nearest": 1})
        case "away":
            raise AWAY()
        case "late":
            raise LATE()
        case "hang":
            await asyncio.Event().wait()
        case "bug":
            raise RuntimeError("the password is 1234")
    return None  # type: ignore[return-value]


@pytest_asyncio.fixture
async def client() -> AsyncIterator[Client]:
    body = Body(Thing, {"kind": "own"}, max_bytes=100)
    thing = route("/thing", answer, "POST", query=ThingQuery, body=body, error_headers=lambda: {"X-Api-Tier": "test"})
    async with serve(thing, patience=Patience(handler_s=0.3)) as client:
        yield client


NO_JSON = {"data": b"{", "headers": {"Content-Type": "application/json"}}
LARGE, ENCODED = {"json": {"kind": "x" * 200}}, {"json": {}, "headers": {"Content-Encoding": "br"}}
ACCIDENT = (500, "INTERNAL", None, "Internal error. It has been logged. Try again later.")
VARY = "Accept-Encoding, Accept-Language"
QUOTED = "Invalid JSON body"
"""By the contract, in English."""


def of(kind: str) -> dict[str, Any]:
    return {"json": {"kind": kind}}


@pytest.mark.parametrize(
    ("target", "options", "status", "code", "parameter", "text"),
    [
        ("GET /nowhere", {}, 404, "NOT_FOUND", None, "Unknown address. See /docs for those that exist."),
        ("PUT /thing", {}, 405, "METHOD_NOT_ALLOWED", None, "The method PUT is not allowed here."),
        ("POST /thing?angle=91", {}, 400, "INVALID_INPUT", "angle", "The parameter angle must be a number from 0 to"),
        ("POST /thing?angle=1&angle=2", {}, 400, "INVALID_INPUT", "angle", "The parameter angle is given more than"),
        ("POST /thing?loud=perhaps", {}, 400, "INVALID_INPUT", "loud", "The parameter loud must be true, 1, false"),
        ("POST /thing", NO_JSON, 400, "INVALID_INPUT", None, QUOTED),
        ("POST /thing", {"json": {}}, 400, "INVALID_INPUT", "kind", "The field kind is missing."),
        ("POST /thing", LARGE, 413, "TOO_LARGE", None, "The request is too large: the body can have at most 100 by"),
        ("POST /thing", {"data": b"x"}, 415, "UNSUPPORTED_MEDIA", None, "The body must be sent as application/json"),
        ("POST /thing", ENCODED, 415, "UNSUPPORTED_MEDIA", None, "The body must be sent uncompressed"),
        ("POST /thing", of("own"), 404, "NO_LAND", "kind", "No kind is called x."),
        ("POST /thing", of("away"), 502, "BACKEND_ERROR", None, "The source does not answer."),
        ("POST /thing", of("late"), 504, "BACKEND_TIMEOUT", None, "The source answers too late."),
        ("POST /thing", of("hang"), 503, "UNAVAILABLE", None, "The answer took too long. Try again later."),
        ("POST /thing", of("bug"), *ACCIDENT),
        ("POST /thing", of("nothing"), *ACCIDENT),
    ],
)
async def test_an_error_has_its_code_its_parameter_and_both_languages(
    client: Client, target: str, options: dict[str, Any], status: int, code: str, parameter: str, text: str
) -> None:
    method, path = target.split()
    headers = options.get("headers", {})
    norwegian = await client.ask(path, method, **options)
    english = await client.ask(path, method, **{**options, "headers": {**headers, "Accept-Language": "en"}})
    for asked, language in ((norwegian, "nb"), (english, "en")):
        assert (asked.status, asked.json["code"], asked.json.get("parameter")) == (status, code, parameter)
        assert (asked.headers["Content-Type"], asked.headers["Cache-Control"]) == ("application/json", "no-store")
        if "nothing" not in str(options):  # aiohttp itself finds out that there is no answer
            assert (asked.headers["Content-Language"], asked.headers["Vary"]) == (language, VARY)
            assert ("X-Api-Tier" in asked.headers) == (path != "/nowhere" and "Content-Encoding" not in headers)
    assert english.json["error"].startswith(text)
    assert (norwegian.json["error"] == english.json["error"]) == (text == QUOTED)


async def test_what_errors_carry_beside_their_text(client: Client) -> None:
    assert (await client.ask("/thing", "POST", **NO_JSON)).json["example"] == {"kind": "own"}
    assert (await client.ask("/thing", "POST", json={"kind": "own"})).json["nearest"] == 1
    assert (await client.ask("/thing", "POST", json={"kind": "late"})).headers["Retry-After"] == "5"
    assert problems.INVALID_KEY().headers["WWW-Authenticate"] == "Bearer"
    assert LATE(retry_after_s=0.2).headers["Retry-After"] == "1", "whole seconds, and never at once"


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        (None, "nb"),
        ("en", "en"),
        ("EN-us,en;q=0.9", "en"),
        ("en-GB;q=0.8, nb;q=0.9", "nb"),
        ("de, en;q=0.5", "en"),
        ("nn, en;q=0.9", "nb"),
        ("no-NO, en", "nb"),
        ("de, *", "nb"),
        ("en;q=0", "nb"),
        ("en;q=much", "nb"),
        ("," * 1000, "nb"),
        ("en-" + " " * 7000 + ";", "nb"),
    ],
)
async def test_the_language_that_is_preferred(client: Client, accepted: str | None, language: str) -> None:
    headers = {} if accepted is None else {"Accept-Language": accepted}
    assert (await client.ask("/nowhere", headers=headers)).headers["Content-Language"] == language


def test_a_declared_text_has_a_place_for_every_value_that_it_is_raised_with() -> None:
    declared = [one for one in vars(problems).values() if isinstance(one, Problem)]
    assert len(declared) > 40
    for one in declared:
        assert one.pattern
        assert one.nb.count("{") == one.en.count("{"), one.nb
