"""The service of point heights: `/kartverket_points/punkt?koordsys=4258&punkter=[[lon,lat],...]`, or `ost`, `nord`."""

import asyncio
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from aiohttp import web

from infra.simulator.misbehave import Rule
from infra.simulator.small import answer

ROUTE = "/kartverket_points/punkt"
MOST_POINTS = 50
_DEGREES = (4258, 4326)
_UTM33 = 25833
_CELL_M = 1.0

Points = Sequence[tuple[float, float]]


async def serve(request: web.Request) -> web.StreamResponse:
    """Answer the heights, or the fault that a rule asks for; `stale` changes nothing."""
    return await answer(request, lambda rule: _good(request, rule))


async def _good(request: web.Request, rule: Rule | None) -> web.Response:
    try:
        system, points = _asked(request.query)
    except (KeyError, TypeError, ValueError) as error:
        said = f"koordsys, and punkter or nord and ost, at most {MOST_POINTS}: {error}"
        return web.json_response({"detail": said}, status=422)
    heights = await asyncio.to_thread(_heights, system, points)
    if rule is not None and rule.mode == "wronggrid":
        points = [(y, x) for x, y in points]
    told = [_told(x, y, z) for (x, y), z in zip(points, heights, strict=True)]
    return web.json_response({"koordsys": system, "punkter": told, "data_origin": "simulated"})


def _asked(query: Mapping[str, str]) -> tuple[int, Points]:
    system = int(query["koordsys"])
    listed = json.loads(query["punkter"]) if "punkter" in query else [[query["ost"], query["nord"]]]
    points = [(float(x), float(y)) for x, y in listed]
    if system not in (*_DEGREES, _UTM33):
        raise ValueError("the simulator knows 4258, 4326 and 25833")
    if not (1 <= len(points) <= MOST_POINTS and all(map(math.isfinite, sum(points, ())))):
        raise ValueError(f"{len(points)} points")
    return system, points


def _heights(system: int, points: Points) -> list[float]:
    import numpy as np  # only here: the server starts without it

    from infra.simulator.heights import ground

    if system in _DEGREES:
        from pyproj import Transformer

        forward = Transformer.from_crs(4258, _UTM33, always_xy=True)
        points = [forward.transform(lon, lat) for lon, lat in points]
    return [
        float(ground.heights(np.array([x]), np.array([y]), _CELL_M)[0, 0]) if math.isfinite(x + y) else math.nan
        for x, y in points
    ]


def _told(x: float, y: float, z: float) -> dict[str, Any]:
    """Return a point as the service words it: neither at sea nor abroad it has a height."""
    place: dict[str, Any] = {"x": x, "y": y}
    if z > 0:
        return {"datakilde": "dtm1", "terreng": "ÅpentOmråde", **place, "z": round(z, 2)}
    return {"datakilde": None, "terreng": "Havflate" if z == 0 else None, **place, "z": None}
