"""Reading query parameters: strict types, each refusal in our own words, naming the parameter.

A query is declared as a dataclass whose fields have the types below; the OpenAPI document comes from the same
declaration. Parameters that are not declared are ignored and named in `warnings`.
"""

import dataclasses
import hashlib
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Annotated, Any, ClassVar, Literal, TypeVar, cast

from pydantic import BeforeValidator, Field, JsonValue, TypeAdapter, ValidationError
from yarl import URL

from api.core import problems
from api.core.errors import ApiError, Problem
from api.core.fields import flag

MAX_NUMBER_CHARACTERS = 40
KEY_PARAMETER = "api_key"
"""Belongs to every query, and to none: see `api.access.required`."""
_MOST_NAMES, _LONGEST_NAME = 5, 30
# Python's float() also takes '1_0', ' 1 ' and Arabic digits: none of them is a number in a query. NaN is no
# number either; infinity is one, and lies outside every range.
_NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,4})?|inf(?:inity)?)", re.ASCII | re.IGNORECASE)
_FILE_NAME = re.compile(r"[A-Za-z0-9.-]{1,24}")

T = TypeVar("T")


Combinations = Sequence[tuple[str, str, Sequence[object]]]


class Query:
    """Base of declared queries."""

    guidance: ClassVar[Mapping[str, Problem]] = {}
    """Parameter -> the problem that is answered whatever is wrong with it."""
    only_with: ClassVar[Combinations] = ()
    """Parameter, another one, and the values of that beside which the first counts; else it is ignored."""


def number(text: str) -> float | None:
    """Return the number that a text is (`inf` included), or None."""
    if len(text) > MAX_NUMBER_CHARACTERS or _NUMBER.fullmatch(text) is None:
        return None
    return float(text) + 0.0  # no -0


def limits(low_high: tuple[float, float]) -> dict[str, JsonValue]:
    """Return limits for the document alone: what lies beyond is refused in words of its own."""
    return {"minimum": low_high[0], "maximum": low_high[1]}


def latitude(low_high: tuple[float, float]) -> Any:
    """Return the description of a latitude."""
    return Field(description="Degrees north (WGS84).", examples=[59.91], json_schema_extra=limits(low_high))


def longitude(low_high: tuple[float, float]) -> Any:
    """Return the description of a longitude."""
    return Field(description="Degrees east (WGS84).", examples=[10.75], json_schema_extra=limits(low_high))


def outside(lat: float, lon: float, lats: tuple[float, float], lons: tuple[float, float]) -> str | None:
    """Return the coordinate that lies outside a coverage, `lat` or `lon`; None where neither does."""
    if lats[0] <= lat <= lats[1]:
        return None if lons[0] <= lon <= lons[1] else "lon"
    return "lat"


Flag = Annotated[bool, BeforeValidator(flag)]
MethodDetail = Annotated[
    Literal["short", "full"],
    Field(description="`short`: names, short texts, and a link to how it was made; `full`: all of it in words."),
]


@lru_cache
def adapter(declared: Hashable) -> TypeAdapter[Any]:
    """Return the validator of a declared query, made once."""
    made: TypeAdapter[Any] = TypeAdapter(declared)  # type: ignore[arg-type]
    return made


@lru_cache
def parameters_of(declared: Hashable) -> frozenset[str]:
    """Return the names of a query's parameters: of its fields, but not of what its class has, such as `guidance`."""
    return frozenset(field.name for field in dataclasses.fields(cast(Any, declared)))


def parse(declared: type[T], url: URL) -> T:
    """Read a declared query.

    Raises
    ------
    ApiError
        A declared parameter is repeated, or its value is not one of those expected.
    """
    fields = parameters_of(cast(Hashable, declared))
    values: dict[str, Any] = {}
    try:
        for name, value in url.query.items():
            if name in fields:
                if name in values:
                    raise problems.REPEATED(name)
                values[name] = _read(declared, name, value)
        query: T = adapter(cast(Hashable, declared)).validate_python(values)
    except ApiError as error:
        raise _guided(declared, error) from None
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        missing = first["type"] == "missing"
        raise _guided(declared, problems.MISSING(name) if missing else _refused(declared, name)) from None
    return query


@lru_cache
def _schema(declared: Hashable, name: str) -> dict[str, Any]:
    """Return what the document says of a parameter, null aside; nothing of one that takes several types."""
    schema = adapter(declared).json_schema()["properties"][name]
    first, *others = (one for one in schema.get("anyOf", [schema]) if one != {"type": "null"})
    return {} if others else first


def _read(declared: type, name: str, text: str) -> float | str:
    """Return the number that a parameter's text is, or the text where the parameter is no number."""
    kind = _schema(cast(Hashable, declared), name).get("type")
    if kind not in ("number", "integer"):
        return text
    value = number(text)
    if value is None or (kind == "integer" and not value.is_integer()):
        raise _refused(declared, name)
    return int(value) if kind == "integer" else value


def _refused(declared: type, name: str) -> ApiError:
    """Return the error of a wrong value, by what the document says of the parameter."""
    schema = _schema(cast(Hashable, declared), name)
    if "enum" in schema:
        return problems.NOT_A_CHOICE(name, choices=", ".join(map(str, schema["enum"])))
    if {"minimum", "maximum"} <= schema.keys():
        problem = problems.NOT_WHOLE_BETWEEN if schema["type"] == "integer" else problems.NOT_BETWEEN
        return problem(name, low=schema["minimum"], high=schema["maximum"])
    of_type = {"number": problems.NOT_A_NUMBER, "boolean": problems.NOT_A_FLAG}
    return of_type.get(schema.get("type", ""), problems.INVALID_VALUE)(name)


def variant(query: Any, *named: str) -> str:
    """Return what a file's name ends with, so that names differ where queries do: parameters that are not the default.

    Parameters
    ----------
    query : dataclass
    *named : str
        Parameters that the name holds already, or that do not change the file.
    """
    parts = []
    for one in dataclasses.fields(query):
        value = getattr(query, one.name)
        if one.name not in named and value != one.default:
            text = str(value)
            short = text if _FILE_NAME.fullmatch(text) else hashlib.sha256(text.encode()).hexdigest()[:8]
            parts.append(f"_{one.name}-{short}")
    return "".join(parts)


def _guided(declared: type, error: ApiError) -> ApiError:
    guidance: Mapping[str, Problem] = getattr(declared, "guidance", {})
    problem = guidance.get(error.parameter or "")
    return error if problem is None else problem(error.parameter)


def ignored(query: Any, url: URL) -> Mapping[str, list[str]]:
    """Return the parameters that are given and do not count, by what they do not go with."""
    found: dict[str, list[str]] = {}
    for name, other, values in getattr(query, "only_with", ()):
        if name in url.query and (value := getattr(query, other)) not in values:
            shown = other if None in values else f"{other}={url.query.get(other, value)}"
            found.setdefault(shown, []).append(name)
    return found


def undeclared(declared: type | None, url: URL) -> tuple[str, ...]:
    """Return the names of parameters that a query does not declare: the first few, shortened, without the key."""
    fields = parameters_of(declared) if declared is not None else frozenset[str]()
    names = [name for name in url.query if name not in fields and name != KEY_PARAMETER]
    return legible(dict.fromkeys(names)) if names else ()


def legible(names: Iterable[str]) -> tuple[str, ...]:
    """Return names as an answer repeats them: the first few, shortened, of letters that can be printed."""
    first, more = islice(names := iter(names), _MOST_NAMES), ["..."]
    return (*map(_legible, first), *(more if any(True for _ in names) else ()))


def _legible(name: str) -> str:
    shown = "".join(letter if letter.isprintable() and letter not in ',;"' else "?" for letter in name[:_LONGEST_NAME])
    return shown if len(name) <= _LONGEST_NAME else f"{shown}..."


Quick = Callable[[str], Any | None]
"""From the raw query string to a declared query, or None where the string needs `parse`."""
