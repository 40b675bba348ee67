"""The job of a site, in a process of the worker: reads the land, assesses it, writes answer and report."""

from typing import Any

import orjson

from api.data.versions import damaged
from api.jobs.run import Run
from api.terrain import problems
from api.terrain.answer import Land, assess
from api.terrain.cover import cover_around
from api.terrain.geojson import geojson
from api.terrain.ground import ground_around, is_land, with_sea
from api.terrain.report.contents import Pictures
from api.terrain.report.render import report
from api.terrain.sources import once
from api.terrain.squares import Squares
from catalog.sources.errors import SourceError
from catalog.sources.http import Deadline
from kernels import utm
from kernels.terrain.polar import Site
from tiles.errors import TileError
from tiles.products.landcover import PRODUCT as LANDCOVER
from tiles.store import open_store
from tiles.terrain import TerrainLevels
from tiles.windows import Windows

# With a last source that has begun (12 s), and the report (8 s), less than the 120 s of the job.
_FETCHED_WITHIN_S, _HEIGHTS_WITHIN_S = 95.0, 50.0


def run(run: Run) -> None:
    """Assess a site, and write `result.json`, `result.geojson`, `result.html` and `result.pdf`.

    Raises
    ------
    ApiError
        `NOT_ON_LAND`; `BACKEND_FAILED`: heights or land cover cannot be fetched; `DAMAGED`.
    """
    inputs = orjson.loads(run.input)
    request = inputs["request"]
    site = Site(*map(float, utm.forward(request["lat"], request["lon"])))
    try:
        land = _land(run, site, inputs)
    except SourceError as error:
        raise problems.BACKEND_FAILED() from error
    except TileError as error:
        raise damaged("terrain", "") from error
    run.report_progress(0.6, "regner ut sektorene")
    found = assess(request, site, land)
    run.report_progress(0.7, "skriver rapporten")
    answer: dict[str, Any] = orjson.loads(orjson.dumps(found.fields))  # as whoever reads the result has it
    maps = (land.heights, land.cover) if request["kart"] else None
    pdf, html = report(answer, Pictures(found.lines, site, maps))
    files = {"json": orjson.dumps(answer), "geojson": geojson(answer), "pdf": pdf, "html": html}
    run.put({f"result.{name}": content for name, content in files.items()})


def _land(run: Run, site: Site, inputs: dict[str, Any]) -> Land:
    deadline, store = Deadline(_FETCHED_WITHIN_S), open_store(run.settings.store)
    run.report_progress(0.0, "leser terrenget")
    terrain = TerrainLevels(store, inputs["terrain"]) if inputs["terrain"] else None
    ground = ground_around(site, terrain, run.settings, _HEIGHTS_WITHIN_S)
    run.report_progress(0.3, "leser arealdekket")
    tiles = Windows(store, LANDCOVER, inputs["landcover"]) if inputs["landcover"] else None
    found = cover_around(site, tiles, Squares(run.settings), deadline)
    ground, cover = with_sea(ground, found.cover, site), found.cover
    if not is_land(site, ground.level, cover):
        raise problems.NOT_ON_LAND()
    sources = once([*ground.sources, *found.sources])
    notes = [*ground.notes, *found.notes]
    if any(one["data_origin"] == "simulated" for one in sources):
        notes.insert(0, ("simulert", {}))
    return Land(ground.level, cover, sources, notes)
