"""The simulated borders: the outline of `borders_outline.py`, in the GeoJSON of the real counties."""

import asyncio
from typing import Any

from aiohttp import web

from infra.simulator.borders_municipal import collection, municipalities
from infra.simulator.borders_outline import areas
from infra.simulator.misbehave import Rule
from infra.simulator.small import answer

NAMES = {24: "Norge", 25: "Nord i Norge", 3: "Oslo"}
"""Of the counties that the numbers of the simulated municipalities begin with."""


def document(*, swapped: bool = False) -> dict[str, Any]:
    """Return the GeoJSON; with `swapped`, latitude comes before longitude, as it must not."""
    rings: dict[int, list[Any]] = {county: [] for county in NAMES}
    for number, _, parts in municipalities():
        rings[number // 100] += [[*ring, ring[0]] for ring in parts]
    rings[24] = list(areas().values())  # the others lie in it: all land of the outline, and no seams
    return collection(
        [
            ({"fylkesnummer": f"{county:02d}", "name": f"{NAMES[county]} (SIMULATED)"}, rings[county])
            for county in NAMES
        ],
        swapped,
    )


async def serve(request: web.Request) -> web.StreamResponse:
    """Answer the borders, or the fault that a rule asks for; they have no age, so `stale` changes nothing."""

    async def make(rule: Rule | None) -> web.Response:
        made = await asyncio.to_thread(document, swapped=rule is not None and rule.mode == "wronggrid")
        return web.json_response(made, content_type="application/geo+json")

    return await answer(request, make)
