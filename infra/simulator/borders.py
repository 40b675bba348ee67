"""The simulated borders: one area, the outline of `borders_outline.py`, in the GeoJSON of the real counties."""

from typing import Any

from aiohttp import web

from infra.simulator.borders_outline import areas
from infra.simulator.misbehave import Rule
from infra.simulator.small import answer


def document(*, swapped: bool = False) -> dict[str, Any]:
    """Return the GeoJSON; with `swapped`, latitude comes before longitude, as it must not."""
    rings = [[point[::-1] for point in ring] if swapped else ring for ring in areas().values()]
    feature = {
        "type": "Feature",
        "properties": {"name": "Norge (SIMULATED)", "data_origin": "simulated"},
        "geometry": {"type": "MultiPolygon", "coordinates": [[ring] for ring in rings]},
    }
    return {"type": "FeatureCollection", "data_origin": "simulated", "features": [feature]}


async def serve(request: web.Request) -> web.StreamResponse:
    """Answer the borders, or the fault that a rule asks for; they have no age, so `stale` changes nothing."""

    async def make(rule: Rule | None) -> web.Response:
        swapped = rule is not None and rule.mode == "wronggrid"
        return web.json_response(document(swapped=swapped), content_type="application/geo+json")

    return await answer(request, make)
