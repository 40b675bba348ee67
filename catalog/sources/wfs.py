"""Features by WFS 2.0.0 in GML of any version, however many answers that takes; geometries in UTM 33.

Servers answer in longitude and latitude though UTM was asked for, and in either order. So coordinates are taken for
what they can only be: degrees, whichever comes first, or metres east and north in the zone that srsName says, 33 where
it says none. Exceptions come with status 200. What differs is refused with a sentence, never guessed.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from xml.etree import ElementTree as Xml

import httpx
import numpy as np
from numpy.typing import NDArray

from catalog.sources.data_origin import DataOrigin, origin_of
from catalog.sources.errors import Origin, beginning
from catalog.sources.fetch import fetch
from catalog.sources.http import Deadline, without_credentials
from catalog.sources.land_cover import EPSG, Bounds

# A tree of its elements takes some ten times as much.
_MAX_BYTES = 30_000_000
_MOST_PAGES = 50
_SIDES = ("exterior", "interior", "outerBoundaryIs", "innerBoundaryIs")
_FEWEST_POINTS = 4
_DEGREES, _ZONES = 4326, range(25831, 25837)

Points = NDArray[np.float64]
Rings = list[Points]
"""Outline and holes of a polygon: (n, 2), m in UTM 33."""


@dataclass(frozen=True)
class Layer:
    """A layer of a service.

    Parameters
    ----------
    source : str
        Whose name begins every sentence.
    name : str
        With its prefix: `ms:AR50`.
    most : int
        Features of an answer.
    paged : bool
        Whether more of them are on the next page; else a box is asked for in quarters.
    smallest : float
        Side of a box that is not quartered any more, m.
    """

    source: str
    name: str
    most: int
    paged: bool = False
    smallest: float = 500.0

    @property
    def element(self) -> str:
        """Name of a feature, without prefix."""
        return self.name.rpartition(":")[2]

    def origin(self, url: str) -> Origin:
        """Return what sentences about a service begin with: its address without credentials and query."""
        return Origin(self.source, without_credentials(url.partition("?")[0]))


@dataclass
class Receipt:
    """What was read of a service."""

    url: str
    size: int = 0
    origins: set[str | None] = field(default_factory=set)
    digest: Any = field(default_factory=hashlib.sha256)

    def add(self, body: bytes, said: str | None) -> None:
        """Count an answer, and what it says of its origin."""
        self.size += len(body)
        self.digest.update(body)
        self.origins.add(said)

    @property
    def data_origin(self) -> DataOrigin:
        """Of all answers."""
        return origin_of(*self.origins)

    @property
    def input(self) -> dict[str, str | int]:
        """Address without query, bytes and SHA-256."""
        return {
            "url": without_credentials(self.url.partition("?")[0]),
            "bytes": self.size,
            "sha256": self.digest.hexdigest(),
        }


def features(
    layer: Layer, url: str, bounds: Bounds, client: httpx.Client, deadline: Deadline, receipt: Receipt
) -> Iterator[list[Xml.Element]]:
    """Yield the features of each answer; one that lies in several quarters comes with each.

    Raises
    ------
    SourceError
        They cannot be had, or the answer is something else.
    """
    origin = layer.origin(url)
    start, read = 0, set[str]()
    for _ in range(_MOST_PAGES):
        body = _ask(layer, url, bounds, client, deadline, start)
        is_cut, begun = _is_cut(body, layer, start), start
        if is_cut and not layer.paged:
            yield from _quarters(layer, url, bounds, client, deadline, receipt)
            return
        found, said = _parsed(origin, layer, body)
        receipt.add(body, said)
        yield found
        if not is_cut:
            return
        names = {name for one in found for key, name in one.items() if key.endswith("}id")}
        start += len(found)
        if start == begun or (names and names <= read):
            raise origin.error("says that there are more features, and does not answer them")
        read |= names
    raise origin.error(f"has more than {_MOST_PAGES} pages of features")


def _ask(layer: Layer, url: str, bounds: Bounds, client: httpx.Client, deadline: Deadline, start: int) -> bytes:
    params = {
        "SERVICE": "WFS",
        "VERSION": "2.0.0",
        "REQUEST": "GetFeature",
        "TYPENAMES": layer.name,
        "SRSNAME": f"EPSG:{EPSG}",
        "BBOX": ",".join(f"{edge:.10g}" for edge in bounds) + f",EPSG:{EPSG}",
        "COUNT": str(layer.most),
    }
    if start:
        params["STARTINDEX"] = str(start)
    return fetch(layer.source, url, client, deadline, max_bytes=_MAX_BYTES, params=params).body or b""


def _quarters(
    layer: Layer, url: str, bounds: Bounds, client: httpx.Client, deadline: Deadline, receipt: Receipt
) -> Iterator[list[Xml.Element]]:
    west, south, east, north = bounds
    if east - west < layer.smallest:
        raise layer.origin(url).error(f"holds more features in {layer.smallest:g} m than an answer does")
    x, y = (west + east) / 2, (south + north) / 2
    for quarter in ((west, south, x, y), (x, south, east, y), (west, y, x, north), (x, y, east, north)):
        yield from features(layer, url, quarter, client, deadline, receipt)


def _is_cut(body: bytes, layer: Layer, start: int) -> bool:
    """Return whether an answer says, or looks as if, there are more features than it and those before it hold."""
    head = body[:4000]
    matched, returned = (re.search(rb'\bnumber%s="(\d+)"' % name, head) for name in (b"Matched", b"Returned"))
    count = len(re.findall(rb"<(?:[\w.-]+:)?%s[\s>]" % layer.element.encode(), body))
    has_next = re.search(rb'\bnext="', head) is not None
    more = matched is not None and int(matched[1]) > start + (int(returned[1]) if returned else count)
    return has_next or more or count >= layer.most


def _parsed(origin: Origin, layer: Layer, body: bytes) -> tuple[list[Xml.Element], str | None]:
    """Return the features of an answer, and what it says of its origin."""
    try:
        root = parsed(body)
    except Xml.ParseError as error:
        raise origin.error(f"answered XML that cannot be read: {error}") from error
    if local(root) != "FeatureCollection":
        raise origin.error(f"answered no features: {beginning(''.join(root.itertext())) or local(root)}")
    return [one for one in root.iter() if local(one) == layer.element], root.get("data_origin")


def parsed(body: bytes) -> Xml.Element:
    """Return the root of an answer in XML.

    Raises
    ------
    ParseError
        It is none, or declares a document type: entities of 1 MB make 100 MB of a few.
    """
    if b"<!DOCTYPE" in body.replace(b"\0", b""):  # in UTF-16 too
        raise Xml.ParseError("it declares a document type")
    return Xml.fromstring(body)  # noqa: S314 -- without a document type it has no entities


def local(element: Xml.Element) -> str:
    """Return the name of an element, without its namespace."""
    return element.tag.rpartition("}")[2]


def text_of(feature: Xml.Element, name: str) -> str:
    """Return the text of the first field of that name, at any depth; empty where there is none."""
    return next(((one.text or "").strip() for one in feature.iter() if local(one) == name), "")


def polygons(feature: Xml.Element) -> Iterator[Rings]:
    """Yield the polygons of a feature.

    Raises
    ------
    ValueError
        One is none.
    """
    for element, epsg in _geometries(feature):
        if local(element) in ("Polygon", "PolygonPatch"):
            rings = [_ring(ring, epsg) for side in element if local(side) in _SIDES for ring in side]
            if not rings:
                raise ValueError("it has no outline")
            yield rings


def point(feature: Xml.Element) -> tuple[float, float]:
    """Return the first point of a feature, m in UTM 33.

    Raises
    ------
    ValueError
        It has none.
    """
    for element, epsg in _geometries(feature):
        if local(element) == "Point":
            ((x, y),) = in_utm33(_numbers(element), epsg).tolist()
            return x, y
    raise ValueError("it has no point")


def _geometries(feature: Xml.Element) -> Iterator[tuple[Xml.Element, int]]:
    """Yield the elements of a feature with the system of coordinates that was named last."""
    epsg = EPSG
    for element in feature.iter():
        if named := re.search(r"(?i)epsg.*?(\d{4,5})$", element.get("srsName", "")):
            epsg = int(named[1])
        yield element, epsg


def _numbers(element: Xml.Element) -> Points:
    text = " ".join(one.text or "" for one in element.iter() if local(one) in ("posList", "pos", "coordinates"))
    return np.array(text.replace(",", " ").split(), np.float64).reshape(-1, 2)


def _ring(ring: Xml.Element, epsg: int) -> Points:
    """Return a ring in UTM 33, (n, 2); `epsg` is the system that the answer says it is in."""
    return in_utm33(_numbers(ring), epsg, fewest=_FEWEST_POINTS)


def in_utm33(xy: Points, epsg: int, *, fewest: int = 1) -> Points:
    """Return points of Norway in UTM 33, (n, 2), from a system that may be another one, or another order, than `epsg`.

    Raises
    ------
    ValueError
        They are none, or fewer than `fewest`.
    """
    if len(xy) < fewest or not np.isfinite(xy).all():
        raise ValueError(f"a ring has {fewest} points or more")
    if xy[0, 0] > xy[0, 1]:  # in Norway latitude is above longitude, and northing above easting
        xy = xy[:, ::-1]
    if (xy[:, 0] >= xy[:, 1]).any():  # with heights, pairs begin anywhere in a point
        raise ValueError("its coordinates are no pairs of Norway's")
    system = _DEGREES if np.abs(xy).max() <= 360 else epsg if epsg in _ZONES else EPSG
    return xy if system == EPSG else np.column_stack(_to_utm33(system).transform(xy[:, 0], xy[:, 1]))


def touches(ring: Points, bounds: Bounds) -> bool:
    """Return whether the bounding box of a ring touches a box."""
    (west, south), (east, north) = ring.min(axis=0), ring.max(axis=0)
    return bool(west <= bounds[2] and east >= bounds[0] and south <= bounds[3] and north >= bounds[1])


@cache
def _to_utm33(epsg: int) -> Any:
    from pyproj import Transformer

    return Transformer.from_crs(epsg, EPSG, always_xy=True)
