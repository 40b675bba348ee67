"""Types of the fields of JSON bodies: strict, as `api.core.query` is for parameters."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, Strict, StringConstraints, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

MAX_LABEL = 100
_FLAGS = {True: True, False: False, "true": True, "false": False, "1": True, "0": False}  # 1 == True, and hashes so
_FLAG_SCHEMA = {"enum": [True, False, 1, 0, "true", "false", "1", "0"]}
# Inside the brackets of a pattern.
CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
LABEL_PATTERN = rf"^[^{CONTROL}]*[^\s{CONTROL}][^{CONTROL}]*$"


def flag(value: Any) -> bool:
    """Return what a flag says."""
    try:
        return _FLAGS[value]
    except (KeyError, TypeError):  # a list cannot even be looked up
        raise PydanticCustomError("bool_type", "no flag") from None


Number = Annotated[float, Strict()]
"""A JSON number: no text, and neither true nor false."""

Flag = Annotated[bool, BeforeValidator(flag), WithJsonSchema(_FLAG_SCHEMA)]
"""true or false, and what a query would say: 1, 0, "true", "false"."""

Label = Annotated[
    str,
    StringConstraints(strict=True, min_length=1, max_length=MAX_LABEL, pattern=LABEL_PATTERN),
    Field(description=f"Any characters but control characters, and not only blanks; at most {MAX_LABEL}."),
]
"""A short name that callers give and get back."""

T = TypeVar("T")


class Closed(BaseModel, extra="forbid"):
    """A part of an answer that has no fields but those declared."""


def absent(schema: dict[str, Any]) -> None:
    """Take the default out of a field's schema: the field may be absent, and is never null."""
    schema.pop("default", None)


Maybe = Annotated[T | SkipJsonSchema[None], Field(json_schema_extra=absent)]
"""A field of an answer that may be absent, and is never null; its default is None."""

Warnings = Annotated[Maybe[list[str]], Field(description="Absent where there are none.")]
"""Sentences beside an answer, such as parameters that were ignored."""
