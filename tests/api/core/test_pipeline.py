"""The pipeline of computed answers: what is computed when, what is kept, and what an answer says of itself."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
import pytest_asyncio
from aiohttp import web
from pydantic import BaseModel

from api.access.required import Access
from api.core import problems
from api.core.body import Body
from api.core.cache import Cache, FileCache
from api.core.engines import Engines
from api.core.executors import CpuExecutor, ProcessPool
from api.core.pipeline import JSON_FORMAT, Format, Machinery, Pipeline, Selection, origin_of
from api.core.query import Query
from api.core.routing import Route, warn
from tests.api.conftest import Asked, Client, Start
from tests.api.core.served import GATE, route, serve
from tests.support.waiting import until

Choice = Literal["json", "csv", "png", "broken", "secret"]
UNHEX = "binascii:unhexlify"
FORMATS = {
    "json": JSON_FORMAT,
    "csv": Format("text/csv; charset=utf-8", lambda result: str(result["n"]).encode() * 1000, ".csv"),
    "png": Format("image/png", lambda result: f"504e47{result['n']:02x}", ".png", inline=True, draw=UNHEX),
    "broken": Format("image/png", lambda _: "no hexadecimal digits", ".png", draw=UNHEX),
    "secret": Format("application/json", lambda _: b"{}", cached=False),
}  # fmt: skip


class Named(BaseModel):
    name: str


@dataclass
class NumberQuery(Query):
    n: str = "1"
    format: Choice = "json"


@dataclass
class Source:
    """What is read and computed: it counts, fails and waits as it is told."""

    versions: tuple[str, ...] = ("2026-06-01T00",)
    points: tuple[tuple[float, float], ...] = ()
    reads: int = 0
    problem: Callable[[], Exception] | None = None
    asked: int = 0
    may_read: asyncio.Event = field(default_factory=asyncio.Event)
    may_compute: threading.Event = field(default_factory=threading.Event)
    pipeline: Pipeline | None = None

    def __post_init__(self) -> None:
        self.may_read.set()
        self.may_compute.set()

    async def read(self, n: int) -> Callable[[], dict[str, Any]]:
        self.reads += 1
        await self.may_read.wait()
        if self.problem is not None:
            raise self.problem()

        def compute() -> dict[str, Any]:
            assert self.may_compute.wait(60)
            return {"n": n, "warnings": ["Of the calculation."]} if n == 2 else {"n": n, "rows": [0] * 1000}

        return compute

    async def handle(self, request: web.BaseRequest, asked: Any) -> web.StreamResponse:
        self.asked += 1
        query = asked[0] if isinstance(asked, tuple) else asked
        if query.n == "7":
            warn(request, "snowloss is not used with lossmode=none")
        selection = Selection(
            self.versions, origin_of("live"), lambda: self.read(int(query.n)), query.n, points=self.points
        )
        assert self.pipeline is not None
        return await self.pipeline.answer(request, query.format, selection.named(f"numbers_{query.n}"))

    def routes(self) -> tuple[Route, ...]:
        posted = route("/numbers", self.handle, "POST", query=NumberQuery, body=Body(Named, {"name": "x"}))
        return route("/numbers", self.handle, query=NumberQuery), posted


@asynccontextmanager
async def serving(
    source: Source, state: Path, code: str = "1", shared: FileCache | None = None
) -> AsyncIterator[Client]:
    processes, engines = ProcessPool(), Engines(lambda _: None)
    machinery = Machinery(state, code, engines, CpuExecutor(), processes, Cache(1_000_000, len), GATE)
    found = (shared, "X-Service-Cache") if shared else None
    source.pipeline = Pipeline(machinery, FORMATS, {"X-Tmy-License": "ours"}, shared=found)
    async with processes.lifespan(), engines.lifespan(), serve(*source.routes()) as client:
        yield client


@pytest.fixture
async def source() -> Source:
    return Source()


@pytest_asyncio.fixture
async def client(source: Source, tmp_path: Path) -> AsyncIterator[Client]:
    async with serving(source, tmp_path) as client:
        yield client


async def test_a_hundred_equal_requests_compute_once(client: Client, source: Source) -> None:
    source.may_read.clear()
    waiting = [asyncio.create_task(client.ask("/numbers")) for _ in range(100)]
    await until(lambda: source.asked == 100)
    source.may_read.set()
    answers = await asyncio.gather(*waiting)
    assert ({one.status for one in answers}, len({one.text for one in answers}), source.reads) == ({200}, 1, 1)
    assert (await client.ask("/numbers")).text == answers[0].text
    assert source.reads == 1, "and it is kept"


async def test_a_full_queue_is_busy_and_nothing_is_read_for_it(client: Client, source: Source) -> None:
    source.may_read.clear()
    waiting = [asyncio.create_task(client.ask(f"/numbers?n={n}")) for n in range(100)]
    await until(lambda: source.asked == 100)
    await until(lambda: any(one.done() for one in waiting))
    refused = [one.result() for one in waiting if one.done()]
    assert {(one.status, one.json["code"], one.headers["Retry-After"]) for one in refused} == {(503, "BUSY", "1")}
    source.may_read.set()
    statuses = [one.status for one in await asyncio.gather(*waiting)]
    assert statuses.count(200) == source.reads == 64
    assert (await client.ask("/numbers?n=99")).status == 200, "the refusal is not kept"


async def test_a_calculation_holds_up_nobody_else(client: Client, source: Source) -> None:
    source.may_compute.clear()
    waiting = asyncio.create_task(client.ask("/numbers"))
    await until(lambda: source.reads == 1)
    assert (await client.ask("/nowhere")).status == 404
    assert not waiting.done()
    source.may_compute.set()
    assert (await waiting).status == 200


async def test_the_etag_names_the_versions_the_question_the_format_and_the_code(source: Source, tmp_path: Path) -> None:
    tags = set[str]()

    async def ask(client: Client, path: str) -> None:
        before = len(tags)
        tags.add((await client.ask(path)).headers["ETag"])
        assert len(tags) == before + 1, path

    async with serving(source, tmp_path) as client:
        for path in ("/numbers", "/numbers?n=3", "/numbers?format=csv", "/numbers?else=1"):
            await ask(client, path)
        source.versions = ("2026-06-01T01",)
        await ask(client, "/numbers")
        known = {"If-None-Match": ", ".join(tags)}
        reads = source.reads
        assert (await client.ask("/numbers", headers=known)).status == 304
        source.versions = ("2026-06-01T02",)
        assert (await client.ask("/numbers", headers=known)).status == 200
        assert source.reads == reads + 1, "304 reads nothing"
    async with serving(source, tmp_path, code="2") as client:
        assert (await client.ask("/numbers", headers=known)).status == 200, "code that was mended"


async def test_headers_of_an_answer(client: Client) -> None:
    json, csv, png, secret = [
        await client.ask(f"/numbers?n=2&format={one}") for one in ("json", "csv", "png", "secret")
    ]
    assert (json.headers["X-Data-Origin"], json.headers["X-Tmy-License"]) == ("live", "ours")
    assert json.headers["Cache-Control"] == csv.headers["Cache-Control"] == "public, max-age=86400"
    assert "Cache-Control" not in secret.headers
    assert "Content-Disposition" not in json.headers
    assert csv.headers["Content-Disposition"] == "attachment; filename=numbers_2.csv"
    assert png.headers["Content-Disposition"] == "inline; filename=numbers_2.png"
    assert csv.headers["Content-Type"] == "text/csv; charset=utf-8"


UNKNOWN = "Unknown parameters were ignored: lang, x?y, ?=1."


@pytest.mark.parametrize("form", ["json", "csv"])
async def test_what_is_ignored_is_told(client: Client, form: str) -> None:
    def told(asked: Asked) -> list[str]:
        assert asked.status == 200
        if form == "json":
            assert "X-Warning" not in asked.headers
            return list(asked.json.get("warnings", []))
        return [asked.headers["X-Warning"]] if "X-Warning" in asked.headers else []

    own = ["Of the calculation."] if form == "json" else []
    path = f"/numbers?n=2&format={form}"
    assert told(await client.ask(path)) == own
    assert told(await client.ask(f"{path}&lang=no&x%0Ay=1&%2C%3D1=&api_key=sk_live_abc")) == [*own, UNKNOWN]
    assert told(await client.ask(f"{path}&api_key=sk_live_abc")) == own, "the API key is no unknown parameter"
    many = told(await client.ask(path + "".join(f"&{'p' * 100}{n}=1" for n in range(50))))[-1]
    assert many.count("...") == 6, "five, and that there are more"
    assert len(many) < 300
    posted = await client.ask(f"{path}&lang=no", "POST", json={"name": "a", "nåme": 1})
    field = "Unknown fields were ignored: nåme."
    expected = [*own, "Unknown parameters were ignored: lang.", field]
    assert told(posted) == (
        expected if form == "json" else [f"{expected[0]} {field}".encode("ascii", "replace").decode()]
    )
    ignored = told(await client.ask(f"/numbers?n=7&format={form}"))
    assert ignored == ["snowloss is not used with lossmode=none."]


async def test_compressed_bodies_are_kept(client: Client, source: Source) -> None:
    tags = set[str]()
    for _ in range(3):
        asked = await client.ask("/numbers", headers={"Accept-Encoding": "gzip"})
        assert (asked.headers["Content-Encoding"], asked.json["rows"]) == ("gzip", [0] * 1000)
        tags.add(asked.headers["ETag"])
    [tag] = tags
    assert source.reads == 1
    plain = await client.ask("/numbers", headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    assert tag == plain.headers["ETag"].removesuffix('"') + '-gzip"'
    small = await client.ask("/numbers?n=2", headers={"Accept-Encoding": "gzip"})
    assert ("Content-Encoding" in small.headers, small.json["n"]) == (False, 2)


async def test_pictures_are_drawn_by_another_process_and_one_that_fails_is_no_picture(client: Client) -> None:
    drawn = await client.ask("/numbers?format=png&n=3")
    assert (drawn.status, drawn.text) == (200, "PNG\x03")
    refused = await client.ask("/numbers?format=broken")
    assert (refused.status, refused.json["code"], refused.headers["Retry-After"]) == (503, "UNAVAILABLE", "60")
    assert "Bildet" in refused.json["error"]


async def test_answers_that_workers_share_are_found_by_the_next(source: Source, tmp_path: Path) -> None:
    answers = FileCache(tmp_path / "answers")
    for state in ("MISS", "HIT"):
        async with serving(source, tmp_path, shared=answers) as client:
            asked = await client.ask("/numbers", headers={"Accept-Encoding": "gzip"})
            assert (asked.headers["X-Service-Cache"], asked.json["n"]) == (state, 1)
            assert (await client.ask("/numbers")).headers["X-Service-Cache"] == "HIT"
    assert source.reads == 1


async def test_only_an_answer_is_charged_and_a_failure_costs_nothing(start: Start, source: Source) -> None:
    source.points = ((59.91, 10.75),)
    counted = route("/counted", source.handle, query=NumberQuery, access=Access(keyed=True, meter="forecast"))
    api = await start(access="keys", more_routes=(counted,))
    source.pipeline = Pipeline(api.app.machinery, FORMATS)

    async def left(path: str, status: int, **headers: str) -> tuple[int, int]:
        asked = await api.ask(path, headers=headers)
        assert asked.status == status
        tags.append(asked.headers.get("ETag", ""))
        return int(asked.headers["X-Quota-Remaining"]), int(asked.headers["X-Quota-Plants-Remaining"])

    tags: list[str] = []
    source.problem = lambda: problems.DAMAGED(product="tmy")
    requests, plants = await left("/counted", 503)
    source.problem = lambda: RuntimeError("wrong")
    assert await left("/counted", 500) == (requests, plants)
    assert await left("/counted?format=xml", 400) == (requests, plants)
    source.problem = None
    assert await left("/counted", 200) == (requests - 1, plants - 1)
    assert await left("/counted", 304, **{"If-None-Match": tags[-1]}) == (requests - 2, plants - 1)
    assert source.reads == 3
