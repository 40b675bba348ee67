"""The simulated borders: the land of `borders_outline.geojson`, in the GeoJSON of the real counties and municipalities.

A municipality is the land that is nearest to a town. Its name is the town's and says that it is SIMULATED. Its number
begins with that of the county in which the town lies, and is nobody's, except Oslo's.
"""

import asyncio
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from aiohttp import web

from infra.simulator.counties import COUNTIES, OSLO, numbers
from infra.simulator.misbehave import Rule
from infra.simulator.small import with_faults

_OUTLINE = Path(__file__).with_name("borders_outline.geojson")

Ring = Sequence[Sequence[float]]  # closed, of longitude and latitude


@cache
def areas() -> dict[str, Ring]:
    """Return the land of the outline by name, each a closed ring of [longitude, latitude], degrees."""
    features = orjson.loads(_OUTLINE.read_bytes())["features"]
    return {each["properties"]["name"]: each["geometry"]["coordinates"][0] for each in features}


def document(name: str, *, swapped: bool = False) -> dict[str, Any]:
    """Return the GeoJSON of `Fylker` or `Kommuner`; with `swapped`, latitude comes before longitude, as it must not."""
    of_counties = name == "Fylker"
    key, digits = ("fylkesnummer", 2) if of_counties else ("kommunenummer", 4)
    features = [
        {
            "type": "Feature",
            "properties": {key: f"{number:0{digits}d}", "name": f"{of} (SIMULATED)", "data_origin": "simulated"},
            "geometry": {
                "type": "MultiPolygon",
                "coordinates": [[[point[::-1] if swapped else point for point in ring]] for ring in rings],
            },
        }
        for number, of, rings in (counties() if of_counties else municipalities())
    ]
    return {"type": "FeatureCollection", "data_origin": "simulated", "features": features}


@with_faults
async def serve(request: web.Request, rule: Rule | None) -> web.Response:
    """Answer a GeoJSON; `stale` changes nothing."""
    swapped = rule is not None and rule.mode == "wronggrid"
    made = await asyncio.to_thread(document, request.match_info["name"], swapped=swapped)
    return web.Response(body=orjson.dumps(made), content_type="application/geo+json")


def counties() -> list[tuple[int, str, list[Ring]]]:
    """Return number, name and rings of each county; Oslo's are all the land, without seams, in which the others lie."""
    rings: dict[int, list[Ring]] = {county: [] for county in COUNTIES}
    for number, _, parts in municipalities():
        rings[number // 100] += parts
    rings[OSLO // 100] = list(areas().values())
    return [(number, name, rings[number]) for number, (name, _) in COUNTIES.items()]


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
            found.append((numbers()[NAMES[k]], NAMES[k], rings))
    return found
