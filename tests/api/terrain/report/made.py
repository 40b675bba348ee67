"""A made-up site: a hill at a coast, with a town, and the answers and pictures of it."""

from functools import cache
from typing import Any

import numpy as np
import orjson

from api.terrain.answer import Assessment, Land, assess
from api.terrain.report.contents import Pictures
from api.terrain.schemas import TerrainRequest
from kernels import utm
from kernels.horizon.levels import Level
from kernels.terrain.polar import Site
from kernels.terrain.roughness import Cover

PLACE = {"lat": 59.9139, "lon": 10.7522}
SITE = Site(*map(float, utm.forward(PLACE["lat"], PLACE["lon"])))
HALF_M, CELL = 10_500, 10.0


def live(of: Land) -> Land:
    """The same land, of live data."""
    return of._replace(sources=[one | {"data_origin": "live"} for one in of.sources], notes=[])


@cache
def land(flat: bool = False) -> Land:
    """A hill of 120 m south-west of the site (nothing when flat), the sea in the north, a town in the west."""
    cells = round(HALF_M / CELL)
    off = CELL * np.arange(-cells, cells + 1)
    x, y = np.meshgrid(off, off)
    z = np.zeros_like(x) + 5 if flat else 5 + 120 * np.exp(-((x + 300) ** 2 + (y + 500) ** 2) / 600**2)
    code = np.where(y > 2500, 82, np.where(np.hypot(x + 2500, y) < 1500, 11, np.where(x > 500, 30, 20)))
    town = np.where(code == 11, 1, 0).astype(np.float32)
    x0, y0 = SITE.x - HALF_M, SITE.y - HALF_M
    cover = Cover(code.astype(np.uint8), 0.2 * town, 18 * town, x0, y0, CELL)
    source = {"lisens": "NLOD 2.0", "navngivelse": "NIBIO, AR50", "data_origin": "simulated", "dato": None}
    sources = [{"navn": name, "brukt_til": "arealdekke", **source} for name in ("ar50", "kartverket_wcs")]
    return Land(Level(z.astype(np.float32), x0, y0, CELL), cover, sources, [("simulert", {})])


def assessment(of: Land | None = None, **request: Any) -> Assessment:
    body = TerrainRequest.model_validate({**PLACE, **request})
    return assess(body.model_dump(), SITE, of or land())


def site(of: Land | None = None, **request: Any) -> tuple[dict[str, Any], Pictures]:
    """Return an answer as parsed from JSON, and the pictures of its report."""
    its = of or land()
    found = assessment(its, **request)
    maps = (its.heights, its.cover) if request.get("kart") else None
    answer: dict[str, Any] = orjson.loads(orjson.dumps(found.fields))
    return answer, Pictures(found.lines, SITE, maps)
