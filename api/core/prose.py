"""Long texts of a group, in `prose.toml` beside its code, where they are read and corrected in one place."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path


@cache
def prose(module: str, table: str) -> Mapping[str, str]:
    """Return one table of the texts beside a module, by name; the lines of each are joined by spaces.

    Parameters
    ----------
    module : str
        Its `__file__`.
    table : str
        Such as `method` and `routes`.
    """
    texts = tomllib.loads(Path(module).with_name("prose.toml").read_text(encoding="utf-8"))
    return {name: " ".join(text.split()) for name, text in texts[table].items()}
