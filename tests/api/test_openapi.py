"""The document says what the router does, is valid, and can be read without any other file."""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from aiohttp.test_utils import TestServer
from anyio.from_thread import BlockingPortal
from openapi_spec_validator import validate

from infra.simulator.server import create_app as create_simulator
from tests.api.conftest import Api, MovableClock, Start, StartKept


@pytest.fixture(scope="module")
def kept(
    elsewhere: BlockingPortal, start_kept: StartKept, full_store: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Api]:
    """An application with everything that examples ask."""
    service = TestServer(create_simulator(MovableClock(), tmp_path_factory.mktemp("simulator"), 5))
    with elsewhere.wrap_async_context_manager(service):
        yield start_kept(store_folder=full_store, locationforecast_url=str(service.make_url("/locationforecast")))


async def test_it_is_valid_openapi_31(api: Api) -> None:
    document = (await api.ask("/openapi.json")).json
    validate(document)
    assert document["openapi"].startswith("3.1")
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", document["info"]["version"])


async def test_no_registered_route_is_missing(api: Api) -> None:
    document = (await api.ask("/openapi.json")).json
    described = {(m.upper(), path) for path, item in document["paths"].items() for m in item}
    registered = {
        (route.method, route.resource.canonical)
        for route in api.app.router.routes()
        if route.resource is not None and route.method not in ("HEAD", "OPTIONS", "*")
    }
    assert registered == described
    assert len(described) >= 6


async def test_errors_of_the_forecast_are_described(api: Api) -> None:
    responses = (await api.ask("/openapi.json")).json["paths"]["/api/forecast"]["get"]["responses"]
    assert set(responses) == {"200", "304", "400", "401", "403", "404", "429", "502", "503"}
    texts = [e["value"]["error"] for e in responses["403"]["content"]["application/json"]["examples"].values()]
    assert texts == [
        "Daily stitched forecast requires Basic tier or higher",
        "Extended forecast requires Basic tier or higher",
    ]


async def test_parameters_are_those_that_are_read(api: Api) -> None:
    operation = (await api.ask("/openapi.json")).json["paths"]["/api/forecast"]["get"]
    parameters = {p["name"]: p for p in operation["parameters"]}
    expected = [
        "lat",
        "lon",
        "site",
        "anlegg_id",
        "model",
        "daily",
        "extended",
        "snow",
        "precise",
        "layout",
        "v23b",
        "corrected",
        "fresh",
    ]
    assert list(parameters) == [*expected, "If-None-Match"]
    assert parameters["lat"]["schema"] == {"type": "number", "minimum": 57, "maximum": 72}
    assert parameters["model"]["schema"] == {"type": "string", "enum": ["v23b", "v1"], "default": "v23b"}
    assert parameters["fresh"]["deprecated"] is True
    assert parameters["daily"]["schema"]["enum"] == ["true", "1", "false", "0"]


async def test_a_repeated_parameter_is_refused_as_documented(api: Api) -> None:
    document = (await api.ask("/openapi.json")).json
    asked_of = []
    for path, method, operation in _operations(document):
        for name in [p["name"] for p in operation["parameters"] if p["in"] == "query"]:
            refused = await api.ask(f"{path}?{name}=1&{name}=2", method.upper())
            asked_of.append(path)
            assert refused.status == 400
            examples = operation["responses"]["400"]["content"][refused.headers["Content-Type"]]["examples"]
            documented = [example["value"]["error"].replace("...", name) for example in examples.values()]
            assert any(refused.json["error"].endswith(text) for text in documented)
    forecasts = {"/api/forecast", "/api/forecast/extended", "/api/forecast/nowcast"}
    horizons = {"/api/horizon/terrain", "/api/horizon/rooftop"}
    typical_years = {"/api/tmy", "/api/tmy/stats", "/api/tmy/sources"}
    snow = {"/api/snowsoiling/calc", "/api/snow/outlook", "/api/snowload/calc"}
    assert set(asked_of) == {*forecasts, *typical_years, *horizons, *snow, "/api/pv/calc", "/api/verify"}


def _operations(document: Any) -> Iterator[tuple[str, str, Any]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


async def test_only_what_needs_a_token_has_no_example(api: Api) -> None:
    document = (await api.ask("/openapi.json")).json
    without = [
        path for path, method, operation in _operations(document) if method == "get" and "x-examples" not in operation
    ]
    assert without == ["/api/verify"]


async def test_examples_run_and_match_their_schemas(api: Api) -> None:
    document = (await api.ask("/openapi.json")).json
    ran = 0
    for path, method, operation in _operations(document):
        if method == "post":
            [media] = operation["requestBody"]["content"].values()
            schema = {**media["schema"], "components": document["components"]}
            jsonschema.validate(media["example"], schema)
            continue
        for example in operation.get("x-examples", ()):
            assert example.split("?")[0] == path
            asked = await api.ask(example, allow_redirects=False)
            [success] = [status for status in operation["responses"] if status < "304"]
            assert str(asked.status) == success, example
            ran += 1
            if success == "302":
                continue
            content = operation["responses"][success]["content"]
            media = asked.headers["Content-Type"].split(";")[0]
            assert media in content
            if media == "application/json":
                jsonschema.validate(asked.json, {**content[media]["schema"], "components": document["components"]})
    assert ran >= 11


async def test_docs_page_needs_no_other_file(api: Api) -> None:
    page = await api.ask("/docs")
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "://" not in page.text
    assert not re.search(r"<(script|link|img|iframe)", page.text)
    document = (await api.ask("/openapi.json")).json
    for path, _, operation in _operations(document):
        assert f"<code>{path}</code>" in page.text
        assert html.escape(operation["summary"]) in page.text
    for link in re.findall(r'href="([^"]+)"', page.text):
        assert (await api.ask(link.replace("&amp;", "&"))).status == 200
    assert "<code>ghi_timeseries[].ghi_wm2</code>" in page.text
    assert "number, at least 0, at most 1, default 0.85" in page.text
    assert "true, false, 1, 0, default false" in page.text


async def test_docs_say_what_the_plans_allow_here(start: Start, tmp_path: Path) -> None:
    plan = "kwp_per_plant = 12.5\nsystems_per_bulk = 1\n"
    (tmp_path / "plans.toml").write_text(
        f"[anonymous]\nrequests_per_day = 31\nplants_per_day = 2\n{plan}"
        f"[plans.free]\nrequests_per_day = 4321\nplants_per_day = 17\n{plan}"
        f"[plans.'<gold>']\nrequests_per_day = 5\nplants_per_day = 6\n{plan}[tmy]\nrequests_per_day = 1\n"
    )
    page = (await (await start(access="keys", plans=tmp_path / "plans.toml")).ask("/docs")).text
    for row in (
        ("without key, per IP address", "31", "2"),
        ("free", "4321", "17"),
        ("&lt;gold&gt;", "5", "6"),
    ):
        assert "".join(f"<td>{cell}</td>" for cell in (*row, "12.5")) in page
    assert "<gold>" not in page
    for name in ("Limit", "Remaining", "Reset", "Plants-Limit", "Plants-Remaining"):
        assert f"<code>X-Quota-{name}</code>" in page


async def test_docs_of_an_open_installation_name_no_quota(start: Start) -> None:
    page = (await (await start(access="open")).ask("/docs")).text
    assert "everybody may do everything" in page
    assert "Requests a day" not in page


@pytest.mark.parametrize("path", ["/openapi.json", "/docs"])
async def test_nothing_of_pydantic_shows(api: Api, path: str) -> None:
    assert "pydantic" not in (await api.ask(path)).text.lower()


async def test_the_page_shows_the_fields_of_every_kind_of_row(api: Api) -> None:
    page = (await api.ask("/docs")).text
    bulk = "results.&lt;key&gt;"
    for field in ("timeseries[].cloud_fraction", f"{bulk}.error", f"{bulk}.pv_system.total_kwp"):
        assert f"<code>{field}</code>" in page, field
    assert "regional_model or external_forecast" in page
