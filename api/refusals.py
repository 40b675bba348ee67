"""What is wrong with a field of a request body, in our own words: nothing of pydantic's wording is used."""

import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from api import texts

MAX_NAME_CHARACTERS = 80

# By pydantic's type of error; what is not here is just invalid.
_TEXTS: Mapping[str, str] = {
    "missing": texts.FIELD_MISSING,
    "extra_forbidden": texts.FIELD_UNKNOWN,
    "literal_error": texts.FIELD_NOT_A_CHOICE,
    "enum": texts.FIELD_NOT_A_CHOICE,
    "greater_than": texts.FIELD_GREATER,
    "greater_than_equal": texts.FIELD_AT_LEAST,
    "less_than": texts.FIELD_LESS,
    "less_than_equal": texts.FIELD_AT_MOST,
    "string_pattern_mismatch": texts.FIELD_PATTERN,
    "name_reserved": texts.NAME_RESERVED,
    "name_taken": texts.NAME_TAKEN,
    "id_taken": texts.ID_TAKEN,
    "string_too_short": texts.FIELD_TOO_SHORT,
    "string_too_long": texts.FIELD_TOO_LONG,
    "too_short": texts.FIELD_TOO_FEW,
    "too_long": texts.FIELD_TOO_MANY,
    **dict.fromkeys(("string_type", "string_unicode"), texts.FIELD_NOT_TEXT),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), texts.FIELD_NOT_A_NUMBER),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float", "int_parsing_size"), texts.FIELD_NOT_WHOLE),
    **dict.fromkeys(("bool_type", "bool_parsing"), texts.FIELD_NOT_A_FLAG),
    **dict.fromkeys(("list_type", "tuple_type", "set_type"), texts.FIELD_NOT_A_LIST),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type", "dataclass_type"), texts.FIELD_NOT_AN_OBJECT),
}


def refusal(error: ValidationError) -> str:
    """Return the sentence about the first thing that is wrong."""
    first = error.errors(include_url=False, include_input=False)[0]
    context = {name: _shown(value) for name, value in first.get("ctx", {}).items()}
    text = _TEXTS.get(first["type"], texts.FIELD_INVALID)
    return text.format(**{**context, "name": _name(first["loc"])})


def _name(location: tuple[int | str, ...]) -> str:
    """Return a field's name as the document writes it, `systems[3].lat`."""
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).removeprefix(".")
    return name[:MAX_NAME_CHARACTERS]


def _shown(value: Any) -> str:
    if isinstance(value, int | float):
        return f"{value:.10g}"
    choices = re.findall(r"'([^']*)'", str(value))  # "'roof', 'rack' or 'flat'"
    return ", ".join(choices) or str(value)
