"""Aerial pictures by WMS or WMTS, from whoever the operator has an agreement with (Norge i bilder wants one).

The address names the layer in its query, and holds there what the agreement demands: `https://host/wms?LAYERS=ortofoto`.
It may also say VERSION (1.1.1 where it does not), STYLES and FORMAT (image/png, or image/jpeg). With LAYER in place of
LAYERS it is one of `wmts`. Not confirmed for Norge i bilder: layers, formats and the largest picture. What differs is
refused with a sentence.
"""

import re
from typing import NamedTuple

import httpx
import numpy as np
from numpy.typing import NDArray

from catalog.sources import wmts
from catalog.sources.data_origin import DataOrigin, origin_of
from catalog.sources.errors import Misconfigured, Origin
from catalog.sources.fetch import fetch
from catalog.sources.http import Deadline, make_client, without_credentials
from catalog.sources.land_cover import EPSG, Bounds, shape_of
from catalog.sources.pictures import Pixels, decode

NAME = "ortofoto"
MOST_PIXELS = 2048
"""Of a picture, to a side."""

_BANDS = 3
_RED_TO_BLUE = slice(0, _BANDS)


class Picture(NamedTuple):
    """An aerial picture.

    Parameters
    ----------
    rgb : uint8 (rows, columns, 3)
        Row 0 is the NORTHERNMOST.
    bounds : (float, float, float, float)
        West, south, east, north, m in UTM 33.
    pixel : float
        m.
    data_origin : {"live", "simulated"}
    year : int or None
        In which it was taken; None where the source does not say.
    """

    rgb: NDArray[np.uint8]
    bounds: Bounds
    pixel: float
    data_origin: DataOrigin
    year: int | None


def picture(url: str, bounds: Bounds, pixel_m: float, *, user_agent: str, seconds: float) -> Picture:
    """Return the aerial picture of a window.

    Parameters
    ----------
    url : str
        The service, with the layer in its query.
    bounds : (float, float, float, float)
        West, south, east, north, m in UTM 33: whole pixels apart.
    pixel_m : float
    user_agent : str
    seconds : float
        For all of it, s.

    Raises
    ------
    Misconfigured
        The address names no layer, or is none.
    SourceError
        It cannot be had, the answer is something else, or shows nothing there.
    ValueError
        It has more than `MOST_PIXELS` to a side.
    """
    shape = shape_of(bounds, pixel_m)
    if not 0 < min(shape) <= max(shape) <= MOST_PIXELS:
        raise ValueError(f"a picture has 1 to {MOST_PIXELS} pixels to a side")
    origin = Origin(NAME, without_credentials(url.partition("?")[0]))
    with make_client(user_agent) as client:
        is_tiled = "LAYER" in {name.upper() for name in _params(origin, url)}
        read = wmts.window if is_tiled else _map
        found = read(origin, url, bounds, shape, client, Deadline(seconds))
    if len(found.bands) < _BANDS:
        raise origin.error("answered a picture without colours")
    rgb = np.moveaxis(found.bands[_RED_TO_BLUE], 0, 2)
    if not found.seen.any() or (rgb == rgb[0, 0]).all():
        raise origin.error("shows nothing there")
    year = re.match(r"(?:19|20)\d\d", found.tags.get("Creation_Time", ""), re.ASCII)
    data_origin = origin_of(found.data_origin)
    return Picture(np.ascontiguousarray(rgb), bounds, pixel_m, data_origin, int(year[0]) if year else None)


def _map(
    origin: Origin, url: str, bounds: Bounds, shape: tuple[int, int], client: httpx.Client, deadline: Deadline
) -> Pixels:
    """Return a window by WMS."""
    service, params = _question(origin, url)
    rows, columns = shape
    params |= {"BBOX": ",".join(f"{edge:.10g}" for edge in bounds), "WIDTH": str(columns), "HEIGHT": str(rows)}
    most = 4 * rows * columns + 100_000
    body = fetch(NAME, service, client, deadline, max_bytes=most, params=params).body or b""
    return decode(origin, body, shape, ("PNG", "JPEG"))


def _params(origin: Origin, url: str) -> httpx.QueryParams:
    try:
        return httpx.URL(url).params
    except httpx.InvalidURL as error:
        raise Misconfigured(f"{NAME}: {origin.url} is no address that can be asked") from error


def _question(origin: Origin, url: str) -> tuple[str, dict[str, str]]:
    """Return the address without its query, and the parameters of a map; those of the address count."""
    given = _params(origin, url)
    named = {name.upper(): name for name in given}
    if "LAYERS" not in named:
        wanted = "?LAYERS=... of WMS, or ?LAYER=... of WMTS, is missing"
        raise Misconfigured(f"{NAME}: {origin.url} names no layer: {wanted}")
    is_newer = given.get(named.get("VERSION", ""), "") == "1.3.0"
    system = {"CRS" if is_newer else "SRS": f"EPSG:{EPSG}"}
    usual = {"VERSION": "1.1.1", "STYLES": "", "FORMAT": "image/png"}
    kept = {name.upper() if name.upper() in (*usual, "LAYERS") else name: value for name, value in given.items()}
    return url.partition("?")[0], usual | kept | {"SERVICE": "WMS", "REQUEST": "GetMap"} | system
