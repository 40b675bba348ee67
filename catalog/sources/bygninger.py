"""Outlines of buildings: Kartverket's by WFS (INSPIRE), an OGC API of features, or the operator's GeoPackages.

How sure we are. Public clients agree on the address, the type `Building`, GML 3.2 with one `posList` a building, boxes,
at most 10,000 buildings an answer without pages, and the register's number as `localId` (or in a `reference`). They saw
it silent for more than 55 s, points in place of polygons, and no buildings in Møre og Romsdal: an answer without any
says nothing. An address with `/collections/` is an OGC API of features: asked in degrees, which all of them know, and
followed from page to page. GeoPackages are FKB's, of OpenStreetMap, or any of polygons.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import numpy as np
import orjson
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from catalog.sources.data_origin import DataOrigin
from catalog.sources.errors import Origin, beginning
from catalog.sources.fetch import fetch
from catalog.sources.http import Deadline, make_client
from catalog.sources.land_cover import EPSG, Bounds, layers_of, of_geopackages, path_of
from catalog.sources.wfs import Layer, Points, Receipt, features, in_utm33, polygons, text_of, touches

NAME = "bygninger"
# FKB's `fkb_bygning_omrade`, Geofabrik's `gis_osm_buildings_a_free`
_CALLED = ("bygning", "building")
_NUMBERS = ("bygningsnummer", "lokalid", "osm_id")
_LAYER = Layer(NAME, "bu-core2d:Building", most=10_000, smallest=50.0)
_DEGREES = 4326
_PAGE, _MOST_PAGES, _MAX_BYTES = 1000, 50, 30_000_000


class _Link(BaseModel):
    rel: str | None = None
    href: str | None = None


class _Collection(BaseModel):
    """An answer of an OGC API of features."""

    features: list[Any]
    links: list[_Link] | None = None
    data_origin: str | None = None


class Outline(NamedTuple):
    """Outline of one building, or of one part of it.

    Parameters
    ----------
    rings : tuple of float64 (n, 2)
        Outline and holes, closed, m in UTM 33.
    id : str
        The register's number where the source has it, else the source's own.
    """

    rings: tuple[Points, ...]
    id: str


class Outlines(NamedTuple):
    """Outlines that touch a box.

    Parameters
    ----------
    buildings : tuple of Outline
    data_origin : {"live", "simulated"}
    """

    buildings: tuple[Outline, ...]
    data_origin: DataOrigin


def outlines(url: str, bounds: Bounds, *, user_agent: str, seconds: float) -> Outlines:
    """Return the outlines that touch a box, each once.

    Parameters
    ----------
    url : str
        WFS, an OGC API's `.../collections/<name>` (with or without `/items`), or the path of a GeoPackage or of a
        folder of them.
    bounds : (float, float, float, float)
        West, south, east, north, m in UTM 33.
    user_agent : str
    seconds : float
        For all of it, s.

    Raises
    ------
    SourceError
        They cannot be had, or the answer is something else.
    """
    origin, deadline = _LAYER.origin(url), Deadline(seconds)
    receipt = Receipt(url)
    try:
        if path := path_of(url):
            found = list(_of_files(origin, path, bounds))
            return Outlines(_within(found, bounds), "live")
        with make_client(user_agent) as client:
            read = _of_pages if "/collections/" in url else _of_wfs
            found = list(read(origin, url, bounds, client, deadline, receipt))
    except ValueError as error:
        raise origin.error(f"has an outline that cannot be read: {error}") from error
    return Outlines(_within(found, bounds), receipt.data_origin)


def _within(found: list[Outline], bounds: Bounds) -> tuple[Outline, ...]:
    """Return the outlines that touch a box, each once: quarters share those on their edges."""
    once = {(one.id, one.rings[0].tobytes()): one for one in found if touches(one.rings[0], bounds)}
    return tuple(once.values())


def _of_wfs(
    origin: Origin, url: str, bounds: Bounds, client: httpx.Client, deadline: Deadline, receipt: Receipt
) -> Iterator[Outline]:
    seen, drawn = 0, 0
    for answer in features(_LAYER, url, bounds, client, deadline, receipt):
        for feature in answer:
            seen += 1
            name = text_of(feature, "localId") or text_of(feature, "reference")
            for rings in polygons(feature):
                drawn += 1
                yield Outline(tuple(rings), name)
    if seen and not drawn:
        raise origin.error("answered buildings without outlines")


def _of_pages(
    origin: Origin, url: str, bounds: Bounds, client: httpx.Client, deadline: Deadline, receipt: Receipt
) -> Iterator[Outline]:
    from pyproj import Transformer

    west, south, east, north = Transformer.from_crs(EPSG, _DEGREES, always_xy=True).transform_bounds(*bounds)
    page = url.rstrip("/") if url.rstrip("/").endswith("/items") else url.rstrip("/") + "/items"
    params: dict[str, str] | None = {
        "bbox": f"{west:.7f},{south:.7f},{east:.7f},{north:.7f}", "limit": str(_PAGE), "f": "json",
    }  # fmt: skip
    host = httpx.URL(url).host
    for _ in range(_MOST_PAGES):
        body = fetch(NAME, page, client, deadline, max_bytes=_MAX_BYTES, params=params).body or b""
        answer = _collection(origin, body)
        receipt.add(body, answer.data_origin)
        for feature in answer.features:
            yield from _of_feature(feature)
        following = next((one.href for one in answer.links or [] if one.rel == "next" and one.href), None)
        if following is None:
            return
        try:
            address = httpx.URL(page).join(following)
        except httpx.InvalidURL:
            address = httpx.URL(page)
        if address == page or address.host != host:
            raise origin.error("names a next page that is none of its own")
        page, params = str(address), None
    raise origin.error(f"has more than {_MOST_PAGES} pages of features")


def _collection(origin: Origin, body: bytes) -> _Collection:
    try:
        return _Collection.model_validate(orjson.loads(body))
    except orjson.JSONDecodeError as error:
        raise origin.error(f"answered JSON that cannot be read: {error}") from error
    except ValidationError as error:
        raise origin.error(f"answered no features: {beginning(body[:200].decode('utf-8', 'replace'))}") from error


def _of_feature(feature: Any) -> Iterator[Outline]:
    """Yield the outlines of a feature of GeoJSON.

    Raises
    ------
    ValueError
        It is none.
    """
    try:
        about, geometry = feature.get("properties") or {}, feature["geometry"] or {}
        name = next(filter(None, (_text(about.get(key)) for key in _NUMBERS)), _text(feature.get("id")))
        parts = geometry.get("coordinates", [])
        kinds = {"Polygon": [parts], "MultiPolygon": parts}
        for part in filter(None, kinds.get(str(geometry.get("type")), [])):
            rings = (np.array([point[:2] for point in ring], np.float64) for ring in part)
            yield Outline(tuple(in_utm33(ring, _DEGREES, fewest=4) for ring in rings), name)
    except (AttributeError, KeyError, TypeError, IndexError) as error:
        raise ValueError("it is no feature of GeoJSON") from error


def _of_files(origin: Origin, path: str, bounds: Bounds) -> Iterator[Outline]:
    import shapely

    for layer in layers_of(origin, path, bounds, fields=_NUMBERS, called=_CALLED):
        for shape, values in zip(layer.shapes, layer.values, strict=True):
            told = dict(zip((*layer.fields, "fid"), values, strict=True))
            name = next(filter(None, (_text(told.get(key)) for key in (*_NUMBERS, "fid"))), "")
            for part in shapely.get_parts(shape):
                if part.geom_type == "Polygon":
                    rings = tuple(shapely.get_coordinates(ring) for ring in (part.exterior, *part.interiors))
                    yield Outline(rings, name)


def _text(value: Any) -> str:
    """Return a number or text of a field; empty where it is missing, which is NaN among numbers of a GeoPackage."""
    return "" if value is None or value != value else str(value).strip().removesuffix(".0")


def footprints(url: str, bounds: Bounds, cell: float) -> NDArray[np.bool_]:
    """Return which cells' centres are inside a building, (rows, columns), row 0 in the south.

    Parameters
    ----------
    url : str
        Path of a GeoPackage, or of a folder of them: their polygons are buildings, or where layers of a file are
        called so, those.
    bounds : (float, float, float, float)
        West, south, east, north, m in UTM 33: whole cells apart.
    cell : float
        m.

    Raises
    ------
    SourceError
        There is no such file, or it cannot be read.
    """
    return of_geopackages(Origin(NAME, url), path_of(url) or url, bounds, cell, called=_CALLED) > 0
