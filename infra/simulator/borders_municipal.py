"""The simulated municipalities: the land of the outline, each part of it its nearest town's.

Their names are the towns' and say that they are SIMULATED; their numbers are nobody's, from 2401 on, except Oslo's.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from aiohttp import web

from infra.simulator.misbehave import Rule
from infra.simulator.small import answer

OSLO = 301
_OUTLINE = Path(__file__).with_name("borders_outline.geojson")
FIRST_NUMBER = 2401  # there never was a county 24 or 25

Point = Sequence[float]
Ring = Sequence[Point]  # closed


@cache
def areas() -> dict[str, Ring]:
    """Return the land of the outline by name, each a closed ring of [longitude, latitude], degrees."""
    features = orjson.loads(_OUTLINE.read_bytes())["features"]
    return {each["properties"]["name"]: each["geometry"]["coordinates"][0] for each in features}


def document(*, swapped: bool = False) -> dict[str, Any]:
    """Return the GeoJSON; with `swapped`, latitude comes before longitude, as it must not."""
    return collection(
        [
            ({"kommunenummer": f"{number:04d}", "name": f"{name} (SIMULATED)"}, rings)
            for number, name, rings in municipalities()
        ],
        swapped,
    )


def collection(named: Iterable[tuple[dict[str, str], Sequence[Sequence[Point]]]], swapped: bool) -> dict[str, Any]:
    """Return the GeoJSON of areas: of each its properties, and closed rings without holes."""
    features = [
        {
            "type": "Feature",
            "properties": {**properties, "data_origin": "simulated"},
            "geometry": {
                "type": "MultiPolygon",
                "coordinates": [[[point[::-1] if swapped else point for point in ring]] for ring in rings],
            },
        }
        for properties, rings in named
    ]
    return {"type": "FeatureCollection", "data_origin": "simulated", "features": features}


def serving(document: Callable[..., dict[str, Any]]) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """Return a handler that answers a GeoJSON, or the fault that a rule asks for; `stale` changes nothing."""

    async def make(rule: Rule | None) -> web.Response:
        made = await asyncio.to_thread(document, swapped=rule is not None and rule.mode == "wronggrid")
        return web.Response(body=orjson.dumps(made), content_type="application/geo+json")

    async def serve(request: web.Request) -> web.StreamResponse:
        return await answer(request, make)

    return serve


serve = serving(document)


@cache
def municipalities() -> list[tuple[int, str, list[Ring]]]:
    """Return number, name and rings (longitude and latitude) of each town that has land."""
    import numpy as np  # only here: the server starts without them
    import shapely
    from pyproj import Transformer

    from infra.simulator.heights.places import NAMES, places

    forward, back = (Transformer.from_crs(*pair, always_xy=True) for pair in ((4258, 25833), (25833, 4258)))
    land = np.array(
        [shapely.Polygon(np.column_stack(forward.transform(*np.array(ring).T))) for ring in areas().values()]
    )
    towns = shapely.points(*places()[:2])
    nearest = shapely.get_parts(
        shapely.voronoi_polygons(shapely.multipoints(towns), extend_to=shapely.multipolygons(land))
    )
    found = []
    for k, cell in enumerate(shapely.STRtree(nearest).query(towns, predicate="within")[1]):
        parts = shapely.get_parts(shapely.intersection(land, nearest[cell]))
        corners = [shapely.get_coordinates(part) for part in parts if part.area > 0]
        rings = [np.column_stack(back.transform(*ring.T)).round(6).tolist() for ring in corners]
        if rings:
            found.append((OSLO if NAMES[k] == "Oslo" else FIRST_NUMBER + k, NAMES[k], rings))
    return found
