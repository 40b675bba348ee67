"""Selecting what answers a question about a plant, and calculating it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from aiohttp import web

from api.core import problems
from api.core.cache import Cache
from api.core.errors import ApiError, problem
from api.core.executors import CpuExecutor
from api.core.pipeline import Format, Pipeline, Selection, origin_of
from api.core.printing import degrees, flat
from api.core.query import variant
from api.core.resources import Resources
from api.core.tables import Table, table_formats, table_of
from api.data.location import Location
from api.data.snow.series import Series
from api.data.surfaces import Mounting, Surface
from api.data.tmy_products import ENSEMBLE
from api.data.typical_year import headers_of
from api.pv.ground import Albedo, Ground
from api.pv.query import PvQuery

if TYPE_CHECKING:
    from kernels.pv.years import Years

# The lights of a location's five years take 1.6 MB: about 12 of them.
_CACHE_BYTES = 20_000_000
_COLUMNS = ("scope", "month", "kwp", "angle", "aspect", "e_kwh", "poa_kwh_m2", "snow_loss_pct", "clipped_kwh")

NO_TARGET = problem("pv.NO_TARGET")
NO_SNOW = problem("pv.NO_SNOW")
PROBLEMS = (NO_TARGET, problems.DAMAGED_AVOIDABLE, NO_SNOW, problems.NO_PICTURE)


@dataclass(frozen=True)
class Inputs:
    """Inputs of a plant's calculation.

    Parameters
    ----------
    query : PvQuery
    location : Location
    ground : Ground
    snow : Series or None
        None where it is not asked for.
    """

    query: PvQuery
    location: Location
    ground: Ground
    snow: Series | None

    @property
    def versions(self) -> tuple[object, ...]:
        """Names of all that is read."""
        return *self.location.versions, self.ground.method, None if self.snow is None else self.snow.version

    @property
    def data_origin(self) -> str:
        """`simulated` if any input is."""
        snow = "live" if self.snow is None else self.snow.data_origin
        return origin_of(self.location.data_origin, self.ground.data_origin, snow)


class PvService:
    """Answers `GET /api/pv/calc`; `/api/pv/calc/bulk` uses `inputs` and `calculation`, `/api/roof` `annual`."""

    def __init__(self, resources: Resources) -> None:
        self._albedo, self._engines = Albedo(resources.published), resources.machinery.engines
        machinery = resources.machinery
        self._climate, self._locations, self._snow = resources.climate, resources.locations, resources.snow
        self._cpu: CpuExecutor = machinery.cpu
        self._years: Cache[Years] = Cache(_CACHE_BYTES)
        formats = {
            **table_formats(_table),
            "png": Format("image/png", dict, ".png", inline=True, draw="api.pv.picture:draw"),
        }
        self.pipeline = Pipeline(machinery, formats, {"X-Tmy-Product": ENSEMBLE})

    async def calc(self, request: web.BaseRequest, query: PvQuery) -> web.StreamResponse:
        """Annual and monthly production of a plant on the typical year.

        On the typical year of the nearest cell of 3 km that holds land, within 6 km, with the terrain's horizon at the
        position. No key, no quota, no hourly values. Irradiation on the planes is with the horizon's shade; of several
        surfaces it is the mean weighted by kWp. A limit (`maxpower`) is held against hourly means, which hide shorter
        peaks: `warnings` says how much more it would take at most. `format=csv` is one table of months, the year and
        surfaces, with all that JSON says beside in `#` lines; `png` a chart of the months. `method=full` says how it
        was made.
        """
        inputs = await self.inputs(query)
        place = f"{degrees(query.lat)}_{degrees(query.lon)}"
        selection = Selection(
            versions=inputs.versions,
            data_origin=inputs.data_origin,
            read=partial(self.calculation, inputs),
            asked=query,
            headers=headers_of(inputs.location.found),
            file_name=f"service_pv_{place}{variant(query, 'lat', 'lon', 'format')}",
        )
        return await self.pipeline.answer(request, query.format, selection)

    async def annual(
        self, lat: float, lon: float, surfaces: tuple[Surface, ...], mounting: Mounting
    ) -> tuple[float, str]:
        """Return `annual.e_kwh` of surfaces so mounted, all other parameters by default, and its data origin.

        Raises
        ------
        ApiError
            As `inputs`; `BUSY`.
        """
        await self._engines.ready()
        with self._cpu.slot():
            inputs = await self.inputs(PvQuery(lat=lat, lon=lon, arrays=surfaces, mounting=mounting))
            answer = await self._cpu.run(await self.calculation(inputs))
        return answer["annual"]["e_kwh"], inputs.data_origin

    async def inputs(self, query: PvQuery) -> Inputs:
        """Return what a plant is calculated of.

        Raises
        ------
        ApiError
            As `Locations.find`; `NO_TARGET`, `NO_SNOW`, `DAMAGED_AVOIDABLE`.
        """
        location = await self._locations.find(query.lat, query.lon, horizon=query.horizon == "1", avoid="horizon=0")
        found = location.found
        if not (found.known.products[ENSEMBLE].annual_ghi[query.confidence] or 0) > 0:
            raise NO_TARGET("confidence", confidence=query.confidence, product=ENSEMBLE)
        read = partial(self._albedo.at, found.place.cell, query.albedo)
        ground = await self._climate.readers.run(read) if query.albedo == "tile" else read()
        return Inputs(query, location, ground, await self._series(location) if query.snowloss == "1" else None)

    async def _series(self, location: Location) -> Series:
        try:
            return await self._snow.series(location.found.place.cell)
        except ApiError as error:
            headers = {name: value for name, value in error.headers.items() if name == "Retry-After"}
            raise NO_SNOW("snowloss", headers=headers) from error

    async def calculation(self, inputs: Inputs) -> Callable[[], dict[str, Any]]:
        """Return the calculation of an answer, after reading what it needs."""
        location, albedo = inputs.location, inputs.ground.albedo
        site = await self._locations.year(location)

        def make() -> "Years":
            from api.pv.calculation import years_in  # see api/core/engines.py

            return years_in(site, location.found.known.products[ENSEMBLE], albedo)

        years = await self._years.get_or_make((*location.versions, albedo), partial(self._cpu.run, make))
        return partial(_answer, years, inputs)


def _answer(years: "Years", inputs: Inputs) -> dict[str, Any]:
    from api.pv import answer  # see api/core/engines.py
    from api.pv.calculation import calculate

    result = calculate(years, inputs.query, inputs.snow, inputs.location.lon)
    if result.snow is not None and not result.snow.years:
        raise NO_SNOW("snowloss")
    return answer.body(inputs, result)


def _table(answer: Mapping[str, Any]) -> Table:
    """Return an answer as one table: a row for each month, one for the year, one for each surface."""
    no_cells, months = dict.fromkeys(_COLUMNS), zip(answer["monthly"], answer["monthly_unshaded_kwh"], strict=True)
    rows = [
        *({**no_cells, "scope": "month", **row, "unshaded_kwh": kwh} for row, kwh in months),
        {"scope": "year", **dict(flat(answer["annual"])), **dict(flat(answer["side_by_side"]))},
        *({"scope": "array", **array} for array in answer["arrays"]),
    ]
    parts = [part for part in ("inputs", "tmy", "optimum", "method") if part in answer]
    return table_of(answer, rows, *parts)
