"""Every file format: a module of this folder with a `FORMAT` in it."""

import importlib
import pkgutil

import api.horizon.formats
from api.horizon.formats.declaration import Format
from api.horizon.profile import Tier

_NO_FORMAT = ("declaration", "registry", "bins", "words")


def _declared() -> dict[str, Format]:
    found: dict[str, Format] = {}
    for module in sorted(one.name for one in pkgutil.iter_modules(api.horizon.formats.__path__)):
        if module not in _NO_FORMAT:
            declared: Format = importlib.import_module(f"api.horizon.formats.{module}").FORMAT
            found[declared.value] = declared
    return found


FORMATS: dict[str, Format] = _declared()
"""By value; `json` and `png` are made by each level itself."""

JSON, PNG = "json", "png"
_ALIASES = {alias: one.value for one in FORMATS.values() for alias in one.aliases}


def names(tier: Tier) -> tuple[str, ...]:
    """Return all values and aliases of `format` that a level takes."""
    written = [one for one in FORMATS.values() if tier in one.tiers]
    return (JSON, *(one.value for one in written), *(alias for one in written for alias in one.aliases), PNG)


def value_of(name: str) -> str:
    """Return the value that a value or an alias means."""
    return _ALIASES.get(name, name)
