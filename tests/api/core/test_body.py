"""Request bodies: what is read, and how everything else is refused."""

from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

import orjson
import pytest
import pytest_asyncio
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from api.core.body import FORM, MAX_DEPTH, Body
from api.core.errors import Problem
from tests.api.conftest import Asked, Client
from tests.api.core.served import connected, echo, exchange, read_answer, route, serve

NOT_ADMIN = Problem(400, "Feltet {name} kan ikke være admin.", "The field {name} cannot be admin.")


class System(BaseModel):
    lat: Annotated[float, Field(ge=57, le=72, allow_inf_nan=False)]
    kwp: Annotated[float, Field(gt=0)] = 5.0
    mounting: Literal["roof", "rack"] = "roof"
    years: Annotated[int, Field(lt=30)] = 1
    snow: bool = False


def _not_admin(value: str) -> str:
    if value == "admin":
        raise NOT_ADMIN("name")
    return value


class Named(BaseModel):
    name: Annotated[str, Field(min_length=2, max_length=100_000), AfterValidator(_not_admin)]
    systems: Annotated[list[System], Field(max_length=2)] = []
    more: Any = None


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str


EXAMPLE = {"name": "tak"}
BODIES = {
    "/json": Body(Named, EXAMPLE),
    "/large": Body(Named, EXAMPLE, max_bytes=3_000_000),
    "/slow": Body(Named, EXAMPLE, seconds=0.2),
    "/strict": Body(Strict, EXAMPLE),
    "/form": Body(Named, EXAMPLE, media=FORM),
}


@pytest_asyncio.fixture
async def api() -> AsyncIterator[Client]:
    async with serve(*(route(path, echo, "POST", body=body) for path, body in BODIES.items())) as client:
        yield client


async def _post(api: Client, path: str, body: bytes, media: str | None = "application/json") -> Asked:
    headers = {"Content-Type": media} if media else {}
    return await api.ask(path, "POST", headers=headers, data=body, skip_auto_headers=["Content-Type"])


@pytest.mark.parametrize("media", ["application/json", "Application/JSON; charset=utf-8", "application/geo+json", None])
async def test_a_body_is_read(api: Client, media: str | None) -> None:
    asked = await _post(api, "/json", '{"name":"Ås","systems":[{"lat":59.9}],"else":1}'.encode(), media)
    assert asked.status == 200
    assert asked.json["name"] == "Ås"
    assert asked.json["systems"][0]["lat"] == 59.9
    assert "else" not in asked.json


def _deep(levels: int) -> bytes:
    inside = levels - 1  # the object itself is one
    return b'{"name":"ab","more":' + b"[" * inside + b"]" * inside + b"}"


async def test_depth(api: Client) -> None:
    assert (await _post(api, "/json", _deep(MAX_DEPTH))).status == 200
    assert (await _post(api, "/json", _deep(MAX_DEPTH + 1))).status == 400


UNREADABLE = {
    "empty": b"",
    "behind": b'{"name":"ab"} x',
    "no utf-8": b'{"name":"\xff\xfe"}',
    "half surrogate": b'{"name":"\\ud800ab"}',
    "nan": b'{"name":"ab","more":NaN}',
    "overflow": b'{"name":"ab","more":1e999}',
    "very deep": b"[" * 500_000,
    "twice": b'{"name":"ab","name":"cd"}',
    "twice inside": b'{"name":"ab","more":[{"x":1,"x":1}]}',
    "twice, spaced": b'{"name" :"ab","name"\n\t :"cd"}',
    "twice, escaped": b'{"name":"ab","n\\u0061me":"cd"}',
    "twice, beside what looks like names": b'{"name":"\\": \\":","name":"\\":"}',
    "list": b"[1,2]",
}


@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE.keys())
async def test_what_is_no_json_is_answered_with_an_example(api: Client, body: bytes) -> None:
    asked = await _post(api, "/json", body)
    assert (asked.status, asked.json["error"], asked.json["example"]) == (400, "Invalid JSON body", EXAMPLE)


@pytest.mark.parametrize("name", ['a":b', '" :" :', "x:", '\\":', " : "])
async def test_texts_that_look_like_names(api: Client, name: str) -> None:
    asked = await _post(api, "/json", orjson.dumps({"name": name, "more": {name: [name, {name: 1}]}}))
    assert (asked.status, asked.json["name"]) == (200, name)


async def _chunks(total: int) -> AsyncIterator[bytes]:
    for _ in range(total // 10_000):
        yield b" " * 10_000


def _of_length(length: int) -> bytes:
    empty = b'{"name":"ab","more":""}'
    return empty[:-2] + b"x" * (length - len(empty)) + empty[-2:]


async def test_size(api: Client) -> None:
    assert (await _post(api, "/json", _of_length(1_000_000))).status == 200
    assert (await _post(api, "/json", _of_length(1_000_001))).status == 413
    assert (await _post(api, "/large", _of_length(3_000_000))).status == 200
    asked = await api.ask("/json", "POST", data=_chunks(1_200_000), headers={"Content-Type": "application/json"})
    assert asked.status == 413


_HEAD = b"POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


async def test_a_slow_body(api: Client) -> None:
    [answer] = await exchange(api, _HEAD + b'Content-Length: 100\r\n\r\n{"name":', closes=True)
    assert (answer.status, orjson.loads(answer.body)["code"]) == (408, "REQUEST_TIMEOUT")


@pytest.mark.parametrize(
    "chunks", [b"XYZ\r\n", b"zz\r\nhello\r\n0\r\n\r\n", b"5\r\nhelloXX0\r\n\r\n", b"-5\r\nhello\r\n"]
)
async def test_broken_chunks(api: Client, chunks: bytes, caplog: pytest.LogCaptureFixture) -> None:
    async with connected(api) as (reader, writer):
        writer.write(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunks)
        answer = await read_answer(reader)
    assert (answer.status, orjson.loads(answer.body)["code"]) == (400, "INVALID_INPUT")
    assert "Traceback" not in caplog.text


async def test_who_hangs_up_leaves_no_trace(api: Client, caplog: pytest.LogCaptureFixture) -> None:
    async with connected(api) as (_, writer):
        writer.write(_HEAD.replace(b"/slow", b"/json") + b'Content-Length: 100\r\n\r\n{"name":')
        await writer.drain()
    assert (await _post(api, "/json", b'{"name":"ab"}')).status == 200
    assert "unexpected" not in caplog.text


VIOLATIONS = [
    ({}, "Feltet name mangler."),
    ({"name": 1}, "Feltet name må være tekst."),
    ({"name": "a"}, "Feltet name må ha minst 2 tegn."),
    ({"name": "a" * 100_001}, "Feltet name kan ha høyst 100000 tegn."),
    ({"name": "admin"}, "Feltet name kan ikke være admin."),
    ({"name": "ab", "systems": {}}, "Feltet systems må være en liste."),
    ({"name": "ab", "systems": [1]}, "Feltet systems[0] må være et objekt."),
    ({"name": "ab", "systems": [{}] * 3}, "Feltet systems kan ha høyst 2 verdier."),
    ({"name": "ab", "systems": [{"lat": 60}, {}]}, "Feltet systems[1].lat mangler."),
    ({"name": "ab", "systems": [{"lat": "x"}]}, "Feltet systems[0].lat må være et tall."),
    ({"name": "ab", "systems": [{"lat": 56.5}]}, "Feltet systems[0].lat må være minst 57."),
    ({"name": "ab", "systems": [{"lat": 73}]}, "Feltet systems[0].lat må være høyst 72."),
    ({"name": "ab", "systems": [{"lat": 60, "kwp": 0}]}, "Feltet systems[0].kwp må være større enn 0."),
    ({"name": "ab", "systems": [{"lat": 60, "years": 30}]}, "Feltet systems[0].years må være mindre enn 30."),
    ({"name": "ab", "systems": [{"lat": 60, "years": 1.5}]}, "Feltet systems[0].years må være et heltall."),
    ({"name": "ab", "systems": [{"lat": 60, "snow": "ja"}]}, "Feltet systems[0].snow må være true eller false."),
    (
        {"name": "ab", "systems": [{"lat": 60, "mounting": "x"}]},
        "Feltet systems[0].mounting må være en av: roof, rack.",
    ),
]


@pytest.mark.parametrize(("sent", "text"), VIOLATIONS, ids=[text for _, text in VIOLATIONS])
async def test_violations_name_the_field(api: Client, sent: dict[str, Any], text: str) -> None:
    asked = await _post(api, "/json", orjson.dumps(sent))
    assert (asked.status, asked.json["error"]) == (400, text)
    assert asked.json["parameter"] == text.split()[1].removesuffix(".")


async def test_a_field_named_by_the_caller(api: Client) -> None:
    asked = await _post(api, "/strict", orjson.dumps({"name": "ab", "{name}" + "x" * 5000: 1}))
    assert (asked.status, asked.json["error"]) == (400, f"Feltet {{name}}{'x' * 74} er ukjent.")


async def test_a_form(api: Client) -> None:
    asked = await _post(api, "/form", b"name=%C3%85s+%26+co", FORM)
    assert (asked.status, asked.json["name"]) == (200, "Ås & co")
    assert (await _post(api, "/form", b"", FORM)).json["error"] == "Feltet name mangler."
    for broken in (b"name=%ff", b"name=a\xff", b"name=ab&name=cd", b"&".join(b"a%d=1" % i for i in range(101))):
        asked = await _post(api, "/form", broken, FORM)
        assert (asked.status, asked.json["error"]) == (400, "Skjemaet lar seg ikke lese.")
    assert (await _post(api, "/form", b'{"name":"ab"}')).status == 415
