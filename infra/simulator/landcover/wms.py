"""AR5 and CORINE by WMS 1.1.1: `/ar5` and `/corine`, GetMap as a picture of few colours, and GetFeatureInfo."""

import asyncio
import struct
import zlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import escape

from aiohttp import web

from infra.simulator.misbehave import Rule
from infra.simulator.small import with_faults

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROUTE = "/{map:ar5|corine}"
EPSG = 25833
MOST_PIXELS = 2048
CORINE_M = 100.0
_MAKERS = ThreadPoolExecutor(2, "wms")
_FAULT = "msDrawMap(): Image handling error (as requested)"
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


class _Map(NamedTuple):
    """What is asked for."""

    name: str
    west: float
    south: float
    east: float
    north: float
    columns: int
    rows: int


@with_faults
async def serve(request: web.Request, rule: Rule | None) -> web.Response:
    """Answer GetMap or GetFeatureInfo."""
    if rule is not None and rule.mode == "exception":
        return _exception(_FAULT)
    query = {name.upper(): value for name, value in request.query.items()}
    wanted = _wanted(request.match_info["map"], query)
    if isinstance(wanted, str):
        return _exception(wanted)
    loop = asyncio.get_running_loop()
    if query.get("REQUEST") == "GetFeatureInfo":
        try:
            column, row = int(query["X"]), int(query["Y"])
        except (KeyError, ValueError):
            return _exception("X and Y are wanted")
        text = await loop.run_in_executor(_MAKERS, _said, wanted, column, row)
        return web.Response(text=text, content_type="application/vnd.ogc.gml" if wanted.name == "ar5" else "text/xml")
    body = await loop.run_in_executor(_MAKERS, _picture, wanted, rule is not None and rule.mode == "holes")
    return web.Response(body=body, content_type="image/png")


def _exception(text: str) -> web.Response:
    """Return an exception as the services have it: with status 200."""
    report = f'<ServiceExceptionReport version="1.1.1"><ServiceException>{escape(text)}</ServiceException>'
    return web.Response(text=f"{report}</ServiceExceptionReport>", content_type="application/vnd.ogc.se_xml")


def _wanted(name: str, query: Mapping[str, str]) -> _Map | str:
    """Return the map that is asked for, or why there is none."""
    only = {"SERVICE": "WMS", "VERSION": "1.1.1", "LAYERS": _LAYERS[name], "SRS": f"EPSG:{EPSG}"}
    for key, value in only.items():
        if query.get(key) != value:
            return f"{key}={value} is the only one of the simulator's"
    try:
        west, south, east, north = (float(edge) for edge in query["BBOX"].split(","))
        columns, rows = int(query["WIDTH"]), int(query["HEIGHT"])
    except (KeyError, ValueError):
        return "BBOX of four numbers, WIDTH and HEIGHT are wanted"
    if not (west < east and south < north and 1 <= columns <= MOST_PIXELS and 1 <= rows <= MOST_PIXELS):
        return f"BBOX is a box, WIDTH and HEIGHT are 1 to {MOST_PIXELS}"
    return _Map(name, west, south, east, north, columns, rows)


def _codes(wanted: _Map) -> "NDArray[np.uint8]":
    """Return land cover at the pixels, row 0 in the north; 0 where none is drawn."""
    # only here: the server starts without numpy and its friends
    import numpy as np

    from infra.simulator.landcover.codes import codes, on_lattice

    size = (wanted.east - wanted.west) / wanted.columns
    if size > _LARGEST_PIXEL_M[wanted.name]:
        return np.zeros((wanted.rows, wanted.columns), np.uint8)
    x = wanted.west + (np.arange(wanted.columns) + 0.5) * size
    y = wanted.south + (np.arange(wanted.rows) + 0.5) * (wanted.north - wanted.south) / wanted.rows
    if wanted.name == "ar5":
        return codes(x, y)[::-1]
    coarse, columns, rows = on_lattice(*wanted[1:5], CORINE_M)
    j, i = (np.floor((at - first) / CORINE_M + 0.5).astype(int) for at, first in ((x, columns[0]), (y, rows[0])))
    return np.asarray(coarse[i[:, None], j][::-1])


def _picture(wanted: _Map, holes: bool) -> bytes:
    import numpy as np

    found = _codes(wanted)
    if holes:
        found = found.copy()
        found[wanted.rows // 2 :, : wanted.columns // 2] = 0
    index = np.zeros(256, np.uint8)
    index[list(_LOOKS)] = np.arange(1, len(_LOOKS) + 1)
    rows = np.zeros((wanted.rows, wanted.columns + 1), np.uint8)  # each begins with its filter: none
    rows[:, 1:] = index[found]
    colours = b"".join(bytes.fromhex(look[0][1:]) for look in _LOOKS.values())
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", wanted.columns, wanted.rows, 8, 3, 0, 0, 0)),
        (b"PLTE", bytes(3) + colours),
        (b"tRNS", b"\0"),
        (b"tEXt", b"data_origin\0simulated"),
        (b"IDAT", zlib.compress(rows.tobytes(), 6)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )


def _said(wanted: _Map, column: int, row: int) -> str:
    width, height = (wanted.east - wanted.west) / wanted.columns, (wanted.north - wanted.south) / wanted.rows
    west, north = wanted.west + column * width, wanted.north - row * height
    code = int(_codes(_Map(wanted.name, west, north - height, west + width, north, 1, 1))[0, 0])
    _, ar5, corine = _LOOKS.get(code, ("", 99, 999))
    if wanted.name == "ar5":
        feature = f"<Arealtype_feature><artype>{ar5}</artype></Arealtype_feature>" if code else ""
        return f'<?xml version="1.0"?><msGMLOutput><Arealtype_layer>{feature}</Arealtype_layer></msGMLOutput>'
    return f'<?xml version="1.0"?><FeatureInfoResponse><FIELDS OBJECTID="1" Code_18="{corine}"/></FeatureInfoResponse>'
