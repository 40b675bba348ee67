"""Arguments of a tool call, read by the tool's own input schema: refusals name the argument and its range."""

from collections.abc import Mapping
from typing import Any

from pydantic_core import PydanticCustomError

from api.core.fields import flag
from api.core.query import legible, number
from api.mcp.texts import text
from api.mcp.tool import Fields, Schema, ToolError


def read(given: Mapping[str, Any], schema: Schema, within: str = "") -> Fields:
    """Return the arguments that are given, in their declared types; null is as absent.

    Numbers may be written as texts, as some models do, with a decimal comma too.

    Parameters
    ----------
    given : mapping
    schema : mapping
    within : str
        What stands before names in errors: `arrays[0].`.

    Raises
    ------
    ToolError
        An argument is unknown, missing, of another type or outside its range.
    """
    declared = schema["properties"]
    if unknown := [name for name in given if name not in declared]:
        raise ToolError(_unknown(unknown, declared))
    arguments = {name: value for name, value in given.items() if value is not None}
    for name in schema.get("required", ()):
        if name not in arguments:
            hint = " " + text("errors", "find_point") if name in ("lat", "lon") else ""
            raise ToolError(text("errors", "missing", name=within + name) + hint)
    return {name: _value(within + name, value, declared[name]) for name, value in arguments.items()}


def _unknown(names: list[str], declared: Schema) -> str:
    if not declared:
        return text("errors", "no_arguments")
    hint = " " + text("errors", "azimuth") if "azimuth" in names and "aspect" in declared else ""
    return text("errors", "unknown_argument", names=", ".join(legible(names)), known=", ".join(declared)) + hint


def _value(name: str, value: Any, schema: Schema) -> Any:
    """Return a value in its declared type."""
    if schema["type"] in ("number", "integer"):
        return _number(name, value, schema)
    if schema["type"] == "boolean":
        try:
            return flag(value)
        except PydanticCustomError:
            raise ToolError(text("errors", "flag", name=name)) from None
    if schema["type"] == "array":
        return _items(name, value, schema)
    if "enum" in schema:
        if value not in schema["enum"]:
            raise _choice(name, schema)
        return value
    low, high = schema.get("minLength", 1), schema["maxLength"]
    if not isinstance(value, str) or not low <= len(value) <= high:
        raise ToolError(text("errors", "length", name=name, low=low, high=high))
    return value


def _choice(name: str, schema: Schema) -> ToolError:
    return ToolError(text("errors", "choice", name=name, choices=", ".join(map(str, schema["enum"]))))


def _number(name: str, value: Any, schema: Schema) -> float | int:
    found = number(value.strip().replace(",", ".")) if isinstance(value, str) else value
    if type(found) not in (int, float) or found is None:
        raise ToolError(text("errors", "number", name=name))
    whole = schema["type"] == "integer"
    if "enum" in schema:
        if found not in schema["enum"]:
            raise _choice(name, schema)
    elif not _low(schema, found) or found > schema["maximum"] or (whole and found != int(found)):
        raise ToolError(_range(name, schema))
    return int(found) if whole else float(found)


def _low(schema: Schema, value: float) -> bool:
    """Return whether a value is large enough."""
    low: bool = value >= schema["minimum"] if "minimum" in schema else value > schema["exclusiveMinimum"]
    return low


def _range(name: str, schema: Schema) -> str:
    hint = " " + text("errors", "coverage") if name in ("lat", "lon") else ""
    low, high = schema.get("minimum", schema.get("exclusiveMinimum")), schema["maximum"]
    kind = "whole" if schema["type"] == "integer" else "range" if "minimum" in schema else "above"
    return text("errors", kind, name=name, low=f"{low:g}", high=f"{high:.10g}") + hint


def _items(name: str, value: Any, schema: Schema) -> list[Fields]:
    fits = isinstance(value, list) and 1 <= len(value) <= schema["maxItems"]
    if not fits or not all(isinstance(one, dict) for one in value):
        raise ToolError(text("errors", "list", name=name, most=schema["maxItems"]))
    return [read(one, schema["items"], f"{name}[{index}].") for index, one in enumerate(value)]
