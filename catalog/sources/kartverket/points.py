"""Kartverket's heights of single points: JSON by `/punkt`, at most 50 points a question.

How sure we are. A real answer and public clients agree on: the address, `koordsys=4258` with `punkter` as a JSON list
of [longitude, latitude], at most 50 of them, the answer's `punkter` in the same order with `x`, `y` and `z`, and `z`
null abroad and at sea. There, `z` may be the depth of the sea as well (`terreng` is `Havflate`): that is no land, and
comes as NaN too.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import httpx
import numpy as np
import orjson
from numpy.typing import NDArray

from catalog.sources.errors import Origin
from catalog.sources.fetch import fetch
from catalog.sources.http import Deadline, make_client, without_credentials
from catalog.sources.kartverket.heights import HIGHEST, LOWEST

NAME = "kartverket_points"

MOST_POINTS = 50
_KOORDSYS = 4258
_DECIMALS = 6
_SAME_PLACE = 1e-4  # degrees: eleven metres
_MAX_BYTES = 100_000
_SEA = "Havflate"


@dataclass(frozen=True)
class PointHeights:
    """Heights of points.

    Parameters
    ----------
    z : float64 (n,)
        m above sea; NaN at sea and abroad.
    data_origin : {"live", "simulated"}
    """

    z: NDArray[np.float64]
    data_origin: Literal["live", "simulated"]


def heights_of(
    url: str,
    points: Sequence[tuple[float, float]],
    *,
    user_agent: str,
    deadline: Deadline | float,
    client: httpx.Client | None = None,
) -> PointHeights:
    """Return the ground's heights at points.

    Parameters
    ----------
    url : str
        The service, http or https, without `/punkt`.
    points : sequence of (lat, lon)
        Degrees.
    user_agent : str
        Names the caller.
    deadline : Deadline or float
        For all of it; a number is seconds from now.
    client : httpx.Client, optional
        Of `make_client`, where the caller has one.

    Raises
    ------
    SourceError
        The heights cannot be had, or the answer is something else.
    """
    until = deadline if isinstance(deadline, Deadline) else Deadline(deadline)
    own = make_client(user_agent) if client is None else client
    address = f"{url.rstrip('/')}/punkt"
    z: list[float] = []
    simulated = False
    try:
        for start in range(0, len(points), MOST_POINTS):
            part = points[start : start + MOST_POINTS]
            asked = orjson.dumps([[round(lon, _DECIMALS), round(lat, _DECIMALS)] for lat, lon in part]).decode()
            params = {"koordsys": str(_KOORDSYS), "punkter": asked, "geojson": "false"}
            body = fetch(NAME, address, own, until, max_bytes=_MAX_BYTES, params=params).body or b""
            found = read(body, address, part)
            z += found.z.tolist()
            simulated |= found.data_origin == "simulated"
    finally:
        if client is None:
            own.close()
    return PointHeights(np.array(z, dtype=np.float64), "simulated" if simulated else "live")


def read(body: bytes, url: str, points: Sequence[tuple[float, float]]) -> PointHeights:
    """Return what an answer says.

    Parameters
    ----------
    body : bytes
    url : str
        For sentences.
    points : sequence of (lat, lon)
        What was asked for.

    Raises
    ------
    SourceError
        It is no list of heights of these points; one sentence says why.
    """
    origin = Origin(NAME, without_credentials(url))
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise origin.error("answered no JSON") from error
    try:
        if document["koordsys"] != _KOORDSYS:
            raise origin.error(f"answered in the coordinate system {document['koordsys']!r:.40}")
        told = document["punkter"]
        if not isinstance(told, list) or len(told) != len(points):
            raise origin.error(f"answered for another number of points than the {len(points)} asked for")
        z = [_height(origin, point, lat, lon) for point, (lat, lon) in zip(told, points, strict=True)]
    except (KeyError, TypeError, ValueError) as error:
        raise origin.error(f"answered something else than heights of points: {error!r:.100}") from error
    simulated = document.get("data_origin") == "simulated"
    return PointHeights(np.array(z, dtype=np.float64), "simulated" if simulated else "live")


def _height(origin: Origin, point: Any, lat: float, lon: float) -> float:
    if abs(_number(point["y"]) - lat) > _SAME_PLACE or abs(_number(point["x"]) - lon) > _SAME_PLACE:
        raise origin.error("answered for another point than was asked for")
    if point["z"] is None or point.get("terreng") == _SEA:
        return math.nan
    z = _number(point["z"])
    if not LOWEST <= z <= HIGHEST:
        raise origin.error(f"gives a point a height of {z:g} m")
    return z


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("a coordinate or a height is no number")
    return float(value)
