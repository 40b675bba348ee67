"""Kartverket: the borders of Norway's counties, clipped to the coast, as one GeoJSON file in degrees.

The file is that of the public repository robhop/fylker-og-kommuner (generalised, medium quality). It holds the
mainland with its islands; Svalbard and Jan Mayen belong to no county.
"""

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

import numpy as np
import orjson
from numpy.typing import NDArray

from catalog.sources.errors import Origin
from catalog.sources.fetch import fetch
from catalog.sources.http import Deadline, make_client, without_credentials

NAME = "kartverket"
LICENCE = "CC BY 4.0"
ATTRIBUTION = "Kartverket; generalised by robhop/fylker-og-kommuner"
DEFAULT_URL = "https://raw.githubusercontent.com/robhop/fylker-og-kommuner/main"
COUNTIES = "Fylker-M.geojson"

_MAX_BYTES = 64_000_000
_FEWEST_POINTS = 4  # of a closed ring
_DEGREES = ("CRS84", "EPSG::4326", "EPSG:4326", "EPSG::4258", "EPSG:4258")

Ring = NDArray[np.float64]
DataOrigin = Literal["live", "simulated"]


@dataclass(frozen=True)
class Borders:
    """Areas of land.

    Parameters
    ----------
    names : tuple of str
        Of the areas (counties), as the file has them.
    polygons : tuple of tuple of float64 (n, 2)
        Rings of longitude and latitude, degrees, closed; of each polygon the outer one first, then its holes.
    input : mapping
        What was read: address, bytes and SHA-256.
    data_origin : {"live", "simulated"}
    """

    names: tuple[str, ...]
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
    address = f"{url.rstrip('/')}/{COUNTIES}"
    origin = Origin(NAME, without_credentials(address))
    if address.lower().startswith(("http://", "https://")):
        with make_client(user_agent) as client:
            body = fetch(NAME, address, client, Deadline(deadline_s), max_bytes=_MAX_BYTES).body or b""
    else:
        body = _of_folder(origin, address)
    return read(origin, body)


def _of_folder(origin: Origin, address: str) -> bytes:
    path = Path(unquote(urlsplit(address).path) if address.lower().startswith("file://") else address)
    try:
        with path.open("rb") as file:
            body = file.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        raise origin.absent("does not exist: put the counties' borders there") from None
    except OSError as error:
        raise origin.error(f"cannot be opened: {error.strerror}") from error
    if len(body) > _MAX_BYTES:
        raise origin.error(f"is longer than {_MAX_BYTES} bytes: too much to be borders of counties")
    return body


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
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise origin.error("is no JSON") from error
    features = document.get("features") if isinstance(document, dict) else None
    if not isinstance(features, list) or document.get("type") != "FeatureCollection" or not features:
        raise origin.error("is no GeoJSON FeatureCollection with features in it")
    _require_degrees(origin, document.get("crs"))
    names: list[str] = []
    polygons: list[tuple[Ring, ...]] = []
    simulated = document.get("data_origin") == "simulated"
    for number, feature in enumerate(features, start=1):
        properties = (feature.get("properties") if isinstance(feature, dict) else None) or {}
        if not isinstance(properties, dict):
            raise origin.error(f"holds a feature without properties (number {number})")
        name = str(properties.get("name") or properties.get("fylkesnavn") or f"number {number}")
        geometry = feature.get("geometry") if isinstance(feature, dict) else None
        polygons += [tuple(_ring(origin, name, ring) for ring in rings) for rings in _areas(origin, name, geometry)]
        names.append(name)
        simulated |= properties.get("data_origin") == "simulated"
    about: dict[str, str | int] = {"url": origin.url, "bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
    return Borders(tuple(names), tuple(polygons), about, "simulated" if simulated else "live")


def _require_degrees(origin: Origin, crs: Any) -> None:
    """Refuse a coordinate system that is named and not in degrees; GeoJSON without one is in degrees (RFC 7946)."""
    if crs is None:
        return
    said = crs.get("properties") if isinstance(crs, dict) else None
    name = said.get("name") if isinstance(said, dict) else None
    if not (isinstance(name, str) and name.endswith(_DEGREES)):
        raise origin.error(f"is in the coordinate system {name!r}: degrees are expected (EPSG:4326)")


def _areas(origin: Origin, name: str, geometry: Any) -> Iterator[list[Any]]:
    """Yield the polygons of a geometry, each a list of rings."""
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    if kind not in ("Polygon", "MultiPolygon"):
        raise origin.error(f"has {kind or 'no geometry'} for '{name}': a Polygon or a MultiPolygon is expected")
    parts = geometry.get("coordinates")
    for polygon in [parts] if kind == "Polygon" else parts if isinstance(parts, list) and parts else [None]:
        if not isinstance(polygon, list) or not polygon:
            raise origin.error(f"has a {kind} without rings for '{name}'")
        yield polygon


def _ring(origin: Origin, name: str, points: Any) -> Ring:
    try:
        ring = np.array([(float(point[0]), float(point[1])) for point in points], dtype=np.float64).reshape(-1, 2)
    except (TypeError, ValueError, KeyError, IndexError, OverflowError) as error:
        raise origin.error(f"has a ring of '{name}' that is no list of positions") from error
    if len(ring) < _FEWEST_POINTS or not np.array_equal(ring[0], ring[-1]):
        raise origin.error(f"has a ring of '{name}' that is not closed")
    (west, south), (east, north) = ring.min(axis=0).tolist(), ring.max(axis=0).tolist()
    # JSON knows no NaN, but 1e999 is a number
    if not (all(map(math.isfinite, (west, east))) and -180 <= west <= east <= 180 and -90 <= south <= north <= 90):
        raise origin.error(f"has '{name}' at {west:g} to {east:g}, {south:g} to {north:g}: degrees are expected")
    return ring
