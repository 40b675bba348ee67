"""The named sites, read once from a TOML file."""

import tomllib
from pathlib import Path

from pydantic import ValidationError

from api.forecast.models import Sites


class SitesError(Exception):
    """The file of sites cannot be read; the text names it and says what is wrong."""


def read_sites(path: Path) -> Sites:
    """Read the sites.

    Raises
    ------
    SitesError
    """
    try:
        return Sites.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise SitesError(f"{path}: {error}") from error
