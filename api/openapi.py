"""The OpenAPI 3.1 document, from the route declarations and nothing else."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from api import openapi_headers as headers
from api.body import JSON
from api.failures import failures_of
from api.query import adapter
from api.routing import Failure, Route

API_VERSION = "2026-09-15"
"""Of the interface; a date."""

ErrorSchemas = Mapping[type, Any]
Model = tuple[Hashable, JsonSchemaMode, Any]
"""What it is called, which way it goes, and its type."""

_REF = "#/components/schemas/{model}"
_KEY_SCHEMES = {
    "ApiKeyHeader": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "Bearer": {"type": "http", "scheme": "bearer"},
    "ApiKeyQuery": {
        "type": "apiKey",
        "in": "query",
        "name": "api_key",
        "description": "For testing only: the key ends up in logs and history.",
    },
}


def document(routes: Sequence[Route]) -> dict[str, Any]:
    """Return the document of some routes."""
    bodies = dict.fromkeys(failure.body for route in routes for failure in failures_of(route))
    models: list[Model] = [(body, "serialization", body) for body in bodies]
    for route in routes:
        if route.response is not None:
            models.append((_operation_id(route), "serialization", route.response))
        if route.body is not None:
            models.append((_operation_id(route), "validation", route.body.model))
    schemas, definitions = schemas_of(tuple(models))
    error_schemas = {key: schema for (key, _), schema in schemas.items() if isinstance(key, type)}
    paths: dict[str, Any] = {}
    for route in routes:
        operation = _operation(route, schemas.get((_operation_id(route), "serialization")), error_schemas)
        if route.body is not None:
            schema = schemas[_operation_id(route), "validation"]
            media = {route.body.media: {"schema": schema, "example": route.body.example}}
            operation["requestBody"] = {"required": True, "content": media}
        paths.setdefault(route.path, {})[route.method.lower()] = operation
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Solflis",
            "version": API_VERSION,
            "summary": "Solar data and load calculations for Norway.",
            "description": (
                "Timestamps are the start of the hour in UTC. Coordinates are WGS84 decimal degrees. Every "
                "error is JSON with the field `error`. Browsers may call from anywhere. "
                "All numbers are estimates. Beside what a route lists, it may answer 405 (with `Allow`) to another "
                "method, 414 and 431 to a head that is too large, and 503 where the answer takes too long."
            ),
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": tag} for tag in dict.fromkeys(route.tag for route in routes)],
        "paths": paths,
        "components": {
            "schemas": definitions.get("$defs", {}),
            "headers": headers.SHARED,
            "securitySchemes": _KEY_SCHEMES,
        },
    }


def schemas_of(models: tuple[Model, ...]) -> tuple[Mapping[tuple[Hashable, JsonSchemaMode], Any], dict[str, Any]]:
    """Return the schema of each model, and the definitions that they share."""
    adapters = [(name, mode, TypeAdapter(model)) for name, mode, model in models]
    return TypeAdapter.json_schemas(adapters, ref_template=_REF)


def _operation(route: Route, schema: Any, error_schemas: ErrorSchemas) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": _operation_id(route),
        "summary": route.summary,
        "tags": [route.tag],
        "parameters": list(_parameters(route)),
        "responses": _responses(route, schema, error_schemas),
    }
    if route.description:
        operation["description"] = route.description
    if route.access.keyed:
        operation["security"] = [{}, *({name: []} for name in _KEY_SCHEMES)]
    if route.examples:
        operation["x-examples"] = list(route.examples)
    return operation


def _operation_id(route: Route) -> str:
    words = route.path.replace("{", "").replace("}", "").replace(".", "/").replace("-", "/").split("/")
    return "_".join([route.method.lower(), *(word for word in words if word)])


def _parameters(route: Route) -> Iterable[dict[str, Any]]:
    if route.query is not None:
        declared = adapter(route.query).json_schema(ref_template=_REF)
        required = declared.get("required", [])
        for name, schema in declared["properties"].items():
            yield _parameter(name, dict(schema), name in required)
    if route.conditional:
        yield {
            "name": "If-None-Match",
            "in": "header",
            "required": False,
            "schema": {"type": "string"},
            "description": "An ETag that the caller has; the answer is 304 where it still holds.",
        }


def _parameter(name: str, schema: dict[str, Any], required: bool) -> dict[str, Any]:
    schema.pop("title", None)
    parameter = {
        "name": name,
        "in": "query",
        "required": required,
        "description": schema.pop("description", ""),
    }
    if schema.pop("deprecated", False):
        parameter["deprecated"] = True
    if examples := schema.pop("examples", None):
        parameter["example"] = examples[0]
    if schema.get("default", 0) is None:
        del schema["default"]
    alternatives = [s for s in schema.get("anyOf", []) if s != {"type": "null"}]
    if len(alternatives) == 1:  # a query parameter cannot be null, it is only absent
        del schema["anyOf"]
        schema = {**alternatives[0], **schema}
    if schema.get("type") == "boolean":
        schema = {
            "type": "string",
            "enum": ["true", "1", "false", "0"],
            "default": str(schema["default"]).lower(),
        }
    return {**parameter, "schema": schema}


def _responses(route: Route, schema: Any, error_schemas: ErrorSchemas) -> dict[str, Any]:
    own = {name: {"description": text, "schema": {"type": "string"}} for name, text in route.headers}
    media = {"schema": schema} if schema is not None else {}
    success: dict[str, Any] = {"description": route.summary, "headers": {**own, **headers.of(route, route.status)}}
    if route.status < 300:
        success["content"] = {route.media_type: media, **{other: {} for other in route.other_media}}
    responses = {str(route.status): success}
    if route.conditional:
        unchanged = "What the caller has still holds."
        responses["304"] = {"description": unchanged, "headers": {**own, **headers.of(route, 304)}}
    by_status: dict[int, list[Failure]] = {}
    for failure in failures_of(route):
        by_status.setdefault(failure.status, []).append(failure)
    of_errors = own.keys() & (route.error_headers() if route.error_headers else {}).keys()
    own_of_errors = {name: header for name, header in own.items() if name in of_errors}
    for status, failures in sorted(by_status.items()):
        responses[str(status)] = {
            "description": "; ".join(f"`{f.text}`: {f.cause}" for f in failures),
            "headers": {**own_of_errors, **headers.of(route, status)},
            "content": _content(failures, error_schemas),
        }
    return responses


def _content(failures: Iterable[Failure], error_schemas: ErrorSchemas) -> dict[str, Any]:
    in_json = [f for f in failures if f.media_type == JSON]
    content: dict[str, Any] = {f.media_type: {"schema": {"type": "string"}} for f in failures}
    if in_json:
        bodies = [error_schemas[body] for body in dict.fromkeys(f.body for f in in_json)]
        examples = {f"error{i}": {"value": {"error": f.text, **f.fields}} for i, f in enumerate(in_json, 1)}
        content[JSON] = {"schema": bodies[0] if len(bodies) == 1 else {"anyOf": bodies}, "examples": examples}
    return content
