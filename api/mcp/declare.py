"""The declarations of the tools, checked in as `declarations.json`: made of the routes, the texts and the names.

`python -m api.mcp.declare` compares, `python -m api.mcp.declare --write` renews. Workers and the tool server by itself
read the file: neither builds schemas, and no group is imported.
"""

import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp_types.methods import serialize_server_result

from api.core.app import Application
from api.core.openapi import document
from api.core.settings import Settings
from api.mcp.names import LOCAL, NAMES, NOTHING, OMITTED, Omitted
from api.mcp.registry import FILE, TOOLS
from api.mcp.texts import SUMMARY, texts
from api.mcp.tool import Schema, Tool
from api.mcp.wire import OLDEST, SUPPORTED

_KEPT = ("type", "enum", "minimum", "maximum", "default", "minLength", "maxLength", "minItems", "maxItems")
_FLAGS = ({"true", "1", "false", "0"}, {"0", "1"})
_TRUE = (True, "true", "1")
# So that all declarations stay below 24 kB, what lies deeper is declared as an object alone; and so are texts, and the
# question again.
_DEEPEST = 2
_NOT_DETAILED = {"metode", "forutsetninger", "rute", "system", "sted", "sno", "vekter", "celler_uten_svar"}


class Document:
    """The API's OpenAPI document, as the tools read it."""

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            routes = Application(Settings(store=folder, state=Path(folder))).routes
        self._document = document(routes)

    def operation(self, route: str) -> dict[str, Any]:
        """Return the description of a route, `GET /path`."""
        method, _, path = route.partition(" ")
        found: dict[str, Any] = self._document["paths"][path][method.lower()]
        return found

    def parameter(self, route: str, name: str) -> dict[str, Any]:
        """Return the schema of a parameter, or of a field of the body."""
        operation = self.operation(route)
        for one in operation["parameters"]:
            if one["name"] == name:
                return self.resolved(one["schema"])
        body = self.resolved(operation["requestBody"]["content"]["application/json"]["schema"])
        return self.resolved(body["properties"][name])

    def answer(self, route: str) -> dict[str, Any]:
        """Return the schema of a route's answer."""
        success = next(one for status, one in self.operation(route)["responses"].items() if status < "300")
        found: dict[str, Any] = success["content"]["application/json"]["schema"]
        return found

    def resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return a schema in place of a reference to it."""
        while "$ref" in schema:
            schema = self._document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return schema


def declarations() -> dict[str, Any]:
    """Return the result of `tools/list` by protocol version, in the official shapes."""
    api = Document()
    tools = [_declaration(api, tool) for tool in TOOLS]
    lists = {}
    for version in SUPPORTED:
        listed = [_as_of(version, one) for one in tools]
        more = {"resultType": "complete", "ttlMs": 3_600_000, "cacheScope": "public"} if version == SUPPORTED[0] else {}
        lists[version] = serialize_server_result("tools/list", version, {"tools": listed, **more})
    return lists


def _as_of(version: str, tool: dict[str, Any]) -> dict[str, Any]:
    """Return a declaration with the fields that a version knows."""
    if version != OLDEST:
        return tool
    known = {name: tool[name] for name in ("name", "description", "inputSchema")}
    return {**known, "annotations": {**tool["annotations"], "title": tool["title"]}}


def _declaration(api: Document, tool: Tool) -> dict[str, Any]:
    said = texts()[tool.name]
    return {
        "name": tool.name,
        "title": said["title"],
        "description": said["description"],
        "inputSchema": _input(api, tool),
        "outputSchema": _output(api, tool),
        "annotations": {
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": tool.open_world,
        },
    }


def _input(api: Document, tool: Tool) -> dict[str, Any]:
    given = {name: api.parameter(route, name) for route, names in tool.takes.items() for name in names}
    declared = {name: _argument(api, schema) for name, schema in given.items()}
    place: dict[str, Schema] = {name: declared.pop(name) for name in ("lat", "lon") if name in declared}
    properties: dict[str, Schema] = {**place, **tool.own, **declared}
    own, shared = texts()[tool.name].get("arguments", {}), texts()["arguments"]
    described = {name: {**schema, "description": own.get(name) or shared[name]} for name, schema in properties.items()}
    return {"type": "object", "properties": described, "required": list(tool.required), "additionalProperties": False}


def _argument(api: Document, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an argument: a flag is a boolean, and what may be absent is not null."""
    alternatives = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    merged = {**(api.resolved(alternatives[0]) if alternatives else {}), **schema}
    kept = {name: merged[name] for name in _KEPT if name in merged and merged[name] is not None}
    if set(map(str, kept.get("enum", ()))) in _FLAGS:
        return {"type": "boolean", "default": kept["default"] in _TRUE}
    if "exclusiveMinimum" in merged:
        kept["exclusiveMinimum"] = merged["exclusiveMinimum"]
    return kept


def _output(api: Document, tool: Tool) -> dict[str, Any]:
    properties: dict[str, Any] = {SUMMARY: {"type": "string"}}
    required = [SUMMARY]
    for part, route in tool.answers.items():
        answer = _result(api, api.answer(route), OMITTED.get(tool.name, NOTHING), 0)
        answer["properties"].setdefault("dataopphav", {"type": "string"})
        if part:
            properties[part] = {name: answer[name] for name in ("type", "properties")}
            required += () if part in tool.optional_parts else (part,)
        else:
            properties |= answer["properties"]
    if tool.name == "tmy":
        properties["nedlasting"] = {"type": "string"}
        required.append("nedlasting")
    return {"type": "object", "properties": properties, "required": required}


def _result(api: Document, schema: dict[str, Any], omitted: Omitted, depth: int) -> dict[str, Any]:
    """Return the schema of a value of an answer, with Norwegian names."""
    schema = api.resolved(schema)
    alternatives = schema.get("anyOf", schema.get("oneOf", ()))
    if alternatives:
        values = [_result(api, one, omitted, depth) for one in alternatives if one != {"type": "null"}]
        value = values[0] if len(values) == 1 else _common(values)
        if len(values) < len(alternatives) and "type" in value:
            value = {**value, "type": [value["type"], "null"]}
        return value
    kind = schema.get("type")
    if kind == "array":
        items = _result(api, schema.get("items", {}), omitted, depth)
        return {"type": "array"} | ({"items": items} if items.get("type") == "object" else {})
    if kind == "object" and depth >= _DEEPEST:
        return {"type": "object"}
    if kind == "object" and "properties" in schema:
        return _object(api, schema, omitted, depth)
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        inner = _result(api, schema["additionalProperties"], omitted, depth)
        return {"type": "object", "additionalProperties": inner}
    return {"type": kind} if kind else {}


def _common(values: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a schema of alternatives: of the first list, else of what all of them have."""
    lists = [one for one in values if one.get("type") == "array"]
    if lists:
        return lists[0]
    kinds = [one.get("type") for one in values]
    if set(kinds) == {"object"}:
        properties = {name: inner for one in reversed(values) for name, inner in one.get("properties", {}).items()}
        return {"type": "object", "properties": properties}
    return {"type": kinds} if all(isinstance(kind, str) for kind in kinds) else {}


def _object(api: Document, schema: dict[str, Any], omitted: Omitted, depth: int) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for name, inner in schema["properties"].items():
        within = omitted.get(name, NOTHING)
        if within is None:
            continue
        named = NAMES.get(name, name)
        value = _result(api, inner, within, depth + 1)
        if named in _NOT_DETAILED:
            value = {"type": value["type"]}
        properties |= dict.fromkeys([named, LOCAL[named]] if named in LOCAL else [named], value)
    return {"type": "object", "properties": properties}


def text() -> str:
    """Return the file's text."""
    return json.dumps(declarations(), ensure_ascii=False, indent=1) + "\n"


def main(arguments: list[str]) -> int:
    """Compare or write; return the exit code."""
    if "--write" in arguments:
        FILE.write_text(text(), encoding="utf-8")
    elif not FILE.exists() or FILE.read_text(encoding="utf-8") != text():
        print(
            "The declarations of the tools differ from what is checked in. If the change is meant: "
            "run 'make declarations', and commit the diff.",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
