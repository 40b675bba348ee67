"""Outlines and register points of buildings: WFS 2.0.0 (`/bygninger`, `/bygningspunkt`) and OGC API Features.

As the real ones: the service of outlines gives no pages and tells by numberMatched what it leaves out, that of points
gives pages of 1000.
"""

import asyncio
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson
from aiohttp import web

from infra.simulator.features import (
    Box,
    Question,
    box_of,
    collection,
    in_degrees,
    polygon,
    positions,
    question_of,
    srs_name,
)
from infra.simulator.misbehave import Rule
from infra.simulator.ogc import EPSG, EXECUTOR
from infra.simulator.small import with_faults

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from infra.simulator.buildings.record import Building

OUTLINES_ROUTE, POINTS_ROUTE = "/bygninger", "/bygningspunkt"
ITEMS_ROUTE = "/bygninger/collections/buildings/items"
MOST_OUTLINES, PAGE = 2000, 1000
_LARGEST_M = 3000.0
_INSPIRE = (
    'xmlns:bu-core2d="http://inspire.ec.europa.eu/schemas/bu-core2d/4.0" '
    'xmlns:bu-base="http://inspire.ec.europa.eu/schemas/bu-base/4.0" '
    'xmlns:base="http://inspire.ec.europa.eu/schemas/base/3.3"'
)
_SOSI = 'xmlns:app="http://skjema.geonorge.no/SOSI/produktspesifikasjon/Matrikkelen-Bygningspunkt"'


@with_faults
async def serve_outlines(request: web.Request, rule: Rule | None) -> web.Response:
    """Answer GetFeature of `bu-core2d:Building`."""
    question = question_of(request, rule, "bu-core2d:Building", largest=_LARGEST_M, most=MOST_OUTLINES)
    found = await _buildings(question.box, question.mode)
    members = [_outline(one, question.mode == "lonlat") for one in found[: question.limit]]
    return web.Response(text=collection(members, len(found), _INSPIRE), content_type="text/xml")


@with_faults
async def serve_points(request: web.Request, rule: Rule | None) -> web.Response:
    """Answer a page of GetFeature of `app:Bygning`."""
    question = question_of(request, rule, "app:Bygning", largest=_LARGEST_M, most=PAGE)
    found = await _buildings(question.box, question.mode)
    members = [_point(one, question.mode == "lonlat") for one in _page(found, question)]
    following = question.start + len(members)
    more = str(request.url.update_query(STARTINDEX=following)) if members and following < len(found) else ""
    return web.Response(text=collection(members, len(found), _SOSI, more), content_type="text/xml")


@with_faults
async def serve_items(request: web.Request, rule: Rule | None) -> web.Response:
    """Answer a page of outlines as GeoJSON, in degrees."""
    mode, query = rule.mode if rule else "", request.query
    if mode == "exception":  # with status 200, as a proxy before such a service answers it
        return web.json_response({"code": "NoApplicableCode", "description": "the collection is away (as requested)"})
    try:
        box = _box_of_degrees(query.get("bbox", ""))
        limit, start = min(int(query.get("limit", "10")), PAGE), int(query.get("offset", "0"))
    except ValueError as error:
        raise web.HTTPBadRequest(text=f'{{"code": "InvalidParameterValue", "description": "{error}"}}') from error
    found = await _buildings(box, mode)
    page = _page(found, Question(box, min(limit, 10) if mode == "cut" else limit, start, mode))
    following = start + len(page)
    links = []
    if page and following < len(found):
        links.append({"rel": "next", "href": str(request.url.update_query(offset=following))})
    features = [_feature(one) for one in page]
    body = {
        "type": "FeatureCollection", "data_origin": "simulated", "features": features, "links": links,
        "numberMatched": len(found), "numberReturned": len(page),
    }  # fmt: skip
    return web.Response(body=orjson.dumps(body), content_type="application/geo+json")


async def _buildings(box: Box, mode: str) -> "list[Building]":
    """Return the buildings of a box; none by the mode `none`."""

    return [] if mode == "none" else await asyncio.get_running_loop().run_in_executor(EXECUTOR, _in_box, box)


@lru_cache(4)  # of a box whose pages are asked for one after the other
def _in_box(box: Box) -> "list[Building]":
    from infra.simulator.buildings.record import buildings_in  # only here: the server starts without numpy

    return buildings_in(*box)


def _page(found: "list[Building]", question: Question) -> "list[Building]":
    return found[question.start : question.start + question.limit]


def _box_of_degrees(text: str) -> Box:
    """Return a box in UTM 33 around one of west, south, east, north in degrees."""
    from pyproj import Transformer

    west, south, east, north = map(float, text.split(","))
    bounds = Transformer.from_crs(4326, EPSG, always_xy=True).transform_bounds(west, south, east, north)
    return box_of(",".join(map(str, bounds)), 2 * _LARGEST_M)


def _ring(building: "Building") -> "NDArray[np.float64]":
    import numpy as np

    corners = building.outline()
    return np.vstack([corners, corners[:1]])


def _outline(building: "Building", degrees: bool) -> str:
    number = building.number
    return (
        f'<bu-core2d:Building gml:id="Building.{number}"><bu-base:inspireId><base:Identifier><base:localId>{number}'
        "</base:localId><base:namespace>SIMULATED</base:namespace></base:Identifier></bu-base:inspireId>"
        "<bu-core2d:geometry2D><bu-base:BuildingGeometry2D><bu-base:geometry>"
        f"{polygon([_ring(building)], degrees, f'Building.{number}.0')}</bu-base:geometry>"
        "</bu-base:BuildingGeometry2D></bu-core2d:geometry2D></bu-core2d:Building>"
    )


def _point(building: "Building", degrees: bool) -> str:
    import numpy as np

    place = positions(np.array([[building.x, building.y]]), degrees)
    return (
        f'<app:Bygning gml:id="Bygning.{building.number}"><app:bygningsnummer>{building.number}</app:bygningsnummer>'
        f"<app:bygningstype>{building.code}</app:bygningstype><app:bygningsstatus>TB</app:bygningsstatus>"
        f"<app:representasjonspunkt><gml:Point {srs_name(degrees)}><gml:pos>{place}</gml:pos></gml:Point>"
        "</app:representasjonspunkt></app:Bygning>"
    )


def _feature(building: "Building") -> dict[str, Any]:
    ring = in_degrees(_ring(building))
    return {
        "type": "Feature",
        "id": str(building.number),
        "properties": {"bygningsnummer": building.number, "bygningstype": building.code},
        "geometry": {"type": "Polygon", "coordinates": [ring.round(7).tolist()]},
    }
