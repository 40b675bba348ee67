"""WFS 2.0.0 in GML 3.2: questions, exceptions with status 200, collections of features, geometries."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.sax.saxutils import escape

from aiohttp import web

from infra.simulator.misbehave import Rule
from infra.simulator.ogc import EPSG, query_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Box = tuple[float, float, float, float]

_FEWEST = 10  # of the mode `cut`
_FAULT = "Internal error: the layer could not be read (as requested)"
_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs/2.0" '
    'xmlns:gml="http://www.opengis.net/gml/3.2" {names} numberMatched="{matched}" numberReturned="{returned}"{more} '
    'data_origin="simulated">\n'
)
_EXCEPTION = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<ows:ExceptionReport xmlns:ows="http://www.opengis.net/ows/1.1" '
    'version="2.0.0"><ows:Exception exceptionCode="NoApplicableCode"><ows:ExceptionText>{text}</ows:ExceptionText>'
    "</ows:Exception></ows:ExceptionReport>"
)


class Question(NamedTuple):
    """A GetFeature: the box, m in UTM 33, how many features, after how many, and the mode of the rule that it meets."""

    box: Box
    limit: int
    start: int
    mode: str


def refusal(text: str) -> web.HTTPOk:
    """Return an exception as the services have it: with status 200."""
    return web.HTTPOk(text=_EXCEPTION.format(text=escape(text)), content_type="text/xml")


def box_of(text: str, largest: float) -> Box:
    """Return a box of a question.

    Raises
    ------
    ValueError
        It is none, or larger than `largest`, m to a side.
    """
    try:
        west, south, east, north = map(float, text.split(",")[:4])
    except ValueError as error:
        raise ValueError("BBOX of four numbers is wanted") from error
    if not (0 < east - west <= largest and 0 < north - south <= largest):
        raise ValueError(f"BBOX is at most {largest:g} m to a side")
    return west, south, east, north


def question_of(request: web.Request, rule: Rule | None, layer: str, *, largest: float, most: int) -> Question:
    """Return what is asked of a layer; raises the exception that answers it."""
    if rule is not None and rule.mode == "exception":
        raise refusal(_FAULT)
    only = {"SERVICE": "WFS", "REQUEST": "GetFeature", "VERSION": "2.0.0", "TYPENAMES": layer}
    query, mode = query_of(request, refusal, only), rule.mode if rule else ""
    try:
        box = box_of(query.get("BBOX", ""), largest)
        count, start = int(query.get("COUNT", most)), int(query.get("STARTINDEX", 0))
    except ValueError as error:
        raise refusal(str(error)) from error
    return Question(box, min(most, count, _FEWEST if mode == "cut" else most), start, mode)


def collection(members: Sequence[str], matched: int, names: str, next_page: str = "") -> str:
    """Return an answer that holds `members` of the features that match; `names` declares their namespaces."""
    more = f' next="{escape(next_page)}"' if next_page else ""
    head = _HEAD.format(names=names, matched=matched, returned=len(members), more=more)
    return "".join([head, *(f"<wfs:member>{each}</wfs:member>\n" for each in members), "</wfs:FeatureCollection>\n"])


def polygon(rings: Sequence["NDArray[np.float64]"], degrees: bool, name: str = "") -> str:
    """Return a polygon of closed rings in UTM 33, outline first; with `degrees` as longitude and latitude."""
    sides = []
    for side, ring in zip(("exterior", *("interior",) * (len(rings) - 1)), rings, strict=True):
        text = positions(ring, degrees)
        sides.append(f"<gml:{side}><gml:LinearRing><gml:posList>{text}</gml:posList></gml:LinearRing></gml:{side}>")
    named = f' gml:id="{name}"' if name else ""
    return f"<gml:Polygon{named} {srs_name(degrees)}>{''.join(sides)}</gml:Polygon>"


def srs_name(degrees: bool) -> str:
    """Return the attribute that names the system of coordinates."""
    return f'srsName="urn:ogc:def:crs:EPSG::{4326 if degrees else EPSG}"'


def positions(points: "NDArray[np.float64]", degrees: bool) -> str:
    """Return points (n, 2) as they are written: easting and northing, or longitude and latitude."""
    if not degrees:
        return " ".join(f"{a:.2f} {b:.2f}" for a, b in points.tolist())
    return " ".join(f"{a:.9g} {b:.9g}" for a, b in in_degrees(points).tolist())


def in_degrees(points: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return points in UTM 33, (n, 2), as longitude and latitude."""
    import numpy as np

    return np.column_stack(_to_degrees().transform(points[:, 0], points[:, 1]))


@cache
def _to_degrees() -> Any:
    from pyproj import Transformer

    return Transformer.from_crs(EPSG, 4326, always_xy=True)
