"""Bodies that are a file: as they are, or as a field of a form."""

import random
from collections.abc import AsyncIterator

import orjson
import pytest
import pytest_asyncio
from aiohttp import FormData, web

from api.core.errors import Problem
from api.core.file_body import FileBody, SentFile
from tests.api.conftest import Client
from tests.api.core.served import connected, read_answer, route, serve

LARGE = Problem(413, "For stor.", "Too large.")
NONE = Problem(422, "Ingen fil.", "No file.", code="NONE")
MEDIA = "multipart/form-data; boundary=x"
FORM = (
    b'--x\r\nContent-Disposition: form-data; name="ord"\r\n\r\nja\r\n'
    b'--x\r\nContent-Disposition: form-data; name="fil"; filename="a.csv"\r\n\r\n1;2\r\n3;4\r\n--x--\r\n'
)


async def tell(_: web.BaseRequest, file: SentFile) -> web.StreamResponse:
    """Tell what was read."""
    return web.json_response([file.content.decode(errors="replace"), file.name, dict(file.fields)])


@pytest_asyncio.fixture
async def api() -> AsyncIterator[Client]:
    slow = FileBody("fil", 10, LARGE, NONE, seconds=0.2)
    bodies = {"/": FileBody("fil", 100_000, LARGE, NONE, ("ord",)), "/slow": slow}
    async with serve(*(route(path, tell, "POST", body=body) for path, body in bodies.items())) as client:
        yield client


@pytest.mark.parametrize("media", ["text/csv", "application/x-www-form-urlencoded", "", "application/json", "?"])
async def test_any_other_body_is_the_file(api: Client, media: str) -> None:
    sent = await api.ask("/", "POST", data=b"1;2", headers={"Content-Type": media})
    assert sent.json == ["1;2", "", {}]


@pytest.mark.parametrize("media", [MEDIA, 'Multipart/Form-Data;boundary="x"', f"{MEDIA}; charset=utf-8"])
async def test_a_form_has_the_file_and_declared_texts(api: Client, media: str) -> None:
    sent = await api.ask("/", "POST", data=FORM, headers={"Content-Type": media})
    assert sent.json == ["1;2\r\n3;4", "a.csv", {"ord": "ja"}]


async def test_a_file_name_that_is_no_utf8_is_text(api: Client) -> None:
    form = FORM.replace(b"a.csv", b"m\xe5lt.csv")
    sent = await api.ask("/", "POST", data=form, headers={"Content-Type": MEDIA})
    name = sent.json[1]
    assert (sent.status, name) == (200, "m?lt.csv")
    assert orjson.dumps(name), "a job's input is made so"


async def test_a_large_form_is_read_too(api: Client) -> None:
    form = FormData()
    form.add_field("fil", b"\r\n--" * 25_000, filename="x")
    sent = await api.ask("/", "POST", data=form)
    assert (sent.status, len(sent.json[0])) == (200, 100_000)
    form = FormData()
    form.add_field("fil", b"x" * 100_001, filename="x")
    assert (await api.ask("/", "POST", data=form)).status == 413


async def test_of_fields_that_come_twice_the_first_counts(api: Client) -> None:
    twice = FORM.replace(b"--x--\r\n", FORM.replace(b"1;2", b"5").replace(b"ja", b"nei"))
    sent = await api.ask("/", "POST", data=twice, headers={"Content-Type": MEDIA})
    assert sent.json == ["1;2\r\n3;4", "a.csv", {"ord": "ja"}]


@pytest.mark.parametrize(
    "form",
    [
        b"", b"--x--\r\n", b"--y\r\n", FORM[:60], FORM.replace(b'"fil"', b'"file"'), FORM.replace(b"ja", b"\xff"),
        FORM.replace(b'\r\n\r\n1;2', b"\r\nContent-Type: multipart/mixed; boundary=z\r\n\r\n1;2"),
        b"\r\n" * 60_000,
        b"--x\r\n" + b"A: b\r\n" * 5000,
    ],
)  # fmt: skip
async def test_a_form_that_cannot_be_read_is_refused(api: Client, form: bytes) -> None:
    refused = await api.ask("/", "POST", data=form, headers={"Content-Type": MEDIA})
    assert refused.status == 422, refused.text


async def test_damaged_forms_are_never_an_error_of_ours(api: Client) -> None:
    chance = random.Random(1)
    for _ in range(300):
        form = bytearray(FORM)
        for _ in range(chance.randint(1, 4)):
            form[chance.randrange(len(form))] = chance.randrange(256)
        cut = bytes(form[: chance.randint(1, len(form))])
        sent = await api.ask("/", "POST", data=cut, headers={"Content-Type": MEDIA})
        assert sent.status in (200, 422), cut


async def test_a_file_that_does_not_arrive_in_time_is_408(api: Client) -> None:
    async with connected(api) as (reader, writer):
        writer.write(b"POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n12")
        assert (await read_answer(reader)).status == 408
