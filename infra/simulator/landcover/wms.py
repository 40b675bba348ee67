"""AR5 and CORINE by WMS 1.1.1: `/ar5` and `/corine`, GetMap as a picture of few colours, and GetFeatureInfo."""

import asyncio
from typing import TYPE_CHECKING

from aiohttp import web

from infra.simulator.misbehave import Rule
from infra.simulator.ogc import EPSG, EXECUTOR, MAP_FAULT, Window, map_refusal, query_of, window_of
from infra.simulator.pictures import png
from infra.simulator.small import with_faults

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROUTE = "/{map:ar5|corine}"
MOST_PIXELS = 2048
CORINE_M = 100.0
# code -> colour, class of AR5, class of CORINE
_LOOKS = {
    11: ("#fcdbd6", 11, 112),
    20: ("#ffd16e", 21, 211),
    30: ("#9ecc73", 30, 312),
    50: ("#d9d9d9", 50, 322),
    60: ("#1c7278", 60, 412),
    70: ("#e7fbfe", 70, 335),
    81: ("#91e7ff", 81, 512),
    82: ("#d2ffff", 82, 523),
}
_LAYERS = {"ar5": "Arealtype", "corine": "12,13"}
_LARGEST_PIXEL_M = {"ar5": 3.5, "corine": 1000.0}  # beyond, nothing is drawn


@with_faults
async def serve(request: web.Request, rule: Rule | None) -> web.Response:
    """Answer GetMap or GetFeatureInfo."""
    if rule is not None and rule.mode == "exception":
        raise map_refusal(MAP_FAULT)
    name, loop = request.match_info["map"], asyncio.get_running_loop()
    only = {"SERVICE": "WMS", "VERSION": "1.1.1", "LAYERS": _LAYERS[name], "SRS": f"EPSG:{EPSG}"}
    query = query_of(request, map_refusal, only)
    window = window_of(query, map_refusal, MOST_PIXELS)
    if query.get("REQUEST") == "GetFeatureInfo":
        try:
            column, row = int(query["X"]), int(query["Y"])
        except (KeyError, ValueError) as error:
            raise map_refusal("X and Y are wanted") from error
        text = await loop.run_in_executor(EXECUTOR, _feature_info, name, window, column, row)
        return web.Response(text=text, content_type="application/vnd.ogc.gml" if name == "ar5" else "text/xml")
    body = await loop.run_in_executor(EXECUTOR, _picture, name, window, rule is not None and rule.mode == "holes")
    return web.Response(body=body, content_type="image/png")


def _codes(name: str, window: Window) -> "NDArray[np.uint8]":
    """Return land cover at the pixels, row 0 in the north; 0 where none is drawn."""
    # only here: the server starts without numpy and its friends
    import numpy as np

    from infra.simulator.landcover.codes import codes, on_lattice

    if window.cell > _LARGEST_PIXEL_M[name]:
        return np.zeros((window.rows, window.columns), np.uint8)
    x, y = window.centres()
    if name == "ar5":
        return codes(x, y)[::-1]
    coarse, columns, rows = on_lattice(*window[:4], CORINE_M)
    j, i = (np.floor((at - first) / CORINE_M + 0.5).astype(int) for at, first in ((x, columns[0]), (y, rows[0])))
    return np.asarray(coarse[i[:, None], j][::-1])


def _picture(name: str, window: Window, holes: bool) -> bytes:
    import numpy as np

    found = _codes(name, window).copy()
    if holes:
        found[window.rows // 2 :, : window.columns // 2] = 0
    index = np.zeros(256, np.uint8)
    index[list(_LOOKS)] = np.arange(1, len(_LOOKS) + 1)
    colours = b"".join(bytes.fromhex(look[0][1:]) for look in _LOOKS.values())
    return png(index[found], palette=bytes(3) + colours)


def _feature_info(name: str, window: Window, column: int, row: int) -> str:
    width, height = window.cell, (window.north - window.south) / window.rows
    west, north = window.west + column * width, window.north - row * height
    code = int(_codes(name, Window(west, north - height, west + width, north, 1, 1))[0, 0])
    _, ar5, corine = _LOOKS.get(code, ("", 99, 999))
    if name == "ar5":
        feature = f"<Arealtype_feature><artype>{ar5}</artype></Arealtype_feature>" if code else ""
        return f'<?xml version="1.0"?><msGMLOutput><Arealtype_layer>{feature}</Arealtype_layer></msGMLOutput>'
    return f'<?xml version="1.0"?><FeatureInfoResponse><FIELDS OBJECTID="1" Code_18="{corine}"/></FeatureInfoResponse>'
