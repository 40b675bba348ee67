"""Kartverket: the borders of Norway's counties, clipped to the coast, as one GeoJSON file in degrees.

The file is that of the public repository robhop/fylker-og-kommuner (generalised, medium quality). It holds the
mainland with its islands; Svalbard and Jan Mayen belong to no county.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from catalog.sources.errors import Origin
from catalog.sources.kartverket.geojson import Area, DataOrigin, Ring, load, parse

LICENCE = "CC BY 4.0"
ATTRIBUTION = "Kartverket; generalised by robhop/fylker-og-kommuner"
DEFAULT_URL = "https://raw.githubusercontent.com/robhop/fylker-og-kommuner/main"
COUNTIES = "Fylker-M.geojson"


@dataclass(frozen=True)
class Borders:
    """Areas of land.

    Parameters
    ----------
    names : tuple of str
        Of the areas (counties), as the file has them.
    numbers : tuple of int or None
        Their fylkesnummer, with which the numbers of their municipalities begin; None where the file has none.
    polygons : tuple of tuple of float64 (n, 2)
        Rings of longitude and latitude, degrees, closed; of each polygon the outer one first, then its holes.
    input : mapping
        What was read: address, bytes and SHA-256.
    data_origin : {"live", "simulated"}
    """

    names: tuple[str, ...]
    numbers: tuple[int | None, ...]
    polygons: tuple[tuple[Ring, ...], ...]
    input: Mapping[str, str | int]
    data_origin: DataOrigin


def counties(url: str, *, user_agent: str, deadline_s: float) -> Borders:
    """Return the borders of the counties.

    Parameters
    ----------
    url : str
        Where the file is: a base address (http, https) or a folder, also as file://.
    user_agent : str
    deadline_s : float
        For all of it, s.

    Raises
    ------
    SourceError
        The file cannot be had or is malformed; `NotYetAvailable` where there is none.
    """
    return read(*load(url, COUNTIES, "counties", user_agent=user_agent, deadline_s=deadline_s))


def read(origin: Origin, body: bytes) -> Borders:
    """Return the areas of a GeoJSON document.

    Parameters
    ----------
    origin : Origin
        What sentences name.
    body : bytes

    Raises
    ------
    SourceError
        It is no collection of areas in degrees.
    """
    found = parse(origin, body, ("name", "fylkesnavn"))
    polygons = tuple(polygon for area in found.areas for polygon in area.polygons)
    names, numbers = tuple(area.name for area in found.areas), tuple(_number(area) for area in found.areas)
    return Borders(names, numbers, polygons, found.input, found.data_origin)


def _number(area: Area) -> int | None:
    """Return the fylkesnummer, which is a text ("03") in the real file."""
    given = area.properties.get("fylkesnummer")
    text = str(given) if isinstance(given, str | int) and not isinstance(given, bool) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 2 else None
