"""NIBIO's AR50, land resources at 1:50,000, by WFS or from GeoPackages.

How sure we are. Public clients agree on the address, the layer `ms:AR50`, WFS 1.0.0 and 2.0.0 with answers in GML
alone, a box in the system of srsName, the field `arealtype` with the classes 10, 20, 30, 50, 60, 70, 81, 82 and 99, and
that an answer (of WFS 1.0.0) is in longitude and latitude though UTM was asked for. So coordinates are taken for what
they can only be: degrees, whichever comes first, or metres east and north in the zone that srsName says, 33 where it
says none. Not confirmed: how many features an answer holds at most, and how an exception looks (XML with status 200 is
known of the sister service). What differs is refused with a sentence, never guessed.
"""

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from xml.etree import ElementTree as Xml

import httpx
import numpy as np
from numpy.typing import NDArray

from catalog.sources.data_origin import origin_of
from catalog.sources.errors import Origin, beginning
from catalog.sources.fetch import fetch
from catalog.sources.http import Deadline, make_client, without_credentials
from catalog.sources.land_cover import (
    BUILT_UP,
    EPSG,
    UNKNOWN,
    Bounds,
    Codes,
    Cover,
    burn,
    of_geopackages,
    path_of,
    shape_of,
)

NAME = "ar50"
CLASSES = {10: BUILT_UP, 20: 20, 30: 30, 50: 50, 60: 60, 70: 70, 81: 81, 82: 82, 99: UNKNOWN}

_LAYER, _FIELD = "ms:AR50", "arealtype"
# A tree of its elements takes some ten times as much.
_MAX_BYTES = 30_000_000
_MOST = 10_000  # features
_SMALLEST_M = 500.0
_SIDES = ("exterior", "interior", "outerBoundaryIs", "innerBoundaryIs")
_FEWEST_POINTS = 4
_DEGREES, _ZONES = 4326, range(25831, 25837)

Rings = list[NDArray[np.float64]]
"""Outline and holes of a polygon: (n, 2), m in UTM 33."""


def window(url: str, bounds: Bounds, cell: float, *, user_agent: str, seconds: float) -> Cover:
    """Return the land cover of a window, however many answers that takes.

    Parameters
    ----------
    url : str
        The service; or the path of a GeoPackage, or of a folder of them.
    bounds : (float, float, float, float)
        West, south, east, north, m in UTM 33: whole cells apart.
    cell : float
        m.
    user_agent : str
    seconds : float
        For all of it, s.

    Raises
    ------
    SourceError
        The map cannot be had, or the answer is something else.
    """
    if path := path_of(url):
        codes = of_geopackages(Origin(NAME, url), path, bounds, cell, fields=(_FIELD,), table=CLASSES)
        return Cover(codes, "live", {"url": url})
    digest = hashlib.sha256()
    codes, size, origins = np.zeros(shape_of(bounds, cell), np.uint8), 0, set[str | None]()
    with make_client(user_agent) as client:
        for body in _answers(url, bounds, client, Deadline(seconds)):
            found, said = _read(body, url, bounds, cell)
            codes = np.where(found != UNKNOWN, found, codes)
            digest.update(body)
            size += len(body)
            origins.add(said)
    about: dict[str, str | int] = {"url": without_credentials(url), "bytes": size, "sha256": digest.hexdigest()}
    return Cover(codes, origin_of(*origins), about)


def _answers(url: str, bounds: Bounds, client: httpx.Client, deadline: Deadline) -> Iterator[bytes]:
    """Yield the answers of a box, of its quarters where one answer does not hold all of it."""
    params = {
        "SERVICE": "WFS",
        "VERSION": "2.0.0",
        "REQUEST": "GetFeature",
        "TYPENAMES": _LAYER,
        "SRSNAME": f"EPSG:{EPSG}",
        "BBOX": ",".join(f"{edge:.10g}" for edge in bounds) + f",EPSG:{EPSG}",
        "COUNT": str(_MOST),
    }
    body = fetch(NAME, url, client, deadline, max_bytes=_MAX_BYTES, params=params).body or b""
    if not _is_cut(body):
        yield body
        return
    west, south, east, north = bounds
    if east - west < _SMALLEST_M:
        raise Origin(NAME, without_credentials(url)).error("holds more features in 500 m than an answer does")
    x, y = (west + east) / 2, (south + north) / 2
    for quarter in ((west, south, x, y), (x, south, east, y), (west, y, x, north), (x, y, east, north)):
        yield from _answers(url, quarter, client, deadline)


def _is_cut(body: bytes) -> bool:
    """Return whether an answer says, or looks as if, it does not hold all features."""
    head = body[:4000]
    matched, returned = (re.search(rb'\bnumber%s="(\d+)"' % name, head) for name in (b"Matched", b"Returned"))
    count = body.count(f"<{_LAYER}".encode())
    has_next = re.search(rb'\bnext="', head) is not None
    more = matched is not None and int(matched[1]) > (int(returned[1]) if returned else count)
    return has_next or more or count >= _MOST


def _read(body: bytes, url: str, bounds: Bounds, cell: float) -> tuple[Codes, str | None]:
    """Return the codes of an answer, and what it says of its origin."""
    origin = Origin(NAME, without_credentials(url))
    try:
        root = Xml.fromstring(body)  # noqa: S314 -- expat reads no external entities
    except Xml.ParseError as error:
        raise origin.error(f"answered XML that cannot be read: {error}") from error
    if _local(root) != "FeatureCollection":
        raise origin.error(f"answered no features: {beginning(''.join(root.itertext())) or _local(root)}")
    pairs: list[tuple[Rings, int]] = []
    for feature in root.iter():
        if _local(feature) == _LAYER.partition(":")[2]:
            code = next((one.text for one in feature if _local(one) == _FIELD), None)
            if code is None or not code.strip().isdecimal():
                raise origin.error(f"has a feature without {_FIELD}")
            try:
                pairs += [(rings, CLASSES.get(int(code), UNKNOWN)) for rings in _polygons(feature)]
            except ValueError as error:
                raise origin.error(f"has a polygon that cannot be read: {error}") from error
    if pairs and not any(_touches(rings[0], bounds) for rings, _ in pairs):
        raise origin.error("answered polygons of another place")
    shapes = (({"type": "Polygon", "coordinates": [ring.tolist() for ring in rings]}, code) for rings, code in pairs)
    return burn(shapes, bounds, cell), root.get("data_origin")


def _touches(ring: NDArray[np.float64], bounds: Bounds) -> bool:
    """Return whether the bounding box of a ring does."""
    (west, south), (east, north) = ring.min(axis=0), ring.max(axis=0)
    return bool(west <= bounds[2] and east >= bounds[0] and south <= bounds[3] and north >= bounds[1])


def _polygons(feature: Xml.Element) -> Iterator[Rings]:
    """Yield the polygons of a feature, in GML of any version.

    Raises
    ------
    ValueError
        One is none.
    """
    epsg = EPSG
    for element in feature.iter():
        if named := re.search(r"(?i)epsg.*?(\d{4,5})$", element.get("srsName", "")):
            epsg = int(named[1])
        if _local(element) in ("Polygon", "PolygonPatch"):
            rings = [_ring(ring, epsg) for side in element if _local(side) in _SIDES for ring in side]
            if not rings:
                raise ValueError("it has no outline")
            yield rings


def _ring(ring: Xml.Element, epsg: int) -> NDArray[np.float64]:
    """Return a ring in UTM 33, (n, 2); `epsg` is the system that the answer says it is in."""
    text = " ".join(one.text or "" for one in ring.iter() if _local(one) in ("posList", "pos", "coordinates"))
    xy = np.array(text.replace(",", " ").split(), np.float64).reshape(-1, 2)
    if len(xy) < _FEWEST_POINTS or not np.isfinite(xy).all():
        raise ValueError("a ring has 4 points or more")
    if xy[0, 0] > xy[0, 1]:  # in Norway latitude is above longitude, and northing above easting
        xy = xy[:, ::-1]
    if (xy[:, 0] >= xy[:, 1]).any():  # with heights, pairs begin anywhere in a point
        raise ValueError("its coordinates are no pairs of Norway's")
    system = _DEGREES if np.abs(xy).max() <= 360 else epsg if epsg in _ZONES else EPSG
    return xy if system == EPSG else np.column_stack(_to_utm33(system).transform(xy[:, 0], xy[:, 1]))


@cache
def _to_utm33(epsg: int) -> Any:
    from pyproj import Transformer

    return Transformer.from_crs(epsg, EPSG, always_xy=True)


def _local(element: Xml.Element) -> str:
    return element.tag.rpartition("}")[2]
