"""AR50 by WFS 2.0.0: `/ar50`, GetFeature of `ms:AR50` in GML, as polygons of cells of 50 m."""

import asyncio

from aiohttp import web

from infra.simulator.features import Question, collection, polygon, question_of
from infra.simulator.misbehave import Rule
from infra.simulator.ogc import EXECUTOR
from infra.simulator.small import with_faults

ROUTE = "/ar50"
CELL_M = 50.0
MOST_FEATURES = 5000
_LARGEST_M = 60_000.0
_NAMES = 'xmlns:ms="http://mapserver.gis.umn.edu/mapserver"'


@with_faults
async def serve(request: web.Request, rule: Rule | None) -> web.Response:
    """Answer GetFeature."""
    question = question_of(request, rule, "ms:AR50", largest=_LARGEST_M, most=MOST_FEATURES)
    text = await asyncio.get_running_loop().run_in_executor(EXECUTOR, _features, question)
    return web.Response(text=text, content_type="text/xml")


def _features(question: Question) -> str:
    # only here: the server starts without numpy and its friends
    import numpy as np
    from rasterio import Affine
    from rasterio.features import shapes

    from infra.simulator.landcover.codes import BUILT_UP, UNKNOWN, on_lattice

    found, x, y = on_lattice(*question.box, CELL_M)
    if question.mode == "holes":
        found[: len(y) // 2, : len(x) // 2] = UNKNOWN
    transform = Affine(CELL_M, 0, x[0] - CELL_M / 2, 0, CELL_M, y[0] - CELL_M / 2)
    polygons = [(shape, int(code)) for shape, code in shapes(found, found != UNKNOWN, transform=transform)]
    members = []
    for number, (shape, code) in enumerate(polygons[: question.limit]):
        geometry = polygon([np.array(ring) for ring in shape["coordinates"]], question.mode == "lonlat")
        kind = code // 10 * 10 if code == BUILT_UP else code
        members.append(
            f'<ms:AR50 gml:id="AR50.{number}"><ms:msGeometry>{geometry}</ms:msGeometry>'
            f"<ms:arealtype>{kind}</ms:arealtype></ms:AR50>"
        )
    return collection(members, len(polygons), _NAMES)
