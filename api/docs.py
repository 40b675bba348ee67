"""`/openapi.json`, and `/docs`: the same document as one page that needs no other file and no script."""

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import orjson
from aiohttp import web

from api.access.plans import Plans
from api.guides import Guide, guides
from api.openapi import document
from api.routing import Route

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
body{color:#1c2430;background:#fff}
h1{margin-bottom:0}h2{margin-top:3rem;border-bottom:2px solid #e8b500}h3{margin-top:2.5rem}
code{background:#f2f4f7;padding:.1em .3em;border-radius:3px;font-size:.9em}
table{border-collapse:collapse;width:100%;margin:.5rem 0 1rem}
td,th{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #dde2e8}
.method{background:#1d5c3a;color:#fff;padding:.1em .5em;border-radius:3px;font-size:.8em}.old{color:#8a4b00}
@media (prefers-color-scheme:dark){body{background:#14181d;color:#dde2e8}code{background:#242b33}
a{color:#8ab4f8}td,th{border-color:#333c46}}
"""
_LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {}",
    "maxItems": "at most {}",
}


def routes(declared: Sequence[Route], plans: Plans | None) -> tuple[Route, ...]:
    """Return the routes that describe all others and themselves, and the one that leads there.

    Parameters
    ----------
    declared : sequence of Route
    plans : Plans or None
        What the page says of quotas; None where nothing is counted.
    """
    bodies: dict[str, bytes] = {}

    async def openapi(_: web.Request, __: None) -> web.Response:
        return web.Response(body=bodies["json"], headers={"Content-Type": "application/json"})

    async def page(_: web.Request, __: None) -> web.Response:
        return web.Response(
            body=bodies["html"],
            headers={
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
            },
        )

    async def root(_: web.Request, __: None) -> web.Response:
        return web.Response(status=302, headers={"Location": "/docs"})

    own = (
        Route(
            "GET",
            "/",
            root,
            tag="Service",
            summary="Leads to /docs",
            status=302,
            headers=(("Location", "`/docs`."),),
            examples=("/",),
        ),
        Route(
            "GET",
            "/openapi.json",
            openapi,
            tag="Service",
            summary="This description, OpenAPI 3.1",
            response=dict[str, Any],
            examples=("/openapi.json",),
        ),
        Route(
            "GET",
            "/docs",
            page,
            tag="Service",
            summary="This description as a page",
            media_type="text/html",
            examples=("/docs",),
        ),
    )
    described = document([*declared, *own])
    bodies["json"] = orjson.dumps(described)
    bodies["html"] = render(described, guides(plans)).encode()
    return own


def render(described: dict[str, Any], sections: Sequence[Guide]) -> str:
    """Return an OpenAPI document as HTML, after some sections of prose."""
    info = described["info"]
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{escape(info['title'])}</title><style>{_STYLE}</style>",
        f"<h1>{escape(info['title'])}</h1><p>{escape(info['summary'])} Interface of {info['version']}.",
        f' <a href="/openapi.json">OpenAPI document</a>.</p><p>{_text(info["description"])}</p>',
        *map(_section, sections),
    ]
    for tag in described["tags"]:
        parts.append(f"<h2>{escape(tag['name'])}</h2>")
        for path, operations in described["paths"].items():
            for method, operation in operations.items():
                if tag["name"] in operation["tags"]:
                    parts.append(_operation(path, method, operation, described["components"]["schemas"]))
    return "".join([*parts, "</html>"])


def _section(guide: Guide) -> str:
    prose = "".join(f"<p>{_text(paragraph)}</p>" for paragraph in guide.text.splitlines())
    rows = [tuple(_text(cell) for cell in row) for row in guide.table]
    return f"<h2>{guide.title}</h2>{prose}" + (_table(rows[0], rows[1:]) if rows else "")


def _operation(path: str, method: str, operation: dict[str, Any], schemas: dict[str, Any]) -> str:
    anchor = operation["operationId"]
    parts = [
        f'<h3 id="{anchor}"><span class="method">{method.upper()}</span> <code>{escape(path)}</code></h3>',
        f"<p><b>{escape(operation['summary'])}.</b> {_text(operation.get('description', ''))}</p>",
    ]
    links = (f'<a href="{escape(e)}"><code>{escape(e)}</code></a>' for e in operation.get("x-examples", []))
    if tries := " &nbsp; ".join(links):
        parts.append(f"<p>Try: {tries}</p>")
    if operation["parameters"]:
        parts.append(_table(("Parameter", "Type", "Meaning"), [_parameter_row(p) for p in operation["parameters"]]))
    for kind, media in operation.get("requestBody", {}).get("content", {}).items():
        example = escape(orjson.dumps(media["example"]).decode())
        parts.append(f"<p>Body, <code>{escape(kind)}</code>, for example <code>{example}</code></p>")
        parts.extend(_fields(media["schema"], schemas))
    for status, response in operation["responses"].items():
        parts.append(f"<p><b>{status}</b> {_text(response['description'])}</p>")
        if status == "200":
            media = next(iter(response["content"].values()))
            parts.extend(_fields(media.get("schema", {}), schemas))
    return "".join(parts)


def _parameter_row(parameter: dict[str, Any]) -> tuple[str, str, str]:
    schema = parameter["schema"]
    kind = ", ".join(map(str, schema["enum"])) if "enum" in schema else schema.get("type", "")
    if "default" in schema:
        kind += f" (default {schema['default']})"
    name = f"<code>{escape(parameter['name'])}</code>"
    if "deprecated" in parameter:
        name += ' <span class="old">legacy</span>'
    return name, escape(kind), _text(parameter["description"])


def _fields(schema: dict[str, Any], schemas: dict[str, Any], prefix: str = "") -> list[str]:
    rows = list(_field_rows(schema, schemas, prefix))
    return [_table(("Field", "Type", "Meaning"), rows)] if rows else []


def _field_rows(schema: dict[str, Any], schemas: dict[str, Any], prefix: str) -> list[tuple[str, str, str]]:
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
        meaning = field.get("description", inner.get("description", ""))
        kind = ", ".join([_kind(inner), *_limits({**inner, **field})])
        rows.append((f"<code>{escape(full)}</code>", escape(kind), _text(meaning)))
        rows.extend(_field_rows(inner, schemas, full))
    return rows


def _rows_of_any(
    alternatives: list[dict[str, Any]], schemas: dict[str, Any], prefix: str
) -> list[tuple[str, str, str]]:
    """Return the rows of all kinds of objects; of lists and other things the first alternative is the usual one."""
    if not all("properties" in one for one in alternatives):
        return _field_rows(alternatives[0], schemas, prefix)
    merged: dict[str, tuple[str, str, str]] = {}
    for one in alternatives:
        for name, kind, meaning in _field_rows(one, schemas, prefix):
            _, before, said = merged.get(name, (name, kind, meaning))
            merged[name] = (name, before if kind == before else f"{before} or {kind}", said)
    return list(merged.values())


def _resolved(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    ref = schema.get("$ref")
    return schemas[ref.rsplit("/", 1)[-1]] if ref else schema


def _kind(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_kind(s) for s in schema["anyOf"])
    if "$ref" in schema:
        return "object"
    if "const" in schema or "enum" in schema:
        return ", ".join(dict.fromkeys(map(_value, schema.get("enum", [schema.get("const")]))))
    return str(schema.get("format") or schema.get("type", ""))


def _limits(schema: dict[str, Any]) -> Iterator[str]:
    for name, words in _LIMITS.items():
        if name in schema:
            yield words.format(schema[name])
    if schema.get("default") not in (None, []):
        yield f"default {_value(schema['default'])}"


def _value(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    titles = "".join(f"<th>{cell}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{titles}</tr>{body}</table>"


def _text(text: str) -> str:
    """Return text as HTML; what stands between backticks becomes code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
