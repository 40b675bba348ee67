"""Every route of the document, asked by schemathesis in all its ways: with a key of the plan pro, and without one."""

import asyncio
import copy
import itertools
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from math import cos, radians
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import orjson
import pytest
import schemathesis
from hypothesis import strategies as st
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema
from schemathesis.generation.meta import TestPhase

from api.access import keys
from api.access.secret import Secret
from api.database.engine import address, make_async_engine
from api.forecast.models import LAT, LON
from infra.settings import Area, Settings
from tests.api.fabricated import CYCLE, DAMAGED_CELL, MISSING_CELL, entry, hydrate, write_index
from tests.support.worker import until, worker
from tiles.clock import iso
from tiles.grid import FORECAST

NOW = CYCLE + timedelta(hours=2, minutes=30)
AREAS = Settings.from_environment({}).areas
SECRET = "a secret of thirty-two characters"
FORECAST_ROUTE = "GET /api/forecast"
REGISTER_ROUTE = "POST /api/register"
VERIFY_ROUTES = ("GET /api/verify", "POST /api/verify")
NO_DATA = [(float(FORECAST.lats[i]), float(FORECAST.lons[j])) for i, j in (MISSING_CELL, DAMAGED_CELL)]
WHERE = ("area", "anywhere", "no data", "anywhere", "area", "anywhere", "as it is", "area", "anywhere")

CONFIG: dict[str, Any] = {
    "generation": {"deterministic": True, "no-shrink": True, "unique-inputs": True, "max-examples": 30},
    "continue-on-failure": True,
    "request-timeout": 10,
    "operations": [
        # Its schema cannot say that a place is needed, lat and lon or else site; and two cells have no data here.
        {
            "include-name": FORECAST_ROUTE,
            "generation": {"max-examples": 140},
            "checks": {
                "positive_data_acceptance": {"enabled": False},
                "not_a_server_error": {"expected-statuses": ["2xx", "3xx", "4xx", "503"]},
            },
        },
        # No token that can be made up is one that was mailed.
        *({"include-name": name, "checks": {"positive_data_acceptance": {"enabled": False}}} for name in VERIFY_ROUTES),
    ],
}
FEW = copy.deepcopy(CONFIG)
FEW["generation"]["max-examples"] = FEW["operations"][0]["generation"]["max-examples"] = 10

# Made-up addresses end in .test, which no mail server has, and which is refused for that.
ADDRESSES = st.from_regex(r"[a-z][a-z0-9.]{0,20}[a-z0-9]@example\.(com|no)", fullmatch=True)
schemathesis.openapi.format("email", ADDRESSES.filter(lambda address: ".." not in address))


@schemathesis.check
def says_what_every_answer_says(_: Any, response: Any, case: Any) -> None:
    """Hold every answer, also that to a method which no route declares, to what all answers carry."""
    assert re.fullmatch(r"[0-9a-f]{32}", _header(response, "X-Request-Id"))
    assert _header(response, "Access-Control-Allow-Origin") == "*"
    if response.status_code >= 400 and "json" in _header(response, "Content-Type"):
        assert response.json()["error"]
    declared = case.operation.definition.raw["responses"].values()
    if response.status_code not in (204, 405) and any("X-Quota-Limit" in one.get("headers", ()) for one in declared):
        limit, remaining = (int(_header(response, f"X-Quota-{name}")) for name in ("Limit", "Remaining"))
        assert 0 <= remaining <= limit
        assert int(_header(response, "X-Quota-Reset")) == CYCLE.timestamp() + 86_400


@schemathesis.check
def refuses_in_documented_words(_: Any, response: Any, case: Any) -> None:
    """Hold refusals and failures to the texts of the document: it quotes them, with `...` and `N` for what varies."""
    status = response.status_code
    if status not in (401, 403, 429) and status < 500:
        return
    media = case.operation.definition.raw["responses"].get(str(status), {}).get("content", {}).get("application/json")
    if media is None:
        return  # which is what other checks are about
    documented = [example["value"]["error"] for example in media["examples"].values()]
    error = response.json()["error"]
    assert any(re.match(_pattern(text), error) for text in documented), f"{error!r} is none of {documented}"


def _pattern(text: str) -> str:
    return re.sub(r"\\\.\\\.\\\.|\bN\b", ".*", re.escape(text))


def _header(response: Any, name: str) -> str:
    values = response.headers.get(name.lower())
    assert values is not None, f"{response.status_code} without {name}"
    return str(values[0])


@dataclass
class Live:
    """A worker that runs, its document, and a key for it."""

    url: str
    document: Any
    key: str


@dataclass(frozen=True)
class Answer:
    """What one case got."""

    route: str
    method: str
    query: dict[str, list[str]]
    status: int
    headers: frozenset[str]
    body: bytes


@dataclass
class Run:
    """What came of one run."""

    answers: list[Answer] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)

    def statuses(self, route: str) -> Counter[int]:
        """Count the answers of a route."""
        return Counter(answer.status for answer in self.answers if answer.route == route)


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Iterator[Live]:
    """One worker over a fabricated tile, its clock frozen soon after the cycle."""
    folder = tmp_path_factory.mktemp("contract")
    hydrate(folder / "state", entry())
    write_index(folder / "tiles", entry())
    database = f"sqlite:///{shutil.copy(migrated_sqlite, folder / 'solflis.sqlite')}"
    key = asyncio.run(_issue(database, folder))
    settings = {"ACCESS": "keys", "DATABASE": database, "SECRET": SECRET}
    with worker(str(folder / "tiles"), folder / "state", f"{iso(NOW)}!", folder / "log", **settings) as url:
        until(url, "/api/forecast/latest", 200)
        yield Live(url, httpx.get(f"{url}/openapi.json").json(), key)
    assert '"level":"ERROR"' not in (folder / "log").read_text().upper()


async def _issue(database: str, state: Path) -> str:
    engine = make_async_engine(address(database, state))
    key = await keys.issue(engine, Secret(SECRET.encode()), "contract@example.com", "pro", NOW)
    await engine.dispose()
    return key


def run(url: str, document: Any, headers: dict[str, str], *, apart: bool = False, few: bool = False) -> Run:
    """Ask everything.

    Parameters
    ----------
    url : str
    document : object
    headers : dict
        Of every request.
    apart : bool
        Whether every request comes from an address of its own.
    few : bool
        Whether fuzzing is short.
    """
    config = SchemathesisConfig.from_dict(FEW if few else CONFIG)
    schema = schemathesis.openapi.from_dict(copy.deepcopy(document), config=config)
    schema.config.update(base_url=url, headers=headers)
    schema.hooks.register_hook_with_name(_Places(), "map_case")
    if apart:
        numbers = itertools.count(1)

        def from_elsewhere(_: Any, case: Any) -> Any:
            case.headers["X-Forwarded-For"] = f"2001:db8:{next(numbers):x}::1"
            return case

        schema.hooks.register_hook_with_name(from_elsewhere, "map_case")
    ran = Run()
    for event in from_schema(schema).execute():
        if isinstance(event, events.ScenarioFinished):
            _read(ran, event.recorder)
        elif isinstance(event, events.NonFatalError):
            ran.failures.append((event.label, str(event.info)))
    return ran


def _read(ran: Run, recorder: Any) -> None:
    for case_id, asked in recorder.interactions.items():
        assert asked.response is not None, asked.request.uri
        query = parse_qs(urlsplit(asked.request.uri).query, keep_blank_values=True)
        headers = frozenset(name.lower() for name in asked.response.headers)
        answer = asked.response
        ran.answers.append(
            Answer(recorder.label, asked.request.method, query, answer.status_code, headers, answer.content)
        )
        for check in recorder.checks.get(case_id, ()):
            if check.failure_info is not None:
                failure = check.failure_info.failure
                text = f"{recorder.label}: {failure.title}: {failure.message}\n{check.failure_info.code_sample}"
                ran.failures.append((check.name, text))


class _Places:
    """Gives most queries that are meant to be good a place: in a demo area, anywhere covered, or without data.

    Hypothesis itself prefers few and simple numbers, which would all be one corner of the country.
    """

    def __init__(self) -> None:
        self._random, self._where = Random(1), itertools.cycle(WHERE)

    def __call__(self, _: Any, case: Any) -> Any:
        names = {parameter.name for parameter in case.operation.query}
        if {"lat", "lon"} <= names and case.query is not None:
            about = case.meta.phase.data.parameter
            query = dict(case.query)
            if case.meta.phase.name == TestPhase.FUZZING and case.meta.generation.mode.is_positive:
                query |= self._place()
            if {"site", "lat"} <= query.keys():  # both together are refused, which would hide everything else
                unwanted = ("lat", "lon") if about == "site" else ("site",)
                query = {name: value for name, value in query.items() if name not in unwanted}
            case.query = query
        return case

    def _place(self) -> dict[str, float]:
        where = next(self._where)
        if where == "as it is":
            return {}
        if where == "no data":
            lat, lon = self._random.choice(NO_DATA)
        elif where == "anywhere":
            lat, lon = self._random.uniform(*LAT), self._random.uniform(*LON)
        else:
            area = self._random.choice(AREAS)
            high, wide = _half_sides(area)
            lat = area.lat + self._random.uniform(-1, 1) * high
            lon = area.lon + self._random.uniform(-1, 1) * wide
        return {"lat": lat, "lon": lon}


def _half_sides(area: Area) -> tuple[float, float]:
    half = area.side_km / 2 / 111.2
    return half, half / cos(radians(area.lat))


def _points(ran: Run) -> set[tuple[float, float]]:
    points = set()
    for answer in ran.answers:
        with suppress(KeyError, ValueError):
            points.add((float(answer.query["lat"][0]), float(answer.query["lon"][0])))
    return points


def _in_a_demo_area(point: tuple[float, float]) -> bool:
    for area in AREAS:
        high, wide = _half_sides(area)
        if abs(point[0] - area.lat) <= high and abs(point[1] - area.lon) <= wide:
            return True
    return False


def _told(ran: Run) -> str:
    return "\n\n".join(dict.fromkeys(text for _, text in ran.failures))


def _routes(document: Any) -> set[str]:
    return {f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item}


@pytest.fixture(scope="module")
def keyed(live: Live) -> Run:
    """Everything, with a key, each request from an address of its own."""
    return run(live.url, live.document, {"X-API-Key": live.key}, apart=True)


def test_with_a_key_of_the_plan_pro(live: Live, keyed: Run) -> None:
    assert not keyed.failures, _told(keyed)
    assert {answer.route for answer in keyed.answers} == _routes(live.document)
    for path in live.document["paths"]:
        refused = {a.method for a in keyed.answers if a.route.endswith(f" {path}") and a.status == 405}
        assert len(refused) >= 5, f"{path}: other methods than {refused}"
    assert {200, 304, 400, 503} <= set(keyed.statuses(FORECAST_ROUTE))
    assert not {401, 403, 429} & set(keyed.statuses(FORECAST_ROUTE))
    assert {200, 400, 415} <= set(keyed.statuses(REGISTER_ROUTE))


def test_a_third_of_the_points_lies_in_the_demo_areas(keyed: Run) -> None:
    points = _points(keyed)
    assert len(points) >= 80
    share = sum(map(_in_a_demo_area, points)) / len(points)
    assert 0.28 <= share <= 0.4, f"{share:.2f} of {len(points)} points"


def test_every_documented_header_of_a_forecast_is_seen(live: Live, keyed: Run) -> None:
    documented = live.document["paths"]["/api/forecast"]["get"]["responses"]["200"]["headers"]
    seen = {name for a in keyed.answers if a.route == FORECAST_ROUTE and a.status == 200 for name in a.headers}
    assert {name.lower() for name in documented} <= seen


def test_without_a_key(live: Live) -> None:
    ran = run(live.url, live.document, {})
    assert not ran.failures, _told(ran)
    assert {answer.route for answer in ran.answers} == _routes(live.document)
    statuses = ran.statuses(FORECAST_ROUTE)
    assert {200, 400, 403, 429} <= set(statuses)
    assert statuses[200] + statuses[304] <= 24
    quotas = [orjson.loads(a.body)["quota"] for a in ran.answers if a.route == FORECAST_ROUTE and a.status == 429]
    assert all(quota["plan"] == "anonymous" and quota["limit"] == quota["used"] == 1 for quota in quotas)
    assert 429 in ran.statuses(REGISTER_ROUTE)


def _alone(document: Any, path: str) -> Any:
    return copy.deepcopy({**document, "paths": {path: document["paths"][path]}})


@pytest.mark.parametrize("way", ["an unknown key", "used up"])
def test_whoever_may_not(live: Live, way: str) -> None:
    headers = {"X-API-Key": "sk_live_unknown"} if way == "an unknown key" else {"X-Forwarded-For": "198.51.100.7"}
    for _ in range(24):
        httpx.get(f"{live.url}/api/forecast?lat=59.91&lon=10.75", headers=headers)
    ran = run(live.url, _alone(live.document, "/api/forecast"), headers, few=True)
    assert not ran.failures, _told(ran)
    statuses = ran.statuses(FORECAST_ROUTE)
    assert statuses[401] >= 2
    assert not {200, 304, 429} & set(statuses)


def _forget_400(operation: Any) -> None:
    del operation["responses"]["400"]


def _forget_503(operation: Any) -> None:
    del operation["responses"]["503"]


def _make_the_site_a_number(operation: Any) -> None:
    schema = {"type": "object", "properties": {"site": {"type": "integer"}}}
    operation["responses"]["200"]["content"]["application/json"]["schema"] = schema


def _demand_a_header(operation: Any) -> None:
    operation["responses"]["200"]["headers"]["X-Absent"] = {"required": True, "schema": {"type": "string"}}


def _say_text(operation: Any) -> None:
    operation["responses"]["200"]["content"] = {"text/plain": {}}


def _reword(operation: Any) -> None:
    operation["responses"]["503"]["content"]["application/json"]["examples"] = {"e": {"value": {"error": "Closed"}}}


def _demand_a_name(operation: Any) -> None:
    email = {"type": "string", "format": "email"}
    schema = {"type": "object", "required": ["email", "name"], "properties": {"email": email, "name": {}}}
    operation["requestBody"]["content"]["application/json"] = {"schema": schema}


def _take_any_text(operation: Any) -> None:
    schema = {"type": "object", "required": ["email"], "properties": {"email": {"type": "string"}}}
    operation["requestBody"]["content"]["application/json"] = {"schema": schema}


@pytest.mark.parametrize(
    ("route", "damage", "check"),
    [
        (FORECAST_ROUTE, _forget_400, "status_code_conformance"),
        (FORECAST_ROUTE, _forget_503, "status_code_conformance"),
        (FORECAST_ROUTE, _make_the_site_a_number, "response_schema_conformance"),
        (FORECAST_ROUTE, _demand_a_header, "response_headers_conformance"),
        (FORECAST_ROUTE, _say_text, "content_type_conformance"),
        (FORECAST_ROUTE, _reword, "refuses_in_documented_words"),
        (REGISTER_ROUTE, _demand_a_name, "negative_data_rejection"),
        (REGISTER_ROUTE, _take_any_text, "positive_data_acceptance"),
    ],
)
def test_a_document_that_says_something_else_is_noticed(
    live: Live, route: str, damage: Callable[[Any], None], check: str
) -> None:
    method, path = route.split()
    document = _alone(live.document, path)
    damage(document["paths"][path][method.lower()])
    ran = run(live.url, document, {"X-API-Key": live.key}, apart=True, few=True)
    assert check in {name for name, _ in ran.failures}, _told(ran)
