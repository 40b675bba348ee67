"""The OpenAPI 3.1 document, from the route declarations and `openapi.toml`, which says the rest."""

import tomllib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from api.access.required import Access
from api.core import problems
from api.core.body import JSON, Body
from api.core.errors import Problem
from api.core.file_body import FileBody
from api.core.query import adapter
from api.core.response import EXPOSED_HEADERS
from api.core.routing import Route

Schemas = Mapping[tuple[Hashable, JsonSchemaMode], Any]
"""By what a model is called, and which way it goes."""

_AGREEMENT = "PlantAgreement"
_REF = "#/components/schemas/{model}"
_OF_METER: Mapping[str | None, Sequence[Problem]] = {
    "forecast": (
        problems.ANONYMOUS_REQUESTS_USED,
        problems.PLAN_REQUESTS_USED,
        problems.ANONYMOUS_PLANTS_USED,
        problems.PLANTS_USED,
    ),
    "tmy": (problems.TMY_REQUESTS_USED,),
}
_FILE = ("Content-Disposition", "The name of the file, of all formats but JSON.")
_ETAG = ("ETag", "Of what was read and of what was asked.")
_OF_BODIES = (
    problems.FIELD_INVALID,
    problems.BODY_TOO_SLOW,
    problems.BODY_TOO_LARGE,
    problems.WRONG_MEDIA,
    problems.ENCODED_BODY,
)


@cache
def _interface() -> dict[str, Any]:
    """Return what is said of the whole interface; `headers`: those of no route alone, by their carriers."""
    interface = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    interface["headers"]["everywhere"]["Access-Control-Expose-Headers"]["description"] = EXPOSED_HEADERS
    return interface


def document(routes: Sequence[Route]) -> dict[str, Any]:
    """Return the document of some routes."""
    bodies = dict.fromkeys(problem.model for route in routes for problem in problems_of(route))
    models: list[tuple[Hashable, JsonSchemaMode, TypeAdapter[Any]]]
    models = [(body, "serialization", TypeAdapter(body)) for body in bodies]
    for route in routes:
        if route.response is not None:
            models.append((_operation_id(route), "serialization", TypeAdapter(route.response)))
        if isinstance(route.body, Body):
            models.append((_operation_id(route), "validation", TypeAdapter(route.body.model)))
    schemas, definitions = TypeAdapter.json_schemas(models, ref_template=_REF)
    paths: dict[str, Any] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schemas)
    interface = _interface()
    return {
        **{name: interface[name] for name in ("openapi", "info", "servers")},
        "tags": [{"name": tag} for tag in dict.fromkeys(route.tag for route in routes)],
        "paths": paths,
        "components": {
            "schemas": definitions.get("$defs", {}),
            "headers": {name: header for of in interface["headers"].values() for name, header in of.items()},
            "securitySchemes": interface["securitySchemes"],
        },
    }


def _operation(route: Route, schemas: Schemas) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": _operation_id(route),
        "summary": route.summary,
        "tags": [route.tag],
        "parameters": list(_parameters(route)),
        "responses": _responses(route, schemas),
    }
    if route.description:
        operation["description"] = route.description
    if route.access.keyed:
        operation["security"] = _security(route.access)
    if route.examples:
        operation["x-examples"] = list(route.examples)
    if route.method_prose:
        operation["x-method"] = dict(route.method_prose)
    if isinstance(route.body, FileBody):
        operation["requestBody"] = {"required": True, "content": route.body.content}
    elif route.body is not None:
        media = {"schema": schemas[operation["operationId"], "validation"], "example": route.body.example}
        operation["requestBody"] = {"required": True, "content": {route.body.media: media}}
    return operation


def _security(access: Access) -> list[dict[str, Any]]:
    """Return the alternatives: a key in any of its places, none at all, or a key with the code of an agreement."""
    names = [name for name in _interface()["securitySchemes"] if name != _AGREEMENT]
    code: dict[str, Any] = {} if access.agreement is None else {_AGREEMENT: []}
    codes: list[dict[str, Any]] = [{}, code] if access.agreement_with is not None else [code]
    return [*([] if access.key_required else [{}]), *({name: [], **one} for one in codes for name in names)]


def _operation_id(route: Route) -> str:
    words = route.path.replace("{", "").replace("}", "").replace(".", "/").replace("-", "/").split("/")
    return "_".join([route.method.lower(), *(word for word in words if word)])


def _parameters(route: Route) -> Iterable[dict[str, Any]]:
    for name, text in route.path_parameters.items():
        yield {"name": name, "in": "path", "required": True, "description": text, "schema": {"type": "string"}}
    if route.query is not None:
        declared = adapter(route.query).json_schema(ref_template=_REF)
        required = declared.get("required", [])
        for name, schema in declared["properties"].items():
            yield _parameter(name, dict(schema), name in required)
    if route.conditional:
        yield _interface()["conditional"]


def _parameter(name: str, schema: dict[str, Any], required: bool) -> dict[str, Any]:
    schema.pop("title", None)
    parameter = {"name": name, "in": "query", "required": required, "description": schema.pop("description", "")}
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
        schema = {"type": "string", "enum": ["true", "1", "false", "0"], "default": str(schema["default"]).lower()}
    return {**parameter, "schema": schema}


def _responses(route: Route, schemas: Schemas) -> dict[str, Any]:
    shared = (*([_FILE] if route.other_media else ()), *([_ETAG] if route.conditional else ()))
    own = {name: {"description": text, "schema": {"type": "string"}} for name, text in (*route.headers, *shared)}
    success: dict[str, Any] = {"description": route.summary, "headers": {**own, **_headers(route, route.status)}}
    if route.status < 300:
        schema = schemas.get((_operation_id(route), "serialization"))
        media = {} if schema is None else {"schema": schema}
        success["content"] = {route.media_type: media, **{other: {} for other in route.other_media}}
    responses = {str(route.status): success}
    if route.conditional:
        unchanged = "What the caller has still holds."
        responses["304"] = {"description": unchanged, "headers": {**own, **_headers(route, 304)}}
    of_errors = route.error_headers() if route.error_headers else {}
    own_of_errors = {name: header for name, header in own.items() if name in of_errors}
    status_of = attrgetter("status")
    for status, group in groupby(sorted(dict.fromkeys(problems_of(route)), key=status_of), status_of):
        those = list(group)
        responses[str(status)] = {
            "description": "; ".join(f"`{one.pattern}`: {one.cause}" for one in those),
            "headers": {**own_of_errors, **_headers(route, status)},
            "content": {JSON: _error(those, schemas)},
        }
    return responses


def _error(those: Sequence[Problem], schemas: Schemas) -> dict[str, Any]:
    bodies = [schemas[model, "serialization"] for model in dict.fromkeys(one.model for one in those)]
    examples = {
        f"error{i}": {"value": {"error": one.pattern, "code": one.code, **one.example}}
        for i, one in enumerate(those, 1)
    }
    return {"schema": bodies[0] if len(bodies) == 1 else {"anyOf": bodies}, "examples": examples}


def _headers(route: Route, status: int) -> dict[str, Any]:
    """Return the headers of a route's answers of a status, beside those that it declares itself."""
    carried = {
        "everywhere": True,
        "warned": status == 200,
        "counted": route.access.meter is not None,
        "plants": route.access.meter == "forecast",
        "unauthorized": status == 401,
        "later": status in (401, 429, 503, 504),
    }
    names = [name for one, is_carried in carried.items() if is_carried for name in _interface()["headers"][one]]
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def problems_of(route: Route) -> Iterable[Problem]:
    """Yield what a route can answer that is no success, its own problems first."""
    access, body = route.access, route.body
    yield from route.problems
    if access.keyed:
        yield problems.INVALID_KEY
    if access.agreement is not None:
        yield problems.API_KEY_REQUIRED
        yield problems.BETA
    yield from _OF_METER.get(access.meter, ())
    for right in access.rights.values():
        yield problems.NEEDS_RIGHT[right]
    if access.keyed or access.meter is not None:
        yield problems.NO_COUNTING
    if route.rates:
        rules = " and ".join(route.rates)
        yield replace(problems.TOO_MANY, cause=f"more than {rules} per IP address; see `Retry-After`")
        yield problems.NO_RATES
    if route.query is not None:
        yield problems.REPEATED
    if isinstance(body, FileBody):
        yield from (*body.problems, problems.BODY_TOO_SLOW, problems.ENCODED_BODY)
    elif body is not None:
        is_json = body.media == JSON
        yield replace(problems.INVALID_JSON, example={"example": body.example}) if is_json else problems.INVALID_FORM
        yield from _OF_BODIES
    yield problems.WRONG_METHOD
