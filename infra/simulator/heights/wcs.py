"""The coverage service: `/kartverket_wcs/wcs.hoyde-{dtm,dom}-nhm-25833`, WCS 1.0.0 as the authority's.

As there, GetCoverage answers a window of any size and resolution as GeoTIFF, and another version or too many cells with
an exception. (That a fault of the service is an exception with status 200 is a rule's doing: mode `exception`.)
"""

import asyncio
from collections.abc import Mapping
from typing import Literal, NamedTuple, cast
from xml.sax.saxutils import escape

import numpy as np
from aiohttp import web
from numpy.typing import NDArray

from infra.simulator.misbehave import Rule
from infra.simulator.small import answer

ROUTE = "/kartverket_wcs/wcs.hoyde-{model:dtm|dom}-nhm-25833"
EPSG = 25833
WEST, SOUTH, EAST, NORTH = -100_275.0, 6_399_725.0, 1_150_255.0, 8_000_275.0
MOST_CELLS = 2048  # to a side; the real one falls silent somewhere above 2000
DATE = {"dtm": "2021:06:15 12:00:00", "dom": "2022:06:15 12:00:00"}
_AT_ONCE = asyncio.Semaphore(2)  # windows in the making
_SHIFT_M = 100_000.0

Model = Literal["dtm", "dom"]


class Window(NamedTuple):
    """What is asked for: bounds in m, columns and rows."""

    west: float
    south: float
    east: float
    north: float
    columns: int
    rows: int


class RefusedError(Exception):
    """A question that is no good; the text says why."""


async def serve(request: web.Request) -> web.StreamResponse:
    """Answer a request of the protocol, or the fault that a rule asks for."""
    return await answer(request, lambda rule: _good(request, rule))


async def _good(request: web.Request, rule: Rule | None) -> web.Response:
    model = cast(Model, request.match_info["model"])
    query = {name.upper(): value for name, value in request.query.items()}
    try:
        kind = query.get("REQUEST", "").lower()
        if query.get("SERVICE", "").upper() != "WCS":
            raise RefusedError("SERVICE=WCS is missing")
        if kind == "getcoverage":
            return await _coverage(model, _asked(model, query), rule)
    except RefusedError as error:
        return exception(str(error), status=400)
    return exception(f"REQUEST={kind} is not known", status=400)


def exception(text: str, *, status: int) -> web.Response:
    """Return an exception of the protocol."""
    document = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<ServiceExceptionReport version="1.2.0" '
        f'xmlns="http://www.opengis.net/ogc"><ServiceException>{escape(text)}</ServiceException></ServiceExceptionReport>'
    )
    return web.Response(status=status, text=document, content_type="application/vnd.ogc.se_xml")


def coverage(model: str) -> str:
    """Return what the coverage of a model is called."""
    return f"nhm_{model}_topo_{EPSG}"


def _asked(model: Model, query: Mapping[str, str]) -> Window:
    if query.get("VERSION") != "1.0.0":
        raise RefusedError("VERSION=1.0.0 is the only one")
    if query.get("COVERAGE") != coverage(model):
        raise RefusedError(f"COVERAGE={coverage(model)} is the only one")
    if query.get("CRS") != f"EPSG:{EPSG}" or query.get("RESPONSE_CRS", f"EPSG:{EPSG}") != f"EPSG:{EPSG}":
        raise RefusedError(f"CRS=EPSG:{EPSG} is the only one of the simulator's")
    if query.get("FORMAT") != "GeoTIFF":
        raise RefusedError("FORMAT=GeoTIFF is the only one of the simulator's")
    try:
        west, south, east, north = (float(edge) for edge in query["BBOX"].split(","))
        columns, rows = int(query["WIDTH"]), int(query["HEIGHT"])
    except (KeyError, ValueError) as error:
        raise RefusedError("BBOX of four numbers, WIDTH and HEIGHT are wanted") from error
    if not (1 <= columns <= MOST_CELLS and 1 <= rows <= MOST_CELLS):
        raise RefusedError(f"WIDTH and HEIGHT are 1 to {MOST_CELLS}")
    if not (west < east and south < north and east > WEST and west < EAST and north > SOUTH and south < NORTH):
        raise RefusedError("BBOX lies outside the coverage")
    return Window(west, south, east, north, columns, rows)


async def _coverage(model: Model, window: Window, rule: Rule | None) -> web.Response:
    async with _AT_ONCE:
        body = await asyncio.to_thread(_made, model, window, rule)
    return web.Response(body=body, content_type="image/tiff")


def _made(model: Model, window: Window, rule: Rule | None) -> bytes:
    from infra.simulator.heights.geotiff import encode  # only here: the server starts without numpy's friends

    cell = (window.east - window.west) / window.columns
    z = heights(model, window)
    west = window.west + (_SHIFT_M if rule is not None and rule.mode == "wronggrid" else 0.0)
    return encode(z, west, window.north, cell, epsg=EPSG, date=DATE[model])


def heights(model: Model, window: Window) -> NDArray[np.float32]:
    """Return the heights of a window, row 0 in the south, NaN where there is no data."""
    from infra.simulator.heights import ground

    cell = (window.east - window.west) / window.columns
    x = window.west + (np.arange(window.columns) + 0.5) * cell
    y = window.south + (np.arange(window.rows) + 0.5) * (window.north - window.south) / window.rows
    return ground.heights(x, y, cell)
