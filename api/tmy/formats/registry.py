"""Every file format: a module of this folder with a `FORMAT` in it."""

import importlib
import pkgutil

import api.tmy.formats
from api.tmy.formats.common.declaration import Format


def _declared() -> dict[str, Format]:
    found: dict[str, Format] = {}
    for module in sorted(m.name for m in pkgutil.iter_modules(api.tmy.formats.__path__) if not m.ispkg):
        if module == "registry":
            continue
        declared: Format = importlib.import_module(f"api.tmy.formats.{module}").FORMAT
        for name in (declared.value, *declared.aliases):
            if any(name in (one.value, *one.aliases) for one in found.values()):
                raise ValueError(f"two formats are called '{name}', one of them in api/tmy/formats/{module}.py")
        found[declared.value] = declared
    return found


FORMATS: dict[str, Format] = _declared()
"""By value."""

_BY_NAME = {name: declared for declared in FORMATS.values() for name in (declared.value, *declared.aliases)}

NAMES: tuple[str, ...] = tuple(_BY_NAME)
"""Values and aliases."""


def format_of(name: str) -> Format:
    """Return the format that a value or an alias names.

    Raises
    ------
    KeyError
        There is none; the text names those that are.
    """
    try:
        return _BY_NAME[name]
    except KeyError:
        raise KeyError(f"no format '{name}'; there are {', '.join(NAMES)}") from None
