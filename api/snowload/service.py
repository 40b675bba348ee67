"""Selecting what answers a question about snow load, and calculating it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from aiohttp import web

from api.core.errors import Language, language_of
from api.core.pipeline import JSON_FORMAT, Format, Pipeline, Selection, at_hand, origin_of
from api.core.query import variant
from api.core.resources import Resources
from api.core.tables import Table, table_formats, table_of
from api.snowload import problems
from api.snowload.annex import read_annex
from api.snowload.maxima import Cells, Failed, SnowLoads, last_winter
from api.snowload.municipality import VARIABLE, Municipalities, open_municipalities
from api.snowload.schemas import SnowloadQuery
from api.snowload.site import Inputs, parse_query

# Where the authority failed for some of the cells, the next answer may hold them.
_SOON = "public, max-age=60"
_HEADERS = {"Vary": "Accept-Encoding, Accept-Language"}


class SnowloadService:
    """Answers from published cells, and of others from what the snow authority answers."""

    def __init__(self, resources: Resources) -> None:
        published = resources.published
        self._borders = published.follow("municipality_borders", VARIABLE, open_municipalities)
        self._clock, self._annex = published.clock, read_annex(resources.settings.snowload_table)
        self._loads = SnowLoads(published, resources.snow_cells, resources.snow_authority)
        formats = {
            "json": JSON_FORMAT,
            "csv": replace(table_formats(table)["csv"], cached=False),
            "png": Format("image/png", dict, ".png", inline=True, draw="api.snowload.picture:draw"),
        }
        self.pipeline = Pipeline(resources.machinery, formats)

    async def calc(self, request: web.BaseRequest, query: SnowloadQuery) -> web.StreamResponse:
        """Characteristic snow load on the ground, from the winters since `start`.

        The median over the cells of 1 km around the point, or over cells chosen by hand, of the load with the return
        period, times the variability factor; beside it the national annex' value for the municipality, where the
        operator has supplied the table. Decision support for the responsible designer. No key, no quota. Cells that are
        not published are fetched from the snow authority, which can take some seconds, and kept 30 days. A cell that
        cannot be computed stands in `cell_errors`, and the others answer.
        """
        site = parse_query(query, self._loads.last_day())
        data = await self._loads.at(tuple(dict.fromkeys((*site.cells, site.centre))))
        serving = self._borders.current(VARIABLE, self._clock.now())
        borders: Municipalities | None = None if serving is None else serving.prepared
        inputs = Inputs(site, data, borders, self._annex)
        language = language_of(request.headers.get("Accept-Language", ""))

        x, y = site.metres
        soon = borders is None or _may_improve(data, site.seasons.stop - 1)
        selection = Selection(
            versions=(
                *(str(cell.error) if isinstance(cell, Failed) else cell.version for cell in data.values()),
                None if borders is None else borders.version,
                self._annex.version,
                site.seasons,
            ),
            data_origin=origin_of(inputs.snow_origin, inputs.borders_origin),
            read=partial(at_hand, partial(_answer, inputs, language)),
            asked=(query, language),
            headers=_HEADERS,
            file_name=f"service_snowload_{x}_{y}{variant(query, 'lat', 'lon', 'x', 'y', 'format')}",
            cache_control=_SOON if soon else None,
        )
        return await self.pipeline.answer(request, query.format, selection)


def table(answer: Mapping[str, Any]) -> Table:
    """Return an answer as a table: a row for each cell, for each that failed, and the totals."""
    totals = dict(answer["aggregate"])
    totals["altitude_low_m"], totals["altitude_high_m"] = totals.pop("altitude_range_m") or (None, None)
    compared = dict(answer["eurocode_comparison"])
    entries = compared.pop("table_entries")
    compared["entries"] = " | ".join(f"{entry['kommune_1990']}: {entry['sk_at_site']}" for entry in entries)
    rows = [
        *({"scope": "cell", **cell} for cell in answer["cells"]),
        *({"scope": "error", **cell} for cell in answer["cell_errors"]),
        {"scope": "total", **totals},
    ]
    return table_of({**answer, "eurocode": compared}, rows, "inputs", "eurocode", "method")


def _answer(inputs: Inputs, language: Language) -> dict[str, Any]:
    from api.snowload import answer  # see api/core/engines.py

    body = answer.body(inputs, language)
    return answer.for_picture(inputs, body, language) if inputs.site.query.format == "png" else body


def _may_improve(data: Cells, newest: int) -> bool:
    """Return whether a cell may soon have more: the authority or the disk failed, or it lacks the newest winter."""
    return any(
        cell.failure is not None or cell.error.problem.code == problems.DAMAGED.code
        if isinstance(cell, Failed)
        else cell.on_demand and last_winter(cell) < newest
        for cell in data.values()
    )
