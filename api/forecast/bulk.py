"""`POST /api/forecast/bulk`: the production of up to 50 plants."""

import hashlib
import time
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

import orjson
from aiohttp import web
from pydantic import Field, WrapValidator

from api.access.plans import Plan
from api.core.body import Faulty, distinct, isolate
from api.core.cache import FileCache
from api.core.errors import ApiError, Language, language_of
from api.core.pipeline import JSON_FORMAT, Pipeline, Selection, at_hand
from api.forecast.current import Chosen
from api.forecast.place import BODY_NAMES, place_at, total_kwp
from api.forecast.requests import EXAMPLE, MAX_SYSTEMS, PERFORMANCE_RATIO, Choice, PerformanceRatio, System
from api.forecast.series import HOUR_S, Series
from api.forecast.snow.applied import NOT_REQUESTED, OnPlant, on_systems, origin_with
from api.forecast.snow.current import Absent, Current
from api.forecast.surroundings import Sources
from tiles.grid import FORECAST

# Ten times what fifty usual systems take: every byte of an array's name comes back with each hour of its series.
MAX_BYTES = 300_000


class BulkRequest(Choice):
    """Several plants."""

    performance_ratio: PerformanceRatio = PERFORMANCE_RATIO
    systems: Annotated[
        list[Annotated[System, WrapValidator(isolate)]],
        Field(min_length=1, max_length=MAX_SYSTEMS, description="The plants; fewer by plan."),
        distinct("id"),
    ]


BULK_EXAMPLE: dict[str, Any] = {"performance_ratio": 0.85, "systems": [{"id": "jegerveien", **EXAMPLE}]}


def require_plants(plan: Plan, bulk: BulkRequest) -> None:
    """Refuse more systems, or a plant of more power, than the plan allows.

    Raises
    ------
    ApiError
    """
    plan.require_systems(len(bulk.systems))
    for number, system in enumerate(bulk.systems):
        if isinstance(system, System):
            plan.require_kwp(total_kwp(system.arrays), f"systems[{number}].arrays")


class BulkService:
    """Answers from what is published, or from what was answered before."""

    def __init__(self, sources: Sources, files: FileCache) -> None:
        self._forecasts, self._snow, self._gate = sources.forecasts, sources.snow_factors, sources.machinery.gate
        self._pipeline = Pipeline(sources.machinery, {"json": JSON_FORMAT}, shared=(files, "X-Service-Cache"))

    async def post(self, request: web.BaseRequest, bulk: BulkRequest) -> web.StreamResponse:
        """Irradiance and production of up to 50 plants in one call.

        All plants are answered from the same cycle. One that has a field that is wrong, lies outside the coverage, or
        where the weather model has no data, has `error` in place of its series. The call counts as one request, and as
        many plants as get an answer; the whole of it is refused where they are more than are left. The engine is the
        simplified one. With `snow`, the answer's `snow` says of each system what was applied.
        """
        for system in bulk.systems:
            if isinstance(system, System) and system.performance_ratio is None:
                system.performance_ratio = bulk.performance_ratio
        now = self._forecasts.clock.now()
        chosen = self._forecasts.choose(request, bulk, now)
        series, snow = chosen.series, self._snow.current(now) if bulk.snow else None
        series.require_temperature()
        # Without a pause: a tile that is swapped meanwhile would be closed, and two cycles never meet in one answer.
        readings = {system.id: _read(series, system) for system in bulk.systems}
        places = [(one.latitude, one.longitude) for one in bulk.systems if isinstance(readings[one.id], bytes)]
        language = language_of(request.headers.get("Accept-Language", ""))
        origin = series.origin if snow is None else origin_with(series.origin, snow, places)
        work = partial(calculate, bulk, chosen, readings, snow, language, origin)
        # What fails for a moment is not kept.
        fleeting = any(isinstance(one, ApiError) and "Retry-After" in one.headers for one in readings.values())
        fields = hashlib.sha256(orjson.dumps(bulk.model_dump(warnings=False), default=str)).digest()
        asked = fields, language, time.time_ns() if fleeting else 0
        versions = series.name, chosen.first, snow.name if isinstance(snow, Current) else snow
        # Until the next full hour: cycles are of full hours, and so are expiry and midnight.
        until = f"public, max-age={HOUR_S - int(now.timestamp()) % HOUR_S}"
        selection = Selection(versions, origin, partial(at_hand, work), asked, chosen.sunset, cache_control=until)
        # before the calculation: also a call in which no plant has an answer is a request
        await self._gate.charge(request, places)
        return await self._pipeline.answer(request, "json", selection)


def _read(series: Series, system: System | Faulty) -> bytes | ApiError:
    """Return the packed weather of a system, or why there is none."""
    if isinstance(system, Faulty):
        return system.error
    try:
        place_at(system.latitude, system.longitude, BODY_NAMES)
        return series.packed_weather(FORECAST.cell_at(system.latitude, system.longitude), 2)
    except ApiError as error:
        return error


def calculate(
    bulk: BulkRequest,
    chosen: Chosen,
    readings: Mapping[str, bytes | ApiError],
    current: Current | Absent | None,
    language: Language,
    origin: str,
) -> dict[str, Any]:
    """Return the fields of the body; nothing of it depends on the moment, so that it may be kept.

    Parameters
    ----------
    bulk : BulkRequest
    chosen : Chosen
    readings : mapping of str to bytes or ApiError
        Of its systems, by id.
    current : Current, Absent or None
        Of snow; None where it is not asked for.
    language : {"nb", "en"}
        Of errors.
    origin : str
        `live` or `simulated`, snow included.

    Raises
    ------
    ValueError
        A number is none.
    """
    from api.forecast.production import print_forecast, sums_of  # see api/core/engines.py

    series, first, _ = chosen
    days, snow, plants, results = series.days(first), NOT_REQUESTED, dict[str, OnPlant](), dict[str, Any]()
    if current is not None:
        answered = [one for one in bulk.systems if isinstance(readings[one.id], bytes)]
        snow, plants = on_systems(current, answered, series.times[first:])
    for system in bulk.systems:
        reading = readings[system.id]
        if isinstance(reading, ApiError):
            results[system.id] = reading.body(language)
            continue
        plant = plants.get(system.id)
        irradiance, production = print_forecast(system, series, reading, first, bulk.layout, days, snow=plant)
        results[system.id] = {
            "latitude": system.latitude,
            "longitude": system.longitude,
            "ghi_timeseries": orjson.Fragment(irradiance.text),
            "pv_timeseries": orjson.Fragment(production.text),
            "pv_system": {"total_kwp": total_kwp(system.arrays), **sums_of(production.sums)},
        }
    return {
        "cycle_time": series.cycle_time,
        "data_mode": series.mode,
        "data_origin": origin,
        "snow": snow,
        "results": results,
    }
