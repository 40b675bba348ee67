"""The document says what the router does, is valid, and can be read without any other file."""

import html
import itertools
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from anyio.from_thread import BlockingPortal
from openapi_spec_validator import validate

from api.core.body import JSON
from api.core.settings import PLANS
from tests.api.conftest import Api, MovableClock, Start, StartKept
from tests.support.simulated import simulated


@pytest.fixture(scope="module")
def kept(
    elsewhere: BlockingPortal, start_kept: StartKept, full_store: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Api]:
    """An application with everything that examples ask."""
    running = simulated("locationforecast", MovableClock(), tmp_path_factory.mktemp("simulator"))
    with elsewhere.wrap_async_context_manager(running) as service:
        urls = {"kartverket_adresser": service.url_of("kartverket_adresser")}
        yield start_kept(store_folder=full_store, locationforecast_url=service.url, urls=urls)


async def test_it_is_valid_openapi_31(api: Api) -> None:
    document = (await api.ask("/openapi.json")).json
    validate(document)
    assert document["openapi"].startswith("3.1")
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", document["info"]["version"])


async def test_a_route_is_described_from_its_declaration(api: Api) -> None:
    operation = (await api.ask("/openapi.json")).json["paths"]["/api/forecast"]["get"]
    assert set(operation["responses"]) == {"200", "304", "400", "401", "403", "404", "405", "429", "502", "503"}
    texts = [e["value"]["error"] for e in operation["responses"]["403"]["content"][JSON]["examples"].values()]
    assert {f"{name} forecast requires Basic tier or higher" for name in ("Daily stitched", "Extended")} < set(texts)
    parameters = {p["name"]: p for p in operation["parameters"]}
    assert parameters["lat"]["schema"] == {"type": "number", "minimum": 57, "maximum": 72}
    assert parameters["model"]["schema"] == {"type": "string", "enum": ["v23b", "v1"], "default": "v23b"}
    assert parameters["fresh"]["deprecated"] is True
    assert parameters["daily"]["schema"]["enum"] == ["true", "1", "false", "0"]


async def test_a_repeated_parameter_is_refused_as_documented(api: Api) -> None:
    document = (await api.ask("/openapi.json")).json
    asked_of, numbers = set(), itertools.count(1)
    for path, method, operation in _operations(document):
        for name in [p["name"] for p in operation["parameters"] if p["in"] == "query"]:
            # each from an address of its own: some routes take one request a second
            address = {"X-Forwarded-For": f"2001:db8:{next(numbers):x}::1"}
            refused = await api.ask(f"{path}?{name}=1&{name}=2", method.upper(), headers=address)
            asked_of.add(path)
            assert (refused.status, refused.json["parameter"]) == (400, name)
            examples = operation["responses"]["400"]["content"][JSON]["examples"].values()
            documented = (re.escape(e["value"]["error"]).replace(r"\ \.\.\.", "( .+)?") for e in examples)
            assert any(re.fullmatch(text, refused.json["error"]) for text in documented), path
    assert len(asked_of) >= 12


def _operations(document: Any) -> Iterator[tuple[str, str, Any]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


async def test_examples_run_and_match_their_schemas(api: Api) -> None:
    document = (await api.ask("/openapi.json")).json
    ran = set()
    for path, method, operation in _operations(document):
        if method == "post":
            for media in operation.get("requestBody", {"content": {}})["content"].values():
                schema = {**media["schema"], "components": document["components"]}
                if schema.get("type") != "string" and "fil" not in schema.get("properties", {}):  # no file
                    jsonschema.validate(media["example"], schema)
            continue
        for example in operation.get("x-examples", ()):
            assert example.split("?")[0] == path
            asked = await api.ask(example, allow_redirects=False)
            [success] = [status for status in operation["responses"] if status < "304"]
            assert str(asked.status) == success, example
            ran.add(path)
            if success == "302":
                continue
            content = operation["responses"][success]["content"]
            media = asked.headers["Content-Type"].split(";")[0]
            assert media in content
            if media == JSON:
                jsonschema.validate(asked.json, {**content[media]["schema"], "components": document["components"]})
    of_get = {path for path, item in document["paths"].items() if "get" in item}
    of_tokens_and_jobs = {"/api/verify", "/api/results/{job}/{file}", "/api/terrain/jobs/{jobb_id}"}
    of_tokens_and_jobs |= {path for path in of_get if path.startswith(("/api/roof/", "/api/anlegg/"))}
    assert of_get - ran == of_tokens_and_jobs


async def test_docs_page_needs_no_other_file(api: Api) -> None:
    page = await api.ask("/docs")
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "://" not in page.text
    assert "pydantic" not in page.text.lower()
    assert not re.search(r"<(script|link|img|iframe)", page.text)
    document = (await api.ask("/openapi.json")).json
    for path, _, operation in _operations(document):
        assert f"<code>{path}</code>" in page.text
        assert operation["summary"] in html.unescape(page.text)
    for link in re.findall(r'href="([^"]+)"', page.text):
        assert (await api.ask(link.replace("&amp;", "&"))).status == 200
    bulk = "results.&lt;key&gt;"
    for field in ("ghi_timeseries[].ghi_wm2", f"{bulk}.error", f"{bulk}.pv_system.total_kwp"):
        assert f"<code>{field}</code>" in page.text, field
    assert "number, at least 0, at most 1, default 0.85" in page.text
    assert "true, false, 1, 0, default false" in page.text


async def test_docs_say_what_the_plans_allow_here(start: Start, tmp_path: Path) -> None:
    plans = PLANS.read_text().replace("[plans.basic]", "[plans.'<gold>']")
    (tmp_path / "plans.toml").write_text(plans)
    page = (await (await start(access="keys", plans=tmp_path / "plans.toml")).ask("/docs")).text
    allowed = tomllib.loads(plans)
    for name, plan in {"without key, per IP address": allowed["anonymous"], **allowed["plans"]}.items():
        row = (
            html.escape(name),
            *(f"{plan[key]:g}" for key in ("requests_per_day", "plants_per_day", "kwp_per_plant")),
        )
        assert "".join(f"<td>{cell}</td>" for cell in row) in page
    assert "<gold>" not in page
    for name in ("Limit", "Remaining", "Reset", "Plants-Limit", "Plants-Remaining"):
        assert f"<code>X-Quota-{name}</code>" in page


async def test_docs_of_an_open_installation_name_no_quota(start: Start) -> None:
    page = (await (await start(access="open")).ask("/docs")).text
    assert "everybody may do everything" in page
    assert "Requests a day" not in page


async def test_the_short_method_is_the_default_links_to_the_docs_and_the_numbers_are_the_same(api: Api) -> None:
    with_method = 0
    for path, method, operation in _operations((await api.ask("/openapi.json")).json):
        if method == "get" and "method" in {p["name"] for p in operation["parameters"]}:
            example = operation["x-examples"][0]
            default, short, full = [await api.ask(f"{example}{more}") for more in ("", "&method=short", "&method=full")]
            assert default.text == short.text, path
            assert short.headers["ETag"] != full.headers["ETag"]
            assert {**short.json, "method": {}} == {**full.json, "method": {}}
            assert short.json["method"]["docs"] == f"/docs#{operation['operationId']}"
            with_method += 1
    assert with_method >= 5


@pytest.mark.parametrize("path", ["/openapi.json", "/docs"])
async def test_a_description_is_sent_once_and_compressed(api: Api, path: str) -> None:
    first = await api.ask(path, headers={"Accept-Encoding": "gzip"})
    assert (first.status, first.headers["Content-Encoding"]) == (200, "gzip")
    assert int(first.headers["Content-Length"]) * 3 < len(first.text)
    assert (await api.ask(path, headers={"If-None-Match": first.headers["ETag"]})).status == 304
