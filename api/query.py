"""Reading query parameters: strict types, each refusal in our own words, naming the parameter.

A query is declared as a dataclass whose fields have the types below; the OpenAPI document comes from the same
declaration. Parameters that are not declared are ignored.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import lru_cache
from itertools import islice
from typing import Annotated, Any, ClassVar, Literal, TypeVar, cast

from pydantic import BeforeValidator, JsonValue, TypeAdapter, ValidationError, ValidationInfo
from yarl import URL

from api import texts
from api.errors import BadRequest

MAX_NUMBER_CHARACTERS = 40
KEY_PARAMETER = "api_key"
"""Belongs to every query, and to none: see `api.access.required`."""
_MOST_NAMES, _LONGEST_NAME = 5, 30
# Python's float() also takes '1_0', ' 1 ' and Arabic digits: none of them is a number in a query. NaN is no
# number either; infinity is one, and lies outside every range.
_NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,4})?|inf(?:inity)?)", re.ASCII | re.IGNORECASE)
_FLAGS = {"true": True, "1": True, "false": False, "0": False}

T = TypeVar("T")


class Refused(Exception):
    """A parameter's value is none of those expected; no ValueError, so that pydantic lets it through."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(text)
        self.name, self.text = name, text


class Query:
    """Base of declared queries."""

    guidance: ClassVar[Mapping[str, str]] = {}
    """Parameter -> the sentence that the answer begins with when something is wrong with it."""


def number(text: str) -> float | None:
    """Return the number that a text is (`inf` included), or None."""
    if len(text) > MAX_NUMBER_CHARACTERS or _NUMBER.fullmatch(text) is None:
        return None
    return float(text)


def _number(value: Any, info: ValidationInfo) -> float:
    result = number(value)
    if result is None:
        raise Refused(_name(info), texts.NOT_A_NUMBER)
    return result


def _flag(value: Any, info: ValidationInfo) -> bool:
    try:
        return _FLAGS[value]
    except KeyError:
        raise Refused(_name(info), texts.NOT_A_FLAG) from None


def one_of(*choices: str) -> BeforeValidator:
    """Return the validator of a parameter that takes one of some words."""

    def check(value: Any, info: ValidationInfo) -> str:
        if value not in choices:
            raise Refused(_name(info), texts.NOT_A_CHOICE.replace("{choices}", ", ".join(choices)))
        return str(value)

    return BeforeValidator(check)


def between(low: float, high: float, hint: str = "") -> BeforeValidator:
    """Return the validator of a parameter that takes a number from one to another.

    Parameters
    ----------
    low, high : float
        They belong to the range.
    hint : str
        What the number means, where callers take it for something else.
    """
    limits_told = texts.NOT_BETWEEN.replace("{low}", f"{low:g}").replace("{high}", f"{high:g}")
    text = f"{limits_told} {hint}".rstrip()

    def check(value: Any, info: ValidationInfo) -> float:
        result = number(value)
        if result is None or not low <= result <= high:
            raise Refused(_name(info), text)
        return result + 0.0  # no -0

    return BeforeValidator(check)


def limits(low_high: tuple[float, float]) -> dict[str, JsonValue]:
    """Return limits for the document alone: what lies beyond is refused in words of its own."""
    return {"minimum": low_high[0], "maximum": low_high[1]}


def _name(info: ValidationInfo) -> str:
    return info.field_name or ""


Number = Annotated[float, BeforeValidator(_number)]
Flag = Annotated[bool, BeforeValidator(_flag)]
ModelChoice = Annotated[Literal["v23b", "v1"], one_of("v23b", "v1")]


@lru_cache
def adapter(declared: Hashable) -> TypeAdapter[Any]:
    """Return the validator of a declared query, made once."""
    made: TypeAdapter[Any] = TypeAdapter(declared)  # type: ignore[arg-type]
    return made


def parse(declared: type[T], url: URL) -> T:
    """Read a declared query.

    Raises
    ------
    BadRequest
        A declared parameter is repeated, or its value is none of those expected.
    """
    fields: Mapping[str, Any] = declared.__dataclass_fields__  # type: ignore[attr-defined]
    values: dict[str, str] = {}
    try:
        for name, value in url.query.items():
            if name in fields:
                if name in values:
                    raise Refused(name, texts.REPEATED)
                values[name] = value
        query: T = adapter(cast(Hashable, declared)).validate_python(values)
    except Refused as refused:
        raise _bad_request(declared, refused.name, refused.text) from None
    except ValidationError as error:
        first = error.errors()[0]
        text = texts.MISSING if first["type"] == "missing" else texts.INVALID_VALUE
        raise _bad_request(declared, str(first["loc"][0]), text) from None
    return query


def undeclared(declared: type, url: URL) -> tuple[str, ...]:
    """Return the names of parameters that a declared query does not have: the first few, shortened, without the key."""
    fields: Mapping[str, Any] = declared.__dataclass_fields__  # type: ignore[attr-defined]
    names = dict.fromkeys(name for name in url.query if name not in fields and name != KEY_PARAMETER)
    return legible(names)


def legible(names: Iterable[str]) -> tuple[str, ...]:
    """Return names as an answer repeats them: the first few, shortened, of letters that can be printed."""
    return tuple(_legible(name) for name in islice(names, _MOST_NAMES))


def _legible(name: str) -> str:
    shown = "".join(letter if letter.isprintable() else "?" for letter in name[:_LONGEST_NAME])
    return shown if len(name) <= _LONGEST_NAME else f"{shown}..."


def _bad_request(declared: type, name: str, text: str) -> BadRequest:
    guidance: Mapping[str, str] = getattr(declared, "guidance", {})
    return BadRequest(" ".join(part for part in (guidance.get(name), text.format(name=name)) if part))


Quick = Callable[[str], Any | None]
"""From the raw query string to a declared query, or None where the string needs `parse`."""
