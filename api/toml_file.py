"""Files that operators write: what is wrong with one is said in a clause for each fault, in our own words."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

_M = TypeVar("_M", bound=BaseModel)

# By pydantic's type of error.
_FAULTS: Mapping[str, str] = {
    "missing": "is missing",
    "extra_forbidden": "is not known",
    "literal_error": "expected {expected}",
    "greater_than": "expected a number above {gt:g}",
    "greater_than_equal": "expected at least {ge:g}",
    "less_than": "expected a number below {lt:g}",
    "less_than_equal": "expected at most {le:g}",
    "string_too_short": "expected text that is not empty",
    "string_type": "expected text in quotes",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float", "int_parsing_size"), "expected a whole number"),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "expected a number"),
    **dict.fromkeys(("list_type", "set_type", "frozen_set_type"), "expected a list"),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "expected a table"),
}


class TomlError(Exception):
    """The file cannot be used; the text is one line that names it, and each key that is wrong."""


def read_toml(path: Path, model: type[_M]) -> _M:
    """Read a file.

    Raises
    ------
    TomlError
    """
    try:
        return model.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise TomlError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise TomlError(f"{path}: is not text in UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise TomlError(f"{path}: is not TOML: {error}") from error
    except ValidationError as error:
        faults = (_fault(fault) for fault in error.errors(include_url=False, include_input=False))
        raise TomlError(f"{path}: {'; '.join(faults)}") from error


def _fault(fault: Any) -> str:
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in fault["loc"]).removeprefix(".")
    return f"{key}: " + _FAULTS.get(fault["type"], "has a value that cannot be used").format(**fault.get("ctx", {}))
