"""Aerial pictures by WMTS 1.0.0: `/ortofoto/wmts`, GetCapabilities and GetTile of `ortofoto`; tiles have addresses too.

Tiles of 256 x 256 pixels in UTM 33 (`utm33`), the finest of 0.125 m, as PNG or JPEG.
"""

import asyncio

from aiohttp import web

from infra.simulator.buildings.wms import LAYER, drawn
from infra.simulator.misbehave import Rule
from infra.simulator.ogc import EPSG, EXECUTOR, MAP_FAULT, Window, map_refusal, query_of
from infra.simulator.small import with_faults

ROUTE = "/ortofoto/wmts"
CAPABILITIES_ROUTE = f"{ROUTE}/1.0.0/WMTSCapabilities.xml"
TILE_ROUTE = f"{ROUTE}/1.0.0/{LAYER}/default/utm33/{{matrix}}/{{row}}/{{column}}.png"
_TYPES = ("image/png", "image/jpeg")
_WEST, _NORTH, _SIDE = -2_500_000.0, 9_045_984.0, 256
_PIXELS = {str(number): 2.0 / 2**number for number in range(5)}  # m
_WIDE_M = 2**22


@with_faults
async def serve(request: web.Request, rule: Rule | None) -> web.Response:
    """Answer GetCapabilities or GetTile."""
    if rule is not None and rule.mode == "exception":
        raise map_refusal(MAP_FAULT)
    if request.path == CAPABILITIES_ROUTE or request.query.get("REQUEST") == "GetCapabilities":
        return web.Response(text=_capabilities(request.url.origin()), content_type="application/xml")
    given = {"FORMAT": "image/png", **{name.upper(): value for name, value in request.match_info.items()}}
    if not request.match_info:
        only = {"SERVICE": "WMTS", "VERSION": "1.0.0", "REQUEST": "GetTile", "LAYER": LAYER, "TILEMATRIXSET": "utm33"}
        query = query_of(request, map_refusal, only)
        given = {"FORMAT": query.get("FORMAT", "")}
        given |= {own: query.get(f"TILE{name}", "") for own, name in (("MATRIX",) * 2, ("ROW",) * 2, ("COLUMN", "COL"))}
    if given["FORMAT"] not in _TYPES or given["MATRIX"] not in _PIXELS:
        raise map_refusal("there is no such matrix or format")
    if not (given["ROW"].isdecimal() and given["COLUMN"].isdecimal()):
        raise map_refusal("TILEROW and TILECOL are whole numbers")
    side = _SIDE * _PIXELS[given["MATRIX"]]
    west, north = _WEST + int(given["COLUMN"]) * side, _NORTH - int(given["ROW"]) * side
    window = Window(west, north - side, west + side, north, _SIDE, _SIDE)
    body = await asyncio.get_running_loop().run_in_executor(EXECUTOR, drawn, window, given["FORMAT"])
    return web.Response(body=body, content_type=given["FORMAT"])


def _capabilities(origin: object) -> str:
    template = TILE_ROUTE.format(matrix="{TileMatrix}", row="{TileRow}", column="{TileCol}")
    formats = "".join(f"<Format>{media}</Format>" for media in _TYPES)
    matrices = "".join(
        f"<TileMatrix><ows:Identifier>{name}</ows:Identifier><ScaleDenominator>{pixel / 0.28e-3!r}</ScaleDenominator>"
        f"<TopLeftCorner>{_WEST} {_NORTH}</TopLeftCorner><TileWidth>{_SIDE}</TileWidth><TileHeight>{_SIDE}</TileHeight>"
        f"<MatrixWidth>{_WIDE_M / pixel / _SIDE:.0f}</MatrixWidth>"
        f"<MatrixHeight>{_WIDE_M / pixel / _SIDE:.0f}</MatrixHeight></TileMatrix>"
        for name, pixel in _PIXELS.items()
    )
    return (
        '<Capabilities xmlns="http://www.opengis.net/wmts/1.0" xmlns:ows="http://www.opengis.net/ows/1.1" '
        f'version="1.0.0"><Contents><Layer><ows:Identifier>{LAYER}</ows:Identifier>'
        f'<Style isDefault="true"><ows:Identifier>default</ows:Identifier></Style>{formats}'
        "<TileMatrixSetLink><TileMatrixSet>utm33</TileMatrixSet></TileMatrixSetLink>"
        f'<ResourceURL format="image/png" resourceType="tile" template="{origin}{template}"/></Layer>'
        "<TileMatrixSet><ows:Identifier>utm33</ows:Identifier>"
        f"<ows:SupportedCRS>urn:ogc:def:crs:EPSG::{EPSG}</ows:SupportedCRS>{matrices}</TileMatrixSet>"
        "</Contents></Capabilities>"
    )
