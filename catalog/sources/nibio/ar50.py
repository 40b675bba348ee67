"""NIBIO's AR50, land resources at 1:50,000, by WFS or from GeoPackages.

How sure we are. Public clients agree on the address, the layer `ms:AR50`, WFS 1.0.0 and 2.0.0 with answers in GML
alone, a box in the system of srsName, the field `arealtype` with the classes 10, 20, 30, 50, 60, 70, 81, 82 and 99, and
that an answer (of WFS 1.0.0) is in longitude and latitude though UTM was asked for. Not confirmed: how many features an
answer holds at most, and how an exception looks (XML with status 200 is known of the sister service).
"""

from xml.etree import ElementTree as Xml

import numpy as np

from catalog.sources.errors import Origin
from catalog.sources.http import Deadline, make_client
from catalog.sources.land_cover import (
    BUILT_UP,
    UNKNOWN,
    Bounds,
    Codes,
    Cover,
    burn,
    of_geopackages,
    path_of,
    shape_of,
)
from catalog.sources.wfs import Layer, Receipt, Rings, features, local, polygons, touches

NAME = "ar50"
CLASSES = {10: BUILT_UP, 20: 20, 30: 30, 50: 50, 60: 60, 70: 70, 81: 81, 82: 82, 99: UNKNOWN}

_FIELD = "arealtype"
_LAYER = Layer(NAME, "ms:AR50", most=10_000)


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
    origin = _LAYER.origin(url)
    if path := path_of(url):
        codes = of_geopackages(Origin(NAME, url), path, bounds, cell, fields=(_FIELD,), table=CLASSES)
        return Cover(codes, "live", {"url": url})
    receipt, codes = Receipt(url), np.zeros(shape_of(bounds, cell), np.uint8)
    with make_client(user_agent) as client:
        for found in features(_LAYER, url, bounds, client, Deadline(seconds), receipt):
            burnt = _codes(origin, found, bounds, cell)
            codes = np.where(burnt != UNKNOWN, burnt, codes)
    return Cover(codes, receipt.data_origin, receipt.input)


def _codes(origin: Origin, found: list[Xml.Element], bounds: Bounds, cell: float) -> Codes:
    """Return the codes of the features of an answer."""
    pairs: list[tuple[Rings, int]] = []
    for feature in found:
        code = next((one.text for one in feature if local(one) == _FIELD), None)
        if code is None or not code.strip().isdecimal():
            raise origin.error(f"has a feature without {_FIELD}")
        try:
            pairs += [(rings, CLASSES.get(int(code), UNKNOWN)) for rings in polygons(feature)]
        except ValueError as error:
            raise origin.error(f"has a polygon that cannot be read: {error}") from error
    if pairs and not any(touches(rings[0], bounds) for rings, _ in pairs):
        raise origin.error("answered polygons of another place")
    shapes = (({"type": "Polygon", "coordinates": [ring.tolist() for ring in rings]}, code) for rings, code in pairs)
    return burn(shapes, bounds, cell)
