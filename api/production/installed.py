"""Installed power of PV systems by county: the operator's table, or the example that comes with Solflis."""

from datetime import date
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from api.core.settings import SettingsError, read_toml
from tiles.products.county_now import COUNTIES

_Text = Annotated[str, Field(min_length=1, max_length=200)]


class County(BaseModel, extra="forbid", frozen=True):
    """A county.

    Parameters
    ----------
    name : str
        As answers give it.
    mw : float
        Installed power, MWp.
    """

    name: _Text
    mw: float = Field(ge=0, le=100_000)


class Installed(BaseModel, extra="forbid", frozen=True):
    """The table.

    Parameters
    ----------
    source : str
        Who counted.
    date : date
        Of the count.
    example : bool
        Whether the figures are made up.
    counties : mapping of str to County
        By number of two digits.
    """

    source: _Text
    date: date
    example: bool = False
    counties: dict[str, County]

    @property
    def mw(self) -> float:
        """Installed power of the country, MWp."""
        return sum(county.mw for county in self.counties.values())


def read_installed(path: Path) -> Installed:
    """Read the table; counties come sorted by number.

    Raises
    ------
    SettingsError
        It cannot be read, has not each of the 15 counties once, or says that nothing is installed.
    """
    read = read_toml(path, Installed)
    due = {f"{number:02d}" for number in COUNTIES}
    if missing := sorted(due - read.counties.keys()):
        raise SettingsError(f"{path}: the counties {', '.join(missing)} are missing; write mw = 0 where nothing stands")
    if unknown := sorted(read.counties.keys() - due):
        raise SettingsError(f"{path}: there is no county {', '.join(unknown)}; there are {', '.join(sorted(due))}")
    if not read.mw:
        raise SettingsError(f"{path}: no county has any power installed")
    return read.model_copy(update={"counties": dict(sorted(read.counties.items()))})
