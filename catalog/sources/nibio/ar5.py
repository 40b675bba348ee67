"""NIBIO's AR5, land resources at 1:5,000, by WMS or from GeoPackages.

How sure we are. Public clients agree on the address, the layer `Arealtype`, WMS 1.1.1 in EPSG:25833, PNG, and that
GetFeatureInfo as `application/vnd.ogc.gml` tells `<artype>` (11, 12, 21, 22, 23, 30, 50, 60, 70, 81, 82, 99); errors
are XML with status 200. They ask for pixels of 0.5 to 3 m, and one found nothing drawn in 6 km over 2000 pixels: the
picture is asked for in pixels of at most 3 m. One was refused after 1,800 answers, six at a time. The field of FKB's
files is called `arealtype`. Not confirmed: the scale at which the layer begins, and whether its colours are smoothed at
edges: pixels of a colour that covers no 5 x 5 of them stay unknown.
"""

import re

from catalog.sources.errors import Origin
from catalog.sources.land_cover import FARMLAND, UNKNOWN, Bounds, Cover, of_geopackages, path_of
from catalog.sources.wms_classes import ClassMap

NAME = "ar5"
CLASSES = {11: 11, 12: 12, **dict.fromkeys((21, 22, 23), FARMLAND), 30: 30, 50: 50, 60: 60, 70: 70, 81: 81, 82: 82}
CLASSES |= {99: UNKNOWN}

_FIELDS = ("artype", "arealtype")
# Clients got nothing at 3.5 m and more: the layer is drawn at large scales only.
_PIXEL_M = 3.0
_MAP = ClassMap(
    NAME,
    "Arealtype",
    "image/png; mode=8bit",
    "application/vnd.ogc.gml",
    re.compile(r"<(?:\w+:)?artype>\s*(\d{1,3})\b"),
    CLASSES,
    _PIXEL_M,
)


def window(url: str, bounds: Bounds, cell: float, *, user_agent: str, seconds: float) -> Cover:
    """Return the land cover of a window; parameters and errors as of `ar50.window`."""
    if path := path_of(url):
        codes = of_geopackages(Origin(NAME, url), path, bounds, cell, fields=_FIELDS, table=CLASSES)
        return Cover(codes, "live", {"url": url})
    return _MAP.window(url, bounds, cell, user_agent=user_agent, seconds=seconds)
