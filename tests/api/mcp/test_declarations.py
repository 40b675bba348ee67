"""Declarations of the tools: size, completeness, names."""

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from api.mcp import declare
from api.mcp.names import LOCAL, NAMES, NOTHING, OMITTED, SAME, Omitted
from api.mcp.registry import FILE, TOOLS
from tests.api.mcp.conftest import LISTS, STATELESS
from tests.api.mcp.conftest import TOOLS as DECLARED


def test_checked_in_declarations_are_those_of_the_routes_and_texts() -> None:
    assert FILE.read_text(encoding="utf-8") == declare.text(), "run `make declarations`"


def test_declarations_are_small() -> None:
    for version, listed in LISTS.items():
        assert len(json.dumps(listed, ensure_ascii=False, separators=(",", ":")).encode()) < 24_000, version
    assert all(len(tool["description"]) < 1024 for tool in DECLARED.values())


@pytest.mark.parametrize("tool", DECLARED.values(), ids=DECLARED)
def test_declaration_is_complete(tool: dict[str, Any]) -> None:
    hints = tool["annotations"]
    assert (hints["readOnlyHint"], hints["destructiveHint"], hints["idempotentHint"]) == (True, False, True)
    assert hints["openWorldHint"] == (tool["name"] == "adressesok")
    assert len(f"solflis:{tool['name']}") <= 60
    assert tool["title"]
    assert "Ikke" in tool["description"]
    for schema in (tool["inputSchema"], tool["outputSchema"]):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert not {"$ref", "oneOf", "allOf", "anyOf", "$defs"} & set(_keys(schema))
    assert tool["outputSchema"].get("additionalProperties", True) is True
    for name, argument in tool["inputSchema"]["properties"].items():
        assert len(argument["description"]) > 10, name
        if argument["type"] in ("number", "integer") and "enum" not in argument:
            assert {"minimum", "exclusiveMinimum"} & argument.keys(), name
            assert "maximum" in argument, name


@pytest.mark.parametrize("tool", DECLARED.values(), ids=DECLARED)
def test_azimuth_convention_is_said(tool: dict[str, Any]) -> None:
    for name, argument in tool["inputSchema"]["properties"].items():
        if name in ("aspect", "arrays"):
            assert "SØR" in argument["description"]


def test_every_field_of_an_answer_has_a_norwegian_name_of_its_own() -> None:
    api = declare.Document()
    terrain = "GET /api/terrain/jobs/{jobb_id}"  # is Norwegian already
    for tool in TOOLS:
        for route in tool.answers.values():
            for fields in _objects(api, api.answer(route), OMITTED.get(tool.name, NOTHING)):
                left = {name for name in fields if name not in NAMES}
                assert route == terrain or left <= SAME, (tool.name, left - SAME)
                named = {NAMES.get(name, name) for name in fields}
                assert len(named) == len(fields), (tool.name, named)


def test_norwegian_names_are_plain() -> None:
    assert all(re.fullmatch(r"[a-z][a-zA-Z0-9_]*", name) for name in (*NAMES.values(), *LOCAL.values()))


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            if name != "properties":
                yield from _keys(inner)
            else:
                yield from (key for one in inner.values() for key in _keys(one))


def _objects(api: declare.Document, schema: dict[str, Any], omitted: Omitted) -> Iterator[list[str]]:
    """Yield the names of the fields of each object of an answer."""
    schema = api.resolved(schema)
    for one in (*schema.get("anyOf", ()), *([schema["items"]] if isinstance(schema.get("items"), dict) else ())):
        yield from _objects(api, one, omitted)
    kept = {name: one for name, one in schema.get("properties", {}).items() if omitted.get(name, NOTHING) is not None}
    if kept:
        yield list(kept)
    for name, inner in kept.items():
        yield from _objects(api, inner, omitted.get(name, NOTHING))


def test_lists_differ_by_version_in_what_a_version_knows_alone() -> None:
    assert LISTS["2025-11-25"] == LISTS["2025-06-18"]
    assert LISTS[STATELESS]["tools"] == LISTS["2025-11-25"]["tools"]
    assert {"name", "description", "inputSchema", "annotations"} == LISTS["2025-03-26"]["tools"][0].keys()
