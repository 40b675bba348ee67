"""Aerial pictures by WMS 1.1.1 and 1.3.0: `/ortofoto`, GetMap of `ortofoto` as PNG or JPEG."""

import asyncio

from aiohttp import web

from infra.simulator.misbehave import Rule
from infra.simulator.ogc import EPSG, EXECUTOR, MAP_FAULT, Window, map_refusal, query_of, window_of
from infra.simulator.pictures import jpeg, png
from infra.simulator.small import with_faults

ROUTE, LAYER = "/ortofoto", "ortofoto"
YEAR = 2024  # newer than any surface model
MOST_PIXELS = 2048
_TYPES = ("image/png", "image/jpeg")
_LARGEST_PIXEL_M = 2.0


@with_faults
async def serve(request: web.Request, rule: Rule | None) -> web.Response:
    """Answer GetMap."""
    if rule is not None and rule.mode == "exception":
        raise map_refusal(MAP_FAULT)
    given = query_of(request, map_refusal, {"SERVICE": "WMS", "REQUEST": "GetMap", "LAYERS": LAYER})
    version = given.get("VERSION")
    query_of(request, map_refusal, {"CRS" if version == "1.3.0" else "SRS": f"EPSG:{EPSG}"})
    if version not in ("1.1.1", "1.3.0") or given.get("FORMAT") not in _TYPES:
        raise map_refusal(f"VERSION 1.1.1 or 1.3.0 and FORMAT {' or '.join(_TYPES)} are all that the simulator knows")
    window = window_of(given, map_refusal, MOST_PIXELS)
    if window.cell > _LARGEST_PIXEL_M:
        raise map_refusal(f"pixels are at most {_LARGEST_PIXEL_M:g} m")
    body = await asyncio.get_running_loop().run_in_executor(EXECUTOR, drawn, window, given["FORMAT"])
    return web.Response(body=body, content_type=given["FORMAT"])


def drawn(window: Window, media: str) -> bytes:
    """Return the picture of a window."""
    from infra.simulator.buildings.picture import picture  # only here: the server starts without numpy

    pixels = picture(*window.centres(), window.cell)[::-1]
    return jpeg(pixels) if media == "image/jpeg" else png(pixels, tags={"Creation Time": f"{YEAR}-06-15"})
