"""Kartverket: the borders of Norway's municipalities, beside those of the counties and in the same form.

A municipality has a number of four digits (kommunenummer), Oslo's being 0301. The number is what is stable and unique:
names are not (there are two called Herøy and two called Våler).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from catalog.sources.errors import Origin
from catalog.sources.kartverket.geojson import Area, DataOrigin, Ring, load, parse

MUNICIPALITIES = "Kommuner-M.geojson"

# The counties are 03 to 56; 21 and 22, Svalbard and Jan Mayen, have no municipalities but would not be wrong.
_LOWEST, _HIGHEST = 301, 5699


@dataclass(frozen=True)
class Municipalities:
    """The municipalities, in the file's order.

    Parameters
    ----------
    names : tuple of str
        As the file has them.
    numbers : tuple of int
        Kommunenummer, 301 to 5699, each once.
    polygons : tuple of tuple of tuple of float64 (n, 2)
        Of each municipality its polygons, of each polygon its rings as `Borders` has them.
    input : mapping
        What was read: address, bytes and SHA-256.
    data_origin : {"live", "simulated"}
    """

    names: tuple[str, ...]
    numbers: tuple[int, ...]
    polygons: tuple[tuple[tuple[Ring, ...], ...], ...]
    input: Mapping[str, str | int]
    data_origin: DataOrigin


def municipalities(url: str, *, user_agent: str, deadline_s: float) -> Municipalities:
    """Return the borders of the municipalities.

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
    return read_municipalities(
        *load(url, MUNICIPALITIES, "municipalities", user_agent=user_agent, deadline_s=deadline_s)
    )


def read_municipalities(origin: Origin, body: bytes) -> Municipalities:
    """Return the municipalities of a GeoJSON document.

    Parameters
    ----------
    origin : Origin
        What sentences name.
    body : bytes

    Raises
    ------
    SourceError
        It is no collection of areas in degrees, or their numbers are no kommunenummer each of its own.
    """
    found = parse(origin, body, ("name", "kommunenavn", "navn"))
    names: dict[int, str] = {}
    for area in found.areas:
        number = _number(origin, area)
        if number in names:
            raise origin.error(f"has the kommunenummer {number:04d} twice, of '{names[number]}' and of '{area.name}'")
        names[number] = area.name
    polygons = tuple(area.polygons for area in found.areas)
    return Municipalities(tuple(names.values()), tuple(names), polygons, found.input, found.data_origin)


def _number(origin: Origin, area: Area) -> int:
    """Return the kommunenummer, which is a text ("0301") in the real file."""
    given = area.properties.get("kommunenummer")
    text = str(given) if isinstance(given, str | int) and not isinstance(given, bool) else ""
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 4 else 0
    if not _LOWEST <= number <= _HIGHEST:
        raise origin.error(
            f"has the kommunenummer {given!r} for '{area.name}': four digits from {_LOWEST:04d} to {_HIGHEST} "
            "are expected"
        )
    return number
