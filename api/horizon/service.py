"""The handlers of both levels: what answers is chosen here, and calculated in `terrain.py` and `rooftop/`."""

import asyncio
from collections.abc import Mapping
from functools import partial

from aiohttp import web

from api.core.errors import ApiError
from api.core.pipeline import Pipeline, Selection, at_hand
from api.core.printing import degrees
from api.core.query import outside
from api.core.resources import Resources
from api.core.routing import warn
from api.core.upstream import retry_after
from api.data.heights.squares import squares_of
from api.data.horizons import VARIABLE, View, tile_key
from api.data.versions import build_command, not_built
from api.horizon import problems
from api.horizon.formats.registry import JSON, file_suffix, formats
from api.horizon.profile import VERSION
from api.horizon.rooftop.answer import answer
from api.horizon.rooftop.calculation import Roof
from api.horizon.rooftop.heights import Heights
from api.horizon.schemas import LAT, LON, RooftopQuery, RooftopRequest, TerrainQuery
from api.horizon.terrain import fields, profile_of
from api.observing.request_id import current
from catalog.sources.errors import SourceError
from kernels import utm
from tiles.grid import HORIZON, OutsideGrid

TILE_KEY, YEAR = "X-Horizon-Tile-Key", "X-DTM-Year"
REQUEST_ID, TIER = "X-Worker-Request-Id", "X-API-Tier"
WITHIN_S = problems.WITHIN_S
# Calculated in less time than a thread takes.
_QUICK = (JSON, "binary")


class HorizonService:
    """Answers `GET /api/horizon/terrain` and `POST /api/horizon/rooftop`."""

    def __init__(self, resources: Resources) -> None:
        settings, machinery, self._horizons = resources.settings, resources.machinery, resources.horizons
        self.heights = Heights(squares_of(settings))
        resources.lifespans.append(self.heights.lifespan)
        resources.trims.append(self.heights.trim)
        of_terrain = {"X-Api-Tier": "terrain", "X-Api-Version": VERSION}
        self.of_terrain = Pipeline(machinery, formats("terrain"), of_terrain)
        self.of_roofs = Pipeline(machinery, formats("rooftop"), {"Cache-Control": "no-store", TIER: "rooftop"})

    async def terrain(self, request: web.BaseRequest, query: TerrainQuery) -> web.StreamResponse:
        """Terrain horizon of a place, in 720 directions.

        From the national terrain model, without buildings and vegetation, seen from 1.5 m above the ground of the cell
        of 100 m that holds the position. No key, no quota. `binary` is 720 little-endian float16, degrees. `csv` has
        the columns azimuth_deg, elevation_deg and distance_m; `geojson` the line of what makes the horizon. The files
        for tools have whole degrees of azimuth, each the highest of three points, and nothing below 0. `png` shows the
        sun's paths over the horizon. `method=full` says how the tiles were made.
        """
        lat, lon, value = query.lat, query.lon, query.format
        if (name := outside(lat, lon, LAT, LON)) is not None:
            raise problems.OUTSIDE(name)
        view = await self.view(lat, lon)
        horizon, tile, is_json = view.horizon, view.horizon.tile_key, value == JSON
        calculate = partial(fields, view, query) if is_json else partial(profile_of, view)
        selection = Selection(
            versions=(horizon.entry.path, horizon.cell),
            data_origin=horizon.data_origin,
            read=partial(at_hand, calculate),
            asked=(lat, lon, query.method) if is_json else None,
            headers={TILE_KEY: tile} | ({} if horizon.dtm_year is None else {YEAR: str(horizon.dtm_year)}),
            file_name=f"tier1_horizon_{tile}_{degrees(lat)}_{degrees(lon)}{file_suffix(value)}",
            quick=value in _QUICK,
        )
        return await self.of_terrain.answer(request, value, selection)

    async def rooftop(self, request: web.BaseRequest, asked: tuple[RooftopQuery, RooftopRequest]) -> web.StreamResponse:
        """Horizon of buildings, trees and terrain seen from a roof, in 720 directions.

        Near the roof from the national surface model of 1 m, with buildings and vegetation; beyond from level 1 (`GET
        /api/horizon/terrain`), corrected for the observer's own height. Where level 1's horizon lies within the near
        field the surface model alone decides. Nothing nearer than 1.5 m counts. Where this installation has no heights
        yet they are fetched: the first answer for a place may take seconds, or be 504 with `Retry-After`.
        """
        query, body = asked
        warn_of_ignored(request, body)
        try:
            async with asyncio.timeout(WITHIN_S):
                far = await self.view(body.lat, body.lon, "include_tier1=false") if body.include_tier1 else None
                x, y = map(float, utm.forward(body.lat, body.lon))
                async with self.heights.around(x, y) as blocks:
                    selection = _of_roof(query, Roof(body, x, y, blocks, far))
                    return await self.of_roofs.answer(request, query.format, selection)
        except SourceError as error:
            raise problems.BACKEND_FAILED(headers=retry_after(error)) from error
        except TimeoutError as error:
            raise problems.BACKEND_SLOW() from error

    async def view(self, lat: float, lon: float, avoid: str = "") -> View:
        """Return level 1 at a place; `avoid` as `Horizons.at` takes it.

        Raises
        ------
        ApiError
            As `Horizons.view`; `NOT_PUBLISHED`, `NO_TILE`, `NOT_BUILT_THERE`, and of a roof the like.
        """
        view = await self._horizons.view(lat, lon, avoid)
        if view is None:
            raise await self._no_tile(lat, lon, of_roof=bool(avoid))
        return view

    async def _no_tile(self, lat: float, lon: float, *, of_roof: bool) -> ApiError:
        """Return the refusal of a position without a horizon, with the nearest one."""
        version, build = self._horizons.current(), build_command("horizon")
        if version is None:
            problem = problems.ROOF_NOT_PUBLISHED if of_roof else problems.NOT_PUBLISHED
            return problem(build=build, fields={"build": build})
        try:
            cell = HORIZON.cell_at(lat, lon)
        except OutsideGrid:
            return problems.NO_TILE()
        problem = problems.ROOF_NOT_BUILT if of_roof else problems.NOT_BUILT_THERE
        refuse = partial(not_built, version, VARIABLE, lat, lon, problem, tile_key=tile_key(cell))
        return await self._horizons.readers.run(refuse)


def warn_of_ignored(request: web.BaseRequest, body: RooftopRequest) -> None:
    """Warn where one field of a roof overrides another."""
    if body.observer_z_masl is not None and "observer_height_m" in body.model_fields_set:
        warn(request, "Ignored with observer_z_masl: observer_height_m")


def _of_roof(query: RooftopQuery, roof: Roof) -> Selection:
    far = roof.far
    return Selection(
        versions=(
            *(block.checksum for block in roof.blocks.values()),
            *(() if far is None else (far.horizon.entry.path, far.horizon.cell)),
        ),
        data_origin=roof.data_origin,
        read=partial(at_hand, partial(answer, query.format, query.method, roof)),
        asked=(roof.request, query.method),
        headers={REQUEST_ID: current.get() or ""},
        file_name=f"tier2_horizon_{roof.name}{file_suffix(query.format)}",
    )


def error_headers() -> Mapping[str, str]:
    """Return the headers that errors of level 2 carry too."""
    return {REQUEST_ID: current.get() or "", TIER: "rooftop"}
