"""Kartverket: the borders of Norway's counties and municipalities, clipped to the coast, as GeoJSON files in degrees.

The files are those of the public repository robhop/fylker-og-kommuner (generalised, medium quality). They hold the
mainland with its islands; Svalbard and Jan Mayen belong to no county.
"""

import hashlib
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass

import geopandas
import orjson
import shapely
from shapely.errors import GEOSException

from catalog.sources.data_origin import DataOrigin, origin_of
from catalog.sources.errors import Origin
from catalog.sources.http import Deadline, make_client
from catalog.sources.ranges import open_ranges

NAME = "kartverket"
COUNTIES = "Fylker-M.geojson"
MUNICIPALITIES = "Kommuner-M.geojson"

_MAX_BYTES = 64_000_000
_DEGREES = ("CRS84", "EPSG::4326", "EPSG:4326", "EPSG::4258", "EPSG:4258")
# of a file that names none (RFC 7946)
_CRS84 = {"properties": {"name": "CRS84"}}
# The counties are 03 to 56; 21 and 22, Svalbard and Jan Mayen, have no municipalities but would not be wrong.
_LOWEST, _HIGHEST = 301, 5699


@dataclass(frozen=True, eq=False)
class Borders:
    """Counties or municipalities.

    Parameters
    ----------
    areas : GeoDataFrame
        In the file's order: `name` (there are two municipalities called Herøy and two called Våler), `number`
        (fylkesnummer, missing where the file has none; or kommunenummer, 301 to 5699, each once, which begins with the
        county's) and the geometry, in degrees and as in the file, so not always valid.
    input : mapping
        What was read: address, bytes and SHA-256.
    data_origin : {"live", "simulated"}
    """

    areas: geopandas.GeoDataFrame
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
    return read(*_load(f"{url.rstrip('/')}/{COUNTIES}", user_agent, deadline_s), "fylkesnummer")


def municipalities(url: str, *, user_agent: str, deadline_s: float) -> Borders:
    """Return the borders of the municipalities; parameters and errors are those of `counties`."""
    origin, body = _load(f"{url.rstrip('/')}/{MUNICIPALITIES}", user_agent, deadline_s)
    found = read(origin, body, "kommunenummer")
    numbers = found.areas["number"]
    if not numbers.between(_LOWEST, _HIGHEST).fillna(value=False).all() or numbers.duplicated().any():
        expected = f"each has one of its own from {_LOWEST:04d} to {_HIGHEST}"
        raise origin.error(f"holds municipalities with no kommunenummer, or with the same: {expected}")
    return found


def read(origin: Origin, body: bytes, number: str) -> Borders:
    """Return the areas of a GeoJSON document.

    Parameters
    ----------
    origin : Origin
        What sentences name.
    body : bytes
    number : str
        The property that holds the number.

    Raises
    ------
    SourceError
        It is no collection of areas in degrees.
    """
    try:
        document = orjson.loads(body)
        crs = (document.get("crs") or _CRS84)["properties"]["name"]
        if document["type"] != "FeatureCollection" or not crs.endswith(_DEGREES):
            raise origin.error(f"is no FeatureCollection in degrees, but {document['type']!r:.40} in {crs:.60}")
        properties = [feature["properties"] for feature in document["features"]]
        # by shapely and not by GDAL, which mends broken rings, and follows what a file names
        polygons = shapely.force_2d(shapely.from_geojson([orjson.dumps(f["geometry"]) for f in document["features"]]))
        names = [str(one["name"]) for one in properties]
        numbers = [_number(one.get(number)) for one in properties]
        data_origin = origin_of(document.get("data_origin"), *(one.get("data_origin") for one in properties))
    except (ValueError, KeyError, TypeError, AttributeError, GEOSException) as error:
        raise origin.error(f"is no GeoJSON of named areas: {' '.join(str(error).split()):.100}") from error
    areas = geopandas.GeoDataFrame({"number": numbers, "name": names}, geometry=polygons, crs=4326)
    west, south, east, north = areas.total_bounds
    inside = -180 <= west <= east <= 180 and -90 <= south <= north <= 90
    if not inside or set(areas.geom_type) - {"Polygon", "MultiPolygon"} or areas.is_empty.any():
        raise origin.error("holds something else than areas in degrees")
    about: dict[str, str | int] = {"url": origin.url, "bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
    return Borders(areas.astype({"number": "Int64"}), about, data_origin)


def _number(given: object) -> int | None:
    """Return the number of an area, which is a text ("0301") in the real files."""
    text = str(given)
    return int(text) if text.isascii() and text.isdigit() and len(text) <= len("0301") else None


def _load(address: str, user_agent: str, deadline_s: float) -> tuple[Origin, bytes]:
    """Return what sentences about a file name, and its bytes."""
    with (
        make_client(user_agent) as client,
        closing(open_ranges(NAME, address, client, Deadline(deadline_s), _MAX_BYTES)) as file,
    ):
        if file.size > _MAX_BYTES:
            raise file.origin.error(f"is longer than {_MAX_BYTES} bytes: too much to be borders")
        return file.origin, file.read(0, file.size)
