"""Request bodies: what is read, and how everything else is refused."""

import asyncio
import zlib
from typing import Annotated, Any, Literal

import orjson
import pytest
from aiohttp import web
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from api import texts
from api.body import FORM, MAX_DEPTH, Body
from api.errors import error_response
from api.query import Refused
from api.routing import Route
from tests.api.conftest import Api, StartKept


class System(BaseModel):
    lat: Annotated[float, Field(ge=57, le=72, allow_inf_nan=False)]
    kwp: Annotated[float, Field(gt=0)] = 5.0
    mounting: Literal["roof", "rack"] = "roof"
    years: Annotated[int, Field(lt=30)] = 1
    snow: bool = False


def _not_admin(value: str) -> str:
    if value == "admin":
        raise Refused("name", "Feltet {name} kan ikke være admin.")
    return value


class Asked(BaseModel):
    name: Annotated[str, Field(min_length=2, max_length=100_000), AfterValidator(_not_admin)]
    systems: Annotated[list[System], Field(max_length=2)] = []
    more: Any = None


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str


EXAMPLE = {"name": "tak"}


async def echo(_: web.Request, asked: BaseModel) -> web.Response:
    return web.Response(body=asked.model_dump_json().encode(), content_type="application/json")


def _route(path: str, body: Body) -> Route:
    return Route("POST", path, echo, summary="-", tag="-", body=body, response=dict[str, Any])


ROUTES = (
    _route("/json", Body(Asked, EXAMPLE)),
    _route("/large", Body(Asked, EXAMPLE, max_bytes=3_000_000)),
    _route("/slow", Body(Asked, EXAMPLE, seconds=0.2)),
    _route("/strict", Body(Strict, EXAMPLE)),
    _route("/form", Body(Asked, EXAMPLE, media=FORM)),
)


@pytest.fixture(scope="module")
def kept(start_kept: StartKept) -> Api:
    return start_kept(more_routes=ROUTES)


async def _post(api: Api, path: str, body: bytes, media: str | None = "application/json", **headers: str) -> Any:
    options: dict[str, Any] = {"headers": {**headers, **({"Content-Type": media} if media else {})}, "data": body}
    if media is None:
        options["skip_auto_headers"] = ["Content-Type"]
    return await api.ask(path, "POST", **options)


@pytest.mark.parametrize("media", ["application/json", "Application/JSON; charset=utf-8", "application/geo+json", None])
async def test_a_body_is_read(api: Api, media: str | None) -> None:
    asked = await _post(api, "/json", '{"name":"Ås","systems":[{"lat":59.9}],"else":1}'.encode(), media)
    assert asked.status == 200
    assert asked.json["name"] == "Ås"
    assert asked.json["systems"][0]["lat"] == 59.9
    assert "else" not in asked.json


def _deep(levels: int) -> bytes:
    inside = levels - 1  # the object itself is one
    return b'{"name":"ab","more":' + b"[" * inside + b"]" * inside + b"}"


async def test_depth(api: Api) -> None:
    assert (await _post(api, "/json", _deep(MAX_DEPTH))).status == 200
    assert (await _post(api, "/json", _deep(MAX_DEPTH + 1))).status == 400


UNREADABLE = {
    "empty": b"",
    "cut": b'{"name":"ab"',
    "behind": b'{"name":"ab"} x',
    "no utf-8": b'{"name":"\xff\xfe"}',
    "utf-16": '{"name":"ab"}'.encode("utf-16"),
    "bom": b'\xef\xbb\xbf{"name":"ab"}',
    "half surrogate": b'{"name":"\\ud800ab"}',
    "nan": b'{"name":"ab","more":NaN}',
    "infinity": b'{"name":"ab","more":-Infinity}',
    "overflow": b'{"name":"ab","more":1e999}',
    "deep": _deep(200),
    "very deep": b"[" * 500_000,
    "twice": b'{"name":"ab","name":"cd"}',
    "twice inside": b'{"name":"ab","more":[{"x":1,"x":1}]}',
    "twice, spaced": b'{"name" :"ab","name"\n\t :"cd"}',
    "twice, escaped": b'{"name":"ab","n\\u0061me":"cd"}',
    "twice, beside what looks like names": b'{"name":"\\": \\":","name":"\\":"}',
    "list": b"[1,2]",
    "text": b'"ab"',
    "null": b"null",
}


@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE.keys())
async def test_what_is_no_json_is_answered_with_an_example(api: Api, body: bytes) -> None:
    asked = await _post(api, "/json", body)
    assert (asked.status, asked.json) == (400, {"error": "Invalid JSON body", "example": EXAMPLE})
    assert asked.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("name", ['a":b', '" :" :', "x:", '\\":', " : "])
async def test_texts_that_look_like_names(api: Api, name: str) -> None:
    asked = await _post(api, "/json", orjson.dumps({"name": name, "more": {name: [name, {name: 1}]}}))
    assert (asked.status, asked.json["name"]) == (200, name)


@pytest.mark.parametrize("media", ["text/xml", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
async def test_another_media_type(api: Api, media: str) -> None:
    asked = await _post(api, "/json", b'{"name":"ab"}', media)
    assert (asked.status, asked.json) == (
        415,
        {"error": "Innholdet må sendes som application/json (feltet Content-Type i hodet)."},
    )


async def _chunks(total: int) -> Any:
    yield b'{"name":"'
    for _ in range(total // 10_000):
        yield b"x" * 10_000
    yield b'"}'


def _of_length(length: int) -> bytes:
    empty = b'{"name":"ab","more":""}'
    return empty[:-2] + b"x" * (length - len(empty)) + empty[-2:]


async def test_size(api: Api) -> None:
    assert (await _post(api, "/json", _of_length(1_000_000))).status == 200
    asked = await _post(api, "/json", _of_length(1_000_001))
    assert (asked.status, asked.json) == (413, {"error": texts.BODY_TOO_LARGE.format(limit=1_000_000)})
    assert (await _post(api, "/large", _of_length(3_000_000))).status == 200
    assert (await _post(api, "/large", _of_length(3_000_001))).status == 413


async def test_size_of_a_body_without_length(api: Api) -> None:
    asked = await api.ask("/json", "POST", data=_chunks(1_200_000), headers={"Content-Type": "application/json"})
    assert asked.status == 413


async def test_what_unpacks_to_too_much(api: Api) -> None:
    packed = zlib.compress(_of_length(50_000_000))
    assert len(packed) < 100_000
    asked = await _post(api, "/json", packed, **{"Content-Encoding": "deflate"})
    assert asked.status == 413
    damaged = await _post(api, "/json", b"no zlib stream", **{"Content-Encoding": "deflate"})
    assert (damaged.status, damaged.json["error"]) == (400, "Invalid JSON body")


async def _raw(api: Api, sent: bytes) -> tuple[bytes, bytes]:
    host, port = api.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(sent)
    try:
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        return head, await asyncio.wait_for(reader.readexactly(length), 5)
    finally:
        writer.close()


_HEAD = b"POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


async def test_a_slow_body(api: Api) -> None:
    head, body = await _raw(api, _HEAD + b'Content-Length: 100\r\n\r\n{"name":')
    assert b" 408 " in head.splitlines()[0]
    assert orjson.loads(body) == {"error": texts.BODY_TOO_SLOW.format(seconds=0.2)}


async def test_broken_chunks(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    head, body = await _raw(api, _HEAD + b"Transfer-Encoding: chunked\r\n\r\nXYZ\r\n")
    assert b" 400 " in head.splitlines()[0]
    assert "error" in orjson.loads(body)
    assert "Traceback" not in caplog.text


async def test_who_hangs_up_leaves_no_trace(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    host, port = api.url.removeprefix("http://").split(":")
    _, writer = await asyncio.open_connection(host, int(port))
    writer.write(_HEAD.replace(b"/slow", b"/json") + b'Content-Length: 100\r\n\r\n{"name":')
    await writer.drain()
    writer.close()
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
async def test_violations_name_the_field(api: Api, sent: dict[str, Any], text: str) -> None:
    asked = await _post(api, "/json", orjson.dumps(sent))
    assert (asked.status, asked.json) == (400, {"error": text})


async def test_a_field_named_by_the_caller(api: Api) -> None:
    asked = await _post(api, "/strict", orjson.dumps({"name": "ab", "{name}" + "x" * 5000: 1}))
    assert (asked.status, asked.json) == (400, {"error": f"Feltet {{name}}{'x' * 74} er ukjent."})


async def test_a_form(api: Api) -> None:
    asked = await _post(api, "/form", b"name=%C3%85s+%26+co", FORM)
    assert (asked.status, asked.json["name"]) == (200, "Ås & co")
    assert (await _post(api, "/form", b"", FORM)).json == {"error": "Feltet name mangler."}
    for broken in (b"name=%ff", b"name=a\xff", b"name=ab&name=cd", b"&".join(b"a%d=1" % i for i in range(101))):
        asked = await _post(api, "/form", broken, FORM)
        assert (asked.status, asked.json) == (400, {"error": "Skjemaet lar seg ikke lese."})
    assert (await _post(api, "/form", b'{"name":"ab"}')).status == 415


async def test_the_document_describes_bodies(api: Api) -> None:
    document = (await api.ask("/openapi.json")).json
    described = document["paths"]["/json"]["post"]
    media = described["requestBody"]["content"]["application/json"]
    assert described["requestBody"]["required"] is True
    assert media["example"] == EXAMPLE
    assert media["schema"] == {"$ref": "#/components/schemas/Asked"}
    assert document["components"]["schemas"]["Asked"]["required"] == ["name"]
    assert set(described["responses"]) == {"200", "400", "408", "413", "415"}
    assert FORM in document["paths"]["/form"]["post"]["requestBody"]["content"]
    page = (await api.ask("/docs")).text
    assert "<code>systems[].lat</code>" in page
    assert "{&quot;name&quot;:&quot;tak&quot;}" in page


def test_an_error_answer_can_hold_more_than_its_text() -> None:
    assert orjson.loads(error_response(400, "x", fields={"example": 1}).body or b"") == {"error": "x", "example": 1}
