"""Types of the fields of JSON bodies: strict, as `api.query` is for parameters."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, Strict, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

MAX_LABEL = 100
_FLAGS = {True: True, False: False, "true": True, "false": False, "1": True, "0": False}  # 1 == True, and hashes so
_FLAG_SCHEMA = {"enum": [True, False, 1, 0, "true", "false", "1", "0"]}
_CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
_VISIBLE = rf"^[^{_CONTROL}]*[^\s{_CONTROL}][^{_CONTROL}]*$"


def _flag(value: Any) -> bool:
    try:
        return _FLAGS[value]
    except (KeyError, TypeError):  # a list cannot even be looked up
        raise PydanticCustomError("bool_type", "no flag") from None


Number = Annotated[float, Strict()]
"""A JSON number: no text, and neither true nor false."""

Flag = Annotated[bool, BeforeValidator(_flag), WithJsonSchema(_FLAG_SCHEMA)]
"""true or false, and what a query would say: 1, 0, "true", "false"."""

Label = Annotated[
    str,
    StringConstraints(strict=True, min_length=1, max_length=MAX_LABEL, pattern=_VISIBLE),
    Field(description=f"Any characters but control characters, and not only blanks; at most {MAX_LABEL}."),
]
"""A short name that callers give and get back."""


def absent(schema: dict[str, Any]) -> None:
    """Take the default out of a field's schema: the field may be absent, and is never null."""
    schema.pop("default", None)
