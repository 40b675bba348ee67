"""`/openapi.json`, and `/docs`: the same document as one page that needs no other file and no script.

Both are made when somebody first asks for one, so that no start of a worker waits for them.
"""

import asyncio
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import orjson
from aiohttp import web

from api.access.plans import Plans
from api.core.openapi import document
from api.core.response import Prepared, compress, respond, takes_gzip
from api.core.routing import Route

_TEMPLATE = Path(__file__).with_name("docs.html")
_LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {}",
    "maxItems": "at most {}",
}
_PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
_JSON = Prepared({"Content-Type": "application/json"})
_HTML = Prepared({"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": _PAGE_POLICY})

Schema = Mapping[str, Any]
Row = tuple[str, str, str]


def routes(declared: Sequence[Route], plans: Plans | None) -> tuple[Route, ...]:
    """Return the routes that describe all others and themselves, and the one that leads there.

    Parameters
    ----------
    declared : sequence of Route
    plans : Plans or None
        What the page says of quotas; None where nothing is counted.
    """
    making: asyncio.Task[list[tuple[bytes, bytes]]] | None = None

    def make() -> list[tuple[bytes, bytes]]:
        described = document([*declared, *own])
        return [(body, compress(body)) for body in (orjson.dumps(described), render(described, plans).encode())]

    async def send(which: int, prepared: Prepared, request: web.BaseRequest, _: None) -> web.StreamResponse:
        nonlocal making
        making = making or asyncio.create_task(asyncio.to_thread(make), name="describe the API")
        bodies = (await asyncio.shield(making))[which]
        etag = f'"{hashlib.sha256(bodies[0]).hexdigest()[:32]}"'
        gzip = takes_gzip(request)
        return respond(request, prepared, bodies[gzip], etag=etag, compressed=gzip)

    async def root(_: web.BaseRequest, __: None) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": "/docs"})

    route = partial(Route, "GET", tag="Service")
    own = (
        route(
            path="/",
            handler=root,
            summary="Leads to /docs",
            status=302,
            headers=(("Location", "`/docs`."),),
            examples=("/",),
        ),
        route(
            path="/openapi.json",
            handler=partial(send, 0, _JSON),
            summary="This description, OpenAPI 3.1",
            response=dict[str, Any],
            conditional=True,
            examples=("/openapi.json",),
        ),
        route(
            path="/docs",
            handler=partial(send, 1, _HTML),
            summary="This description as a page",
            media_type="text/html",
            conditional=True,
            examples=("/docs",),
        ),
    )
    return own


def render(described: dict[str, Any], plans: Plans | None) -> str:
    """Return an OpenAPI document as HTML, after what is said of keys and quotas."""
    import jinja2  # 40 ms and 5 MB, for the page alone
    from markupsafe import Markup, escape

    def text(words: str) -> Markup:
        """Return text as HTML; what stands between backticks becomes code."""
        return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(words))))  # noqa: S704 - escaped

    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.ChainableUndefined
    )
    fields = partial(_field_rows, schemas=described["components"]["schemas"])
    environment.filters.update(text=text, parameter=_parameter_row, fields=fields, json=_value)
    template = environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    return template.render(**described, plans=plans)


def _parameter_row(parameter: Schema) -> Row:
    schema = parameter["schema"]
    kind = ", ".join(map(str, schema["enum"])) if "enum" in schema else schema.get("type", "")
    if "default" in schema:
        kind += f" (default {schema['default']})"
    return f"`{parameter['name']}`{' legacy' if 'deprecated' in parameter else ''}", kind, parameter["description"]


def _field_rows(schema: Schema, schemas: Schema, prefix: str = "") -> list[Row]:
    """Return one row per field, those of nested objects after their own."""
    schema = _resolved(schema, schemas)
    if "anyOf" in schema:
        return _rows_of_any([_resolved(one, schemas) for one in schema["anyOf"]], schemas, prefix)
    if schema.get("type") == "array":
        return _field_rows(schema["items"], schemas, f"{prefix}[]")
    rows = []
    fields = dict(schema.get("properties", {}))
    if isinstance(more := schema.get("additionalProperties"), dict):
        fields["<key>"] = more
    for name, field in fields.items():
        inner = _resolved(field, schemas)
        full = f"{prefix}.{name}" if prefix else name
        kind = ", ".join([_kind(inner), *_limits({**inner, **field})])
        rows.append((f"`{full}`", kind, field.get("description", inner.get("description", ""))))
        rows.extend(_field_rows(inner, schemas, full))
    return rows


def _rows_of_any(alternatives: Sequence[Schema], schemas: Schema, prefix: str) -> list[Row]:
    """Return the rows of all kinds of objects; of lists and other things the first alternative is the usual one."""
    if not all("properties" in one for one in alternatives):
        return _field_rows(alternatives[0], schemas, prefix)
    merged: dict[str, Row] = {}
    for one in alternatives:
        for name, kind, meaning in _field_rows(one, schemas, prefix):
            _, before, said = merged.get(name, (name, kind, meaning))
            merged[name] = (name, before if kind == before else f"{before} or {kind}", said)
    return list(merged.values())


def _resolved(schema: Schema, schemas: Schema) -> Schema:
    ref = schema.get("$ref")
    found: Schema = schemas[ref.rsplit("/", 1)[-1]] if ref else schema
    return found


def _kind(schema: Schema) -> str:
    if "anyOf" in schema:
        return " or ".join(_kind(s) for s in schema["anyOf"])
    if "$ref" in schema:
        return "object"
    if "const" in schema or "enum" in schema:
        return ", ".join(dict.fromkeys(map(_value, schema.get("enum", [schema.get("const")]))))
    return str(schema.get("format") or schema.get("type", ""))


def _limits(schema: Schema) -> Iterator[str]:
    for name, words in _LIMITS.items():
        if name in schema:
            yield words.format(schema[name])
    if schema.get("default") not in (None, []):
        yield f"default {_value(schema['default'])}"


def _value(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
