"""Areas of land in a GeoJSON file in degrees, from an address or a folder: what counties and municipalities share."""

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote, urlsplit

import numpy as np
import orjson
from numpy.typing import NDArray

from catalog.sources.errors import Origin
from catalog.sources.fetch import fetch
from catalog.sources.http import Deadline, make_client, without_credentials

NAME = "kartverket"

_MAX_BYTES = 64_000_000
_FEWEST_POINTS = 4  # of a closed ring
_DEGREES = ("CRS84", "EPSG::4326", "EPSG:4326", "EPSG::4258", "EPSG:4258")

Ring = NDArray[np.float64]
DataOrigin = Literal["live", "simulated"]


class Area(NamedTuple):
    """One feature: its name, its properties, and its polygons, each of rings as `Borders` has them."""

    name: str
    properties: Mapping[str, Any]
    polygons: tuple[tuple[Ring, ...], ...]


@dataclass(frozen=True)
class Areas:
    """What a file holds.

    Parameters
    ----------
    areas : tuple of Area
        In the file's order.
    input : mapping
        What was read: address, bytes and SHA-256.
    data_origin : {"live", "simulated"}
    """

    areas: tuple[Area, ...]
    input: Mapping[str, str | int]
    data_origin: DataOrigin


def load(url: str, file: str, of: str, *, user_agent: str, deadline_s: float) -> tuple[Origin, bytes]:
    """Return a file's bytes, and what sentences about it name.

    Parameters
    ----------
    url : str
        Where the file is: a base address (http, https) or a folder, also as file://.
    file : str
        Its name.
    of : str
        Whose borders it holds: `counties`.
    user_agent : str
    deadline_s : float
        For all of it, s.

    Raises
    ------
    SourceError
        The file cannot be had; `NotYetAvailable` where there is none.
    """
    address = f"{url.rstrip('/')}/{file}"
    origin = Origin(NAME, without_credentials(address))
    if address.lower().startswith(("http://", "https://")):
        with make_client(user_agent) as client:
            return origin, fetch(NAME, address, client, Deadline(deadline_s), max_bytes=_MAX_BYTES).body or b""
    return origin, _of_folder(origin, address, of)


def _of_folder(origin: Origin, address: str, of: str) -> bytes:
    path = Path(unquote(urlsplit(address).path) if address.lower().startswith("file://") else address)
    try:
        with path.open("rb") as file:
            body = file.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        raise origin.absent(f"does not exist: put the {of}' borders there") from None
    except OSError as error:
        raise origin.error(f"cannot be opened: {error.strerror}") from error
    if len(body) > _MAX_BYTES:
        raise origin.error(f"is longer than {_MAX_BYTES} bytes: too much to be borders of {of}")
    return body


def parse(origin: Origin, body: bytes, name_fields: tuple[str, ...]) -> Areas:
    """Return the areas of a GeoJSON document.

    Parameters
    ----------
    origin : Origin
        What sentences name.
    body : bytes
    name_fields : tuple of str
        The properties that may hold an area's name, the first that does counts.

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
    areas: list[Area] = []
    simulated = document.get("data_origin") == "simulated"
    for number, feature in enumerate(features, start=1):
        properties = (feature.get("properties") if isinstance(feature, dict) else None) or {}
        if not isinstance(properties, dict):
            raise origin.error(f"holds a feature without properties (number {number})")
        name = next((str(properties[field]) for field in name_fields if properties.get(field)), f"number {number}")
        geometry = feature.get("geometry") if isinstance(feature, dict) else None
        polygons = (tuple(_ring(origin, name, ring) for ring in rings) for rings in _polygons(origin, name, geometry))
        areas.append(Area(name, properties, tuple(polygons)))
        simulated |= properties.get("data_origin") == "simulated"
    about: dict[str, str | int] = {"url": origin.url, "bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
    return Areas(tuple(areas), about, "simulated" if simulated else "live")


def _require_degrees(origin: Origin, crs: Any) -> None:
    """Refuse a coordinate system that is named and not in degrees; GeoJSON without one is in degrees (RFC 7946)."""
    if crs is None:
        return
    said = crs.get("properties") if isinstance(crs, dict) else None
    name = said.get("name") if isinstance(said, dict) else None
    if not (isinstance(name, str) and name.endswith(_DEGREES)):
        raise origin.error(f"is in the coordinate system {name!r}: degrees are expected (EPSG:4326)")


def _polygons(origin: Origin, name: str, geometry: Any) -> Iterator[list[Any]]:
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
