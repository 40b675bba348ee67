"""Arguments of a tool call, read by the tool's own input schema: refusals name the argument and its range."""

from collections.abc import Mapping
from typing import Any

from api.core import problems
from api.core.errors import ApiError
from api.core.query import legible, number
from api.mcp.texts import text
from api.mcp.tool import Fields, Schema, ToolError


def read(given: Mapping[str, Any], schema: Schema) -> Fields:
    """Return the arguments that are given, in their declared types; null is as absent.

    Numbers may be written as texts, as some models do.

    Raises
    ------
    ToolError
        An argument is unknown, missing, of another type or outside its range.
    """
    declared = schema["properties"]
    if unknown := [name for name in given if name not in declared]:
        known = ", ".join(declared) or text("errors", "none")
        raise ToolError(text("errors", "unknown_argument", names=", ".join(legible(unknown)), known=known))
    arguments = {name: value for name, value in given.items() if value is not None}
    for name in schema.get("required", ()):
        if name not in arguments:
            hint = " " + text("errors", "find_point") if name in ("lat", "lon") else ""
            raise ToolError(problems.MISSING(name).text() + hint)
    try:
        return {name: _value(name, value, declared[name]) for name, value in arguments.items()}
    except ApiError as error:
        raise ToolError(error.text()) from None


def _value(name: str, value: Any, schema: Schema) -> Any:
    """Return a value in its declared type; raises ApiError."""
    if schema["type"] in ("number", "integer"):
        return _number(name, value, schema)
    if schema["type"] == "boolean":
        if type(value) is not bool and value not in ("true", "false"):
            raise problems.NOT_A_FLAG(name)
        return value in (True, "true")
    if schema["type"] == "array":
        return _items(name, value, schema)
    if "enum" in schema:
        if value not in schema["enum"]:
            raise problems.NOT_A_CHOICE(name, choices=", ".join(schema["enum"]))
        return value
    low, high = schema.get("minLength", 1), schema["maxLength"]
    if not isinstance(value, str) or not low <= len(value) <= high:
        raise ToolError(text("errors", "length", name=name, low=low, high=high))
    return value


def _number(name: str, value: Any, schema: Schema) -> float | int:
    found = number(value) if isinstance(value, str) else value
    if type(found) not in (int, float) or found is None:
        raise problems.NOT_A_NUMBER(name)
    whole = schema["type"] == "integer"
    if "enum" in schema:
        if found not in schema["enum"]:
            raise problems.NOT_A_CHOICE(name, choices=", ".join(map(str, schema["enum"])))
    elif not _low(schema, found) or found > schema["maximum"] or (whole and found != int(found)):
        problem = problems.NOT_WHOLE_BETWEEN if whole else problems.NOT_BETWEEN
        low = schema.get("minimum", schema.get("exclusiveMinimum"))
        raise problem(name, low=low, high=schema["maximum"])
    return int(found) if whole else float(found)


def _low(schema: Schema, value: float) -> bool:
    """Return whether a value is large enough."""
    low: bool = value >= schema["minimum"] if "minimum" in schema else value > schema["exclusiveMinimum"]
    return low


def _items(name: str, value: Any, schema: Schema) -> list[Fields]:
    if not isinstance(value, list) or not 1 <= len(value) <= schema["maxItems"]:
        raise ToolError(text("errors", "list", name=name, most=schema["maxItems"]))
    if not all(isinstance(one, dict) for one in value):
        raise ToolError(text("errors", "list", name=name, most=schema["maxItems"]))
    return [read(one, schema["items"]) for one in value]
