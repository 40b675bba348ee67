"""The named sites, read once from a TOML file."""

from pathlib import Path

from api.forecast.models import Sites
from api.toml_file import TomlError, read_toml


class SitesError(Exception):
    """The file of sites cannot be read; the text names it and says what is wrong."""


def read_sites(path: Path) -> Sites:
    """Read the sites.

    Raises
    ------
    SitesError
    """
    try:
        return read_toml(path, Sites)
    except TomlError as error:
        raise SitesError(str(error)) from error
