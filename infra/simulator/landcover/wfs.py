"""AR50 by WFS 2.0.0: `/ar50`, GetFeature of `ms:AR50` in GML, as polygons of cells of 50 m."""

import asyncio
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from aiohttp import web

from infra.simulator.misbehave import Rule
from infra.simulator.ogc import EPSG, EXECUTOR, query_of
from infra.simulator.small import with_faults

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROUTE = "/ar50"
CELL_M = 50.0
MOST_FEATURES = 5000
_FEWEST = 10  # of the mode `cut`
_LARGEST_M = 60_000.0
_FAULT = "Internal error: the layer could not be read (as requested)"
_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs/2.0" '
    'xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:ms="http://mapserver.gis.umn.edu/mapserver" '
    'numberMatched="{matched}" numberReturned="{returned}" data_origin="simulated">\n'
)
_EXCEPTION = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<ows:ExceptionReport xmlns:ows="http://www.opengis.net/ows/1.1" '
    'version="2.0.0"><ows:Exception exceptionCode="NoApplicableCode"><ows:ExceptionText>{text}</ows:ExceptionText>'
    "</ows:Exception></ows:ExceptionReport>"
)


def _refusal(text: str) -> web.HTTPOk:
    """Return an exception as the service has it: with status 200."""
    return web.HTTPOk(text=_EXCEPTION.format(text=escape(text)), content_type="text/xml")


@with_faults
async def serve(request: web.Request, rule: Rule | None) -> web.Response:
    """Answer GetFeature."""
    if rule is not None and rule.mode == "exception":
        raise _refusal(_FAULT)
    only = {"SERVICE": "WFS", "REQUEST": "GetFeature", "VERSION": "2.0.0", "TYPENAMES": "ms:AR50"}
    query = query_of(request, _refusal, only)
    try:
        west, south, east, north = map(float, query["BBOX"].split(",")[:4])
    except (KeyError, ValueError) as error:
        raise _refusal("BBOX of four numbers is wanted") from error
    if not (0 < east - west <= _LARGEST_M and 0 < north - south <= _LARGEST_M):
        raise _refusal(f"BBOX is at most {_LARGEST_M:g} m to a side")
    most = min(MOST_FEATURES, int(query.get("COUNT", MOST_FEATURES)))
    box = west, south, east, north
    text = await asyncio.get_running_loop().run_in_executor(EXECUTOR, _features, box, most, rule.mode if rule else "")
    return web.Response(text=text, content_type="text/xml")


def _features(box: tuple[float, float, float, float], most: int, mode: str) -> str:
    # only here: the server starts without numpy and its friends
    import numpy as np
    from rasterio import Affine
    from rasterio.features import shapes

    from infra.simulator.landcover.codes import BUILT_UP, UNKNOWN, on_lattice

    found, x, y = on_lattice(*box, CELL_M)
    if mode == "holes":
        found[: len(y) // 2, : len(x) // 2] = UNKNOWN
    transform = Affine(CELL_M, 0, x[0] - CELL_M / 2, 0, CELL_M, y[0] - CELL_M / 2)
    polygons = [(shape, int(code)) for shape, code in shapes(found, found != UNKNOWN, transform=transform)]
    if mode == "cut":
        most = _FEWEST
    parts = [_HEAD.format(matched=len(polygons), returned=min(most, len(polygons)))]
    for number, (shape, code) in enumerate(polygons[:most]):
        rings = [np.array(ring) for ring in shape["coordinates"]]
        kind = code // 10 * 10 if code == BUILT_UP else code
        parts.append(_feature(number, kind, rings, mode == "lonlat"))
    return "".join([*parts, "</wfs:FeatureCollection>\n"])


def _feature(number: int, kind: int, rings: list["NDArray[np.float64]"], degrees: bool) -> str:
    srs, sides = ("4326" if degrees else str(EPSG)), []
    for side, ring in zip(("exterior", *("interior",) * (len(rings) - 1)), rings, strict=True):
        points = " ".join(f"{a:.8g} {b:.8g}" if degrees else f"{a:.1f} {b:.1f}" for a, b in _placed(ring, degrees))
        sides.append(f"<gml:{side}><gml:LinearRing><gml:posList>{points}</gml:posList></gml:LinearRing></gml:{side}>")
    return (
        f'<wfs:member><ms:AR50 gml:id="AR50.{number}"><ms:msGeometry><gml:Polygon '
        f'srsName="urn:ogc:def:crs:EPSG::{srs}">{"".join(sides)}</gml:Polygon></ms:msGeometry>'
        f"<ms:arealtype>{kind}</ms:arealtype></ms:AR50></wfs:member>\n"
    )


def _placed(ring: "NDArray[np.float64]", degrees: bool) -> list[tuple[float, float]]:
    """Return a ring as it is written: easting and northing, or longitude and latitude."""
    if not degrees:
        return [tuple(point) for point in ring.tolist()]
    from pyproj import Transformer

    lon, lat = Transformer.from_crs(EPSG, 4326, always_xy=True).transform(ring[:, 0], ring[:, 1])
    return list(zip(lon.tolist(), lat.tolist(), strict=True))
