"""File formats of a group: a module for each in one folder, with its declaration as `FORMAT`."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from pydantic import BeforeValidator, WithJsonSchema

from api.core.pipeline import Format

# Many tools share these: a file's name has the tool's name too.
_SHARED_EXTENSIONS = (".csv", ".dat", ".hor")


@dataclass(frozen=True, kw_only=True)
class FileFormat(Format):
    """One value of `format`.

    Parameters
    ----------
    value : str
    tool : str
        The program whose format it is.
    aliases : tuple of str
        Other names of the value.
    unverified : str
        One sentence on what no public document confirms.
    """

    value: str
    tool: str = ""
    aliases: tuple[str, ...] = ()
    unverified: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The value and its aliases."""
        return self.value, *self.aliases

    @property
    def suffix(self) -> str:
        """Return the suffix of the file's name before its extension, so that names differ where contents do."""
        is_shared = self.extension in _SHARED_EXTENSIONS and self.value != "csv"
        return f"_{self.names[-1]}" if is_shared else ""


def value_of(names: Mapping[str, str]) -> tuple[BeforeValidator, WithJsonSchema]:
    """Return what reads a parameter as the value that it names: `names` are values and aliases, by what they mean."""

    def check(name: Any) -> str:
        if name not in names:
            raise ValueError(name)
        return names[name]

    return BeforeValidator(check), WithJsonSchema({"type": "string", "enum": list(names)})


def declared(package: ModuleType) -> dict[str, Any]:
    """Return the formats that the modules of a package declare, by value.

    Raises
    ------
    ValueError
        Two have a name in common.
    """
    modules = [import_module(f"{package.__name__}.{one.name}") for one in iter_modules(package.__path__)]
    found: list[FileFormat] = [module.FORMAT for module in modules if hasattr(module, "FORMAT")]
    names = [name for one in found for name in one.names]
    if len(set(names)) < len(names):
        raise ValueError(f"two formats of {package.__name__} have a name in common: {', '.join(sorted(names))}")
    return {one.value: one for one in found}
