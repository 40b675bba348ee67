"""The coverage service: `/kartverket_wcs/wcs.hoyde-{dtm,dom}-nhm-25833`, GetCoverage of WCS 1.0.0 as the authority's.

As there, it answers a window of any size and resolution as GeoTIFF, and refuses another version, and more
cells than it can make in a reasonable time.
"""

import asyncio
from xml.sax.saxutils import escape

from aiohttp import web

from infra.simulator.misbehave import Rule
from infra.simulator.ogc import EPSG, EXECUTOR, Window, query_of, window_of
from infra.simulator.small import with_faults

ROUTE = "/kartverket_wcs/wcs.hoyde-{model:dtm|dom}-nhm-25833"
WEST, SOUTH, EAST, NORTH = -100_275.0, 6_399_725.0, 1_150_255.0, 8_000_275.0
MOST_CELLS = 2048  # to a side; the real one falls silent somewhere above 2000
_SHIFT_M = 100_000.0
_SPIKE_M = 9999.0
_XML = "application/vnd.ogc.se_xml"
_FAULT = "Internal error: the coverage could not be read (as requested)"


@with_faults
async def serve(request: web.Request, rule: Rule | None) -> web.Response:
    """Answer a request of the protocol; `stale` changes nothing."""
    if rule is not None and rule.mode == "exception":
        return web.Response(text=_exception(_FAULT), content_type=_XML)
    model = request.match_info["model"]
    only = {
        "SERVICE": "WCS",
        "REQUEST": "GetCoverage",
        "VERSION": "1.0.0",
        "COVERAGE": f"nhm_{model}_topo_{EPSG}",
        "CRS": f"EPSG:{EPSG}",
        "FORMAT": "GeoTIFF",
    }
    window = window_of(query_of(request, _refusal, only), _refusal, MOST_CELLS)
    if not (window.east > WEST and window.west < EAST and window.north > SOUTH and window.south < NORTH):
        raise _refusal("BBOX lies outside the coverage")
    body = await asyncio.get_running_loop().run_in_executor(EXECUTOR, _made, model, window, rule)
    return web.Response(body=body, content_type="image/tiff")


def _exception(text: str) -> str:
    """Return an exception of the protocol."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<ServiceExceptionReport version="1.2.0" '
        f'xmlns="http://www.opengis.net/ogc"><ServiceException>{escape(text)}</ServiceException></ServiceExceptionReport>'
    )


def _refusal(text: str) -> web.HTTPBadRequest:
    return web.HTTPBadRequest(text=_exception(text), content_type=_XML)


def _made(model: str, window: Window, rule: Rule | None) -> bytes:
    # only here: the server starts without numpy and its friends
    import numpy as np

    from infra.simulator.heights import ground, surface
    from infra.simulator.heights.geotiff import encode
    from infra.simulator.heights.noise import mixed

    z = (ground if model == "dtm" else surface).heights(*window.centres(), window.cell)
    west = window.west
    if rule is not None and rule.mode == "wronggrid":
        west += _SHIFT_M
    elif rule is not None and rule.mode == "spike":
        z[window.rows // 3, window.columns // 3] = _SPIKE_M
    elif rule is not None and rule.mode == "holes":
        z[window.rows // 4 : window.rows // 2, window.columns // 4 : window.columns // 2] = np.nan
    # one year of flight for each square of 50 km
    square = (int(edges / 2 // 50_000) for edges in (window.west + window.east, window.south + window.north))
    year = 2016 + int(mixed(95, *square)) % 7
    return encode(z, west, window.north, window.cell, epsg=EPSG, date=f"{year}:06:15 12:00:00")
