"""The simulated municipalities: the land of the outline, each part of it its nearest town's.

Their names are the towns' and say that they are SIMULATED; their numbers are nobody's, from 2401 on, except Oslo's.
"""

import asyncio
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from math import hypot
from typing import Any

import orjson
from aiohttp import web

from infra.simulator.borders_outline import areas
from infra.simulator.misbehave import Rule
from infra.simulator.small import answer

OSLO = 301
FIRST_NUMBER = 2401  # there never was a county 24 or 25

Point = Sequence[float]
Ring = list[Point]  # without the first point again


def document(*, swapped: bool = False) -> dict[str, Any]:
    """Return the GeoJSON; with `swapped`, latitude comes before longitude, as it must not."""
    closed = [(number, name, [[*ring, ring[0]] for ring in rings]) for number, name, rings in municipalities()]
    return collection(
        [({"kommunenummer": f"{number:04d}", "name": f"{name} (SIMULATED)"}, rings) for number, name, rings in closed],
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


async def serve(request: web.Request) -> web.StreamResponse:
    """Answer the municipalities, or the fault that a rule asks for; `stale` changes nothing."""

    async def make(rule: Rule | None) -> web.Response:
        made = await asyncio.to_thread(document, swapped=rule is not None and rule.mode == "wronggrid")
        return web.Response(body=orjson.dumps(made), content_type="application/geo+json")

    return await answer(request, make)


@cache
def municipalities() -> list[tuple[int, str, list[Ring]]]:
    """Return number, name and rings (longitude and latitude) of each town that has land."""
    from pyproj import Transformer  # only here: the server starts without it

    from infra.simulator.heights.places import PLACES

    forward = Transformer.from_crs(4258, 25833, always_xy=True)
    towns = [entry.split()[:3] for entry in PLACES.replace("\n", ";").split(";") if entry.strip()]
    centres = [forward.transform(float(lon), float(lat)) for _, lat, lon in towns]
    land = [[forward.transform(*point) for point in ring[:-1]] for ring in areas().values()]
    back = Transformer.from_crs(25833, 4258, always_xy=True)
    found = []
    for k, (name, _, _) in enumerate(towns):
        rings = [[_rounded(back.transform(*point)) for point in ring] for ring in _nearest(k, centres, land)]
        number = OSLO if name == "Oslo" else FIRST_NUMBER + k
        if rings:
            found.append((number, name, rings))
    return found


def _rounded(point: Point) -> Point:
    return round(point[0], 6), round(point[1], 6)


def _nearest(k: int, centres: list[Point], land: list[Ring]) -> list[Ring]:
    """Return the parts of the land that are nearer to centre k than to any other, m."""
    x, y = centres[k]
    rings = land
    # the nearest first: little is left for the others to cut
    for ox, oy in sorted(centres, key=lambda other: hypot(other[0] - x, other[1] - y))[1:]:
        middle, towards = ((x + ox) / 2, (y + oy) / 2), (x - ox, y - oy)
        rings = [part for ring in rings for part in cut(ring, middle, towards)]
    return rings


def cut(ring: Ring, through: Point, towards: Point) -> list[Ring]:
    """Return the parts of a simple ring on one side of a line.

    Parameters
    ----------
    ring : list of points
        The first is not repeated.
    through : point
        On the line.
    towards : vector
        Across the line, to the side that stays.
    """
    (px, py), (nx, ny) = through, towards
    sides = [(x - px) * nx + (y - py) * ny for x, y in ring]
    if min(sides) >= 0:
        return [ring]
    if max(sides) <= 0:
        return []
    chains: list[Ring] = []  # each from where the ring comes in to where it goes out
    start = next(i for i, (a, b) in enumerate(pairwise([sides[-1], *sides])) if a < 0 <= b)
    for i in range(start, start + len(ring)):
        before, here = (i - 1) % len(ring), i % len(ring)
        a, b = sides[before], sides[here]
        if (a < 0) != (b < 0):
            share = a / (a - b)
            (ax, ay), (bx, by) = ring[before], ring[here]
            crossing = (ax + share * (bx - ax), ay + share * (by - ay))
            if a < 0:
                chains.append([crossing])
            else:
                chains[-1].append(crossing)
        if b >= 0:
            chains[-1].append(ring[here])
    return _joined(chains, (-ny, nx))


def _joined(chains: list[Ring], along: Point) -> list[Ring]:
    """Close chains along the line that they begin and end on: every other stretch of it lies inside."""
    ends = [(k, end) for k in range(len(chains)) for end in (0, -1)]
    ends.sort(key=lambda which: chains[which[0]][which[1]][0] * along[0] + chains[which[0]][which[1]][1] * along[1])
    partner = dict(zip(ends[::2], ends[1::2], strict=True))
    partner |= {there: here for here, there in partner.items()}
    rings, left = [], set(range(len(chains)))
    while left:
        ring: Ring = []
        k = min(left)
        while k in left:
            left.remove(k)
            ring += chains[k]
            k = partner[k, -1][0]
        rings.append(ring)
    return rings
