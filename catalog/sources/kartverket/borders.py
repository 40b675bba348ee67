"""Kartverket: the borders of Norway's counties and municipalities, clipped to the coast, as GeoJSON files in degrees.

The files are those of the public repository robhop/fylker-og-kommuner (generalised, medium quality). They hold the
mainland with its islands; Svalbard and Jan Mayen belong to no county.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote, urlsplit

import numpy as np
import orjson
from numpy.typing import NDArray

from catalog.sources.errors import Origin
from catalog.sources.fetch import fetch
from catalog.sources.http import Deadline, make_client, without_credentials

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

NAME = "kartverket"
COUNTIES = "Fylker-M.geojson"
MUNICIPALITIES = "Kommuner-M.geojson"

_MAX_BYTES = 64_000_000
_DEGREES = ("CRS84", "EPSG::4326", "EPSG:4326", "EPSG::4258", "EPSG:4258")
# The counties are 03 to 56; 21 and 22, Svalbard and Jan Mayen, have no municipalities but would not be wrong.
_LOWEST, _HIGHEST = 301, 5699


@dataclass(frozen=True, eq=False)
class Borders:
    """Counties or municipalities, in the file's order.

    Parameters
    ----------
    names : tuple of str
        As the file has them; there are two municipalities called Herøy and two called Våler.
    numbers : tuple of int or None
        Fylkesnummer, None where the file has none; or kommunenummer, 301 to 5699, each once, which begins with the
        county's.
    polygons : array of shapely Polygon and MultiPolygon (n,)
        Longitude and latitude, degrees; as in the file, so not all of them are valid.
    input : mapping
        What was read: address, bytes and SHA-256.
    data_origin : {"live", "simulated"}
    """

    names: tuple[str, ...]
    numbers: tuple[int | None, ...]
    polygons: NDArray[np.object_]
    input: Mapping[str, str | int]
    data_origin: Literal["live", "simulated"]


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
    return read(*_load(f"{url.rstrip('/')}/{COUNTIES}", user_agent, deadline_s))


def municipalities(url: str, *, user_agent: str, deadline_s: float) -> Borders:
    """Return the borders of the municipalities; parameters and errors are those of `counties`."""
    return read_municipalities(*_load(f"{url.rstrip('/')}/{MUNICIPALITIES}", user_agent, deadline_s))


def read(origin: Origin, body: bytes) -> Borders:
    """Return the counties of a GeoJSON document.

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
    return _parse(origin, body, ("name", "fylkesnavn"), "fylkesnummer", 2)


def read_municipalities(origin: Origin, body: bytes) -> Borders:
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
    found = _parse(origin, body, ("name", "kommunenavn", "navn"), "kommunenummer", 4)
    for name, number in zip(found.names, found.numbers, strict=True):
        if not _LOWEST <= (number or 0) <= _HIGHEST:
            expected = f"four digits from {_LOWEST:04d} to {_HIGHEST} are expected"
            raise origin.error(f"has no kommunenummer for '{name}': {expected}")
    [(number, times)] = Counter(found.numbers).most_common(1)
    if times > 1:
        raise origin.error(f"has the kommunenummer {number:04d} {times} times")
    return found


def _load(address: str, user_agent: str, deadline_s: float) -> tuple[Origin, bytes]:
    """Return a file's bytes, and what sentences about it name."""
    origin = Origin(NAME, without_credentials(address))
    if address.lower().startswith(("http://", "https://")):
        with make_client(user_agent) as client:
            return origin, fetch(NAME, address, client, Deadline(deadline_s), max_bytes=_MAX_BYTES).body or b""
    path = Path(unquote(urlsplit(address).path) if address.lower().startswith("file://") else address)
    try:
        with path.open("rb") as file:
            body = file.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        raise origin.absent("does not exist: put the borders there") from None
    except OSError as error:
        raise origin.error(f"cannot be opened: {error.strerror}") from error
    if len(body) > _MAX_BYTES:
        raise origin.error(f"is longer than {_MAX_BYTES} bytes: too much to be borders")
    return origin, body


def _parse(origin: Origin, body: bytes, name_fields: tuple[str, ...], number_field: str, digits: int) -> Borders:
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise origin.error("is no JSON") from error
    features = document.get("features") if isinstance(document, dict) else None
    if not isinstance(features, list) or document.get("type") != "FeatureCollection" or not features:
        raise origin.error("is no GeoJSON FeatureCollection with features in it")
    _require_degrees(origin, document.get("crs"))
    names, numbers, polygons = [], [], np.empty(len(features), object)
    origins = {document.get("data_origin")}
    for k, feature in enumerate(features):
        properties = (feature.get("properties") or {}) if isinstance(feature, dict) else None
        if not isinstance(properties, dict):
            raise origin.error(f"holds a feature without properties (number {k + 1})")
        names.append(
            next((str(properties[field]) for field in name_fields if properties.get(field)), f"number {k + 1}")
        )
        numbers.append(_number(properties.get(number_field), digits))
        polygons[k] = _polygon(origin, names[-1], feature.get("geometry"))
        origins.add(properties.get("data_origin"))
    about: dict[str, str | int] = {"url": origin.url, "bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
    return Borders(tuple(names), tuple(numbers), polygons, about, "simulated" if "simulated" in origins else "live")


def _require_degrees(origin: Origin, crs: Any) -> None:
    """Refuse a coordinate system that is named and not in degrees; GeoJSON without one is in degrees (RFC 7946)."""
    try:
        name = "CRS84" if crs is None else str(crs["properties"]["name"])
    except (KeyError, TypeError):
        name = f"{crs!r:.40}"
    if not name.endswith(_DEGREES):
        raise origin.error(f"is in the coordinate system {name}: degrees are expected (EPSG:4326)")


def _number(given: Any, digits: int) -> int | None:
    """Return the number of an area, which is a text ("0301") in the real files."""
    text = str(given) if isinstance(given, str | int) and not isinstance(given, bool) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


def _polygon(origin: Origin, name: str, geometry: Any) -> "BaseGeometry":
    import shapely  # not in a worker of the API, which reads heights by this package: 3.2 MB

    try:
        found = shapely.force_2d(shapely.from_geojson(orjson.dumps(geometry)))
    except shapely.errors.GEOSException as error:
        raise origin.error(f"has a geometry for '{name}' that cannot be read: {error!s:.100}") from error
    if found.geom_type not in ("Polygon", "MultiPolygon") or found.is_empty:
        raise origin.error(f"has {found.geom_type} for '{name}': a Polygon or a MultiPolygon with rings is expected")
    west, south, east, north = found.bounds
    if not (-180 <= west <= east <= 180 and -90 <= south <= north <= 90):
        raise origin.error(f"has '{name}' at {west:g} to {east:g}, {south:g} to {north:g}: degrees are expected")
    return found
