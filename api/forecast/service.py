"""Answers of `/api/forecast`, `/api/forecast/latest` and `/api/sites`."""

import importlib
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Any
from zlib import crc32

import orjson
from aiohttp import web

from api.core.errors import ApiError
from api.core.pipeline import Pipeline, origin_of
from api.core.request_keys import WARNINGS
from api.core.response import json_parts, respond, with_warnings
from api.core.tables import TABLE_FORMATS
from api.forecast.current import V1, V23B, Chosen
from api.forecast.extended import ExtendedService
from api.forecast.place import BarePoint, Place, place_at
from api.forecast.registered import Registered, registered_of
from api.forecast.requests import ForecastQuery, ForecastRequest
from api.forecast.rows import with_columns
from api.forecast.series import CACHE_CONTROL, headers_of
from api.forecast.surroundings import NO_HORIZON, AppliedHorizon, Sources, warn_of_ignored
from api.forecast.to_request import place_of, request_of
from tiles.grid import FORECAST, Cell


class ForecastService:
    """Answers from what is published; `ExtendedService` answers `extended=true`."""

    def __init__(self, sources: Sources, extended: ExtendedService) -> None:
        machinery, self._forecasts, self._sites = sources.machinery, sources.forecasts, sources.sites
        self._sources, self._extended, self._engines, self._gate = sources, extended, machinery.engines, machinery.gate
        self._tables = Pipeline(machinery, TABLE_FORMATS, {"Cache-Control": CACHE_CONTROL})
        self._sites_body = orjson.dumps(sources.sites.model_dump())

    async def get(self, request: web.BaseRequest, query: ForecastQuery | BarePoint) -> web.StreamResponse:
        """Hourly irradiance about 60 hours ahead, by point or site; with arrays, production too.

        Give `lat` and `lon`, or `site`. The model is computed at 1 km; values are served from a grid of 0.03 degrees.
        A new cycle comes every hour; the last good one is served up to 12 hours old, and `cycle_time` and
        `cycle_age_hours` say how old it is. With `kwp`, `tilt` and `azimuth`, or `arrays`, the answer has production
        as `POST /api/forecast` has it; azimuths are from north. `days` has the sums by day, of UTC or of `timezone`,
        and says whether the series holds the whole day. `format` gives one table in place of JSON. `extended` answers
        as `/api/forecast/extended`.
        """
        if isinstance(query, BarePoint):
            place, now = place_at(query.lat, query.lon), self._forecasts.clock.now()
            chosen = Chosen(self._forecasts.of(V23B, now), 0, {})
            return await self._irradiance(request, place, chosen, now, None)
        registered = None
        if query.anlegg_id is not None:
            place, plant, registered = await registered_of(request, self._sources.plants, query)
        else:
            place, plant = request_of(query, self._sites)
        if query.extended:
            return await self._extended.at(request, place, plant, registered)
        return await self._at(request, place, plant, registered)

    async def post(self, request: web.BaseRequest, plant: ForecastRequest) -> web.StreamResponse:
        """Irradiance and the production of a plant, about 60 hours ahead.

        As `GET /api/forecast`, with `arrays` the production of each and of all together. By a simplified engine (Erbs,
        Hay & Davies, no horizon), or with `precise` by a Perez engine (Skartveit & Olseth, Perez, Martin & Ruiz,
        Faiman, Huld; crystalline silicon, standing free). Neither knows of the light's colour. With `snow` each array's
        power is multiplied by what snow on the modules leaves of it that day, in the plant's municipality (`kommune_by`
        says how it was found) and on the plane of reference nearest to the array's. Powers are means over the hour, in
        tenths of a watt; `total_W` is the sum of what is printed. With `anlegg_id`, here and in GET, production is that
        of a registered plant as its calibration corrects it, and without (`pv_timeseries_ukorrigert`).
        """
        if plant.anlegg_id is not None:
            return await self._at(request, *await registered_of(request, self._sources.plants, plant))
        return await self._at(request, place_of(plant), plant)

    async def latest(self, request: web.BaseRequest, _: None) -> web.StreamResponse:
        """The latest cycle of the V1.5 grid.

        It can differ from the cycle of `/api/forecast`, whose own `cycle_time` counts.
        """
        series = self._forecasts.of(V1, self._forecasts.clock.now())
        tag = None if WARNINGS in request else series.etag("latest")
        return respond(request, headers_of(series.origin), with_warnings(request, (series.description(),)), None, tag)

    async def sites(self, _: web.BaseRequest, __: None) -> web.Response:
        """The named sites."""
        return web.Response(body=self._sites_body, headers={"Content-Type": "application/json"})

    async def _at(
        self, request: web.BaseRequest, place: Place, plant: ForecastRequest, registered: Registered | None = None
    ) -> web.StreamResponse:
        now = self._forecasts.clock.now()
        warn_of_ignored(request, plant)
        plain = not plant.arrays and not plant.variables and plant.format == "json"
        if not plain:
            await self._engines.ready()
        # First: between choosing a tile and reading it there is no pause, or the tile might be closed meanwhile.
        horizon = await self._sources.horizon(plant) if plant.precise else NO_HORIZON
        chosen = self._forecasts.choose(request, plant, now)
        try:
            if plain:
                return await self._irradiance(request, place, chosen, now, plant)
            return await self._hours(request, place, chosen, now, plant, horizon, registered)
        except ApiError as error:
            error.headers.update(chosen.sunset)
            raise

    async def _irradiance(
        self, request: web.BaseRequest, place: Place, chosen: Chosen, now: datetime, plant: ForecastRequest | None
    ) -> web.StreamResponse:
        """Answer with irradiance alone, by default as `lat=..&lon=..` is answered: the hottest path of the API."""
        series, first, sunset = chosen
        cell: Cell = FORECAST.cell_at(place.lat, place.lon)
        packed = series.packed(cell, first)
        if plant is None:
            days, texts, etag = series.days(), {"ghi_timeseries": series.print(packed)}, series.etag(*cell)
        else:
            days = series.days(first, plant.timezone)
            texts = {"ghi_timeseries": series.print(packed, first, plant.layout)}
            how = first, plant.layout, plant.timezone, place.name, request.get(WARNINGS)
            etag = series.etag(*cell, f"{crc32(repr(how).encode()):08x}")
        sums = series.sums(packed, days)
        head = series.head(place, cell, sums, days.fields(sums.days), now)
        await self._gate.charge(request, ((place.lat, place.lon),))
        tag = None if request.method == "POST" else etag
        body = with_warnings(request, json_parts(head, texts))
        return respond(request, headers_of(series.origin), body, sunset, tag)

    async def _hours(
        self,
        request: web.BaseRequest,
        place: Place,
        chosen: Chosen,
        now: datetime,
        plant: ForecastRequest,
        horizon: AppliedHorizon,
        registered: Registered | None,
    ) -> web.StreamResponse:
        """Answer with production, variables or a table."""
        (series, first, sunset), production = chosen, self._production
        is_table, texts, power = plant.format != "json", {}, None
        if plant.arrays:
            series.require_temperature()
        cell: Cell = FORECAST.cell_at(place.lat, place.lon)
        packed = series.packed_weather(cell, 3 if plant.precise or plant.variables or is_table else 2)
        snow, days = self._sources.snow(plant, series.times[first:], now), series.days(first, plant.timezone)
        if plant.arrays and not is_table and registered is None:
            irradiance, printed = production.print_forecast(
                plant, series, packed, first, plant.layout, days, horizon.profile, snow
            )
            (rows, sums), power = irradiance, printed.sums.days
            texts = production.texts_of(plant, printed, horizon, snow)
        else:
            ghi = series.packed_ghi(packed, first)
            rows, sums = series.print(ghi, first, plant.layout), series.sums(ghi, days)
        if registered is not None and not is_table:
            watts = production.power_of(plant, production.weather_of(series, packed, first), horizon.profile, snow)
            texts, power = self._calibrated.print_registered(
                registered, plant, watts, series.times[first:], rows, days, horizon, snow
            )
        head, origin = series.head(place, cell, sums, days.fields(sums.days, power), now), series.origin
        if snow is not None or horizon.profile is not None:  # what comes of made-up terrain or snow is made up
            origin = origin_of(origin, horizon.origin, "live" if snow is None else snow.data_origin)
            head["data_origin"] = origin
        if is_table or plant.variables:
            from api.forecast.hours import Hours

            weather = production.weather_of(series, packed, first)
            hours = Hours(plant, series.times[first:], weather, head, horizon, snow, registered=registered)
            if is_table:
                file = replace(hours.file("forecast", series.name, first), headers=sunset)
                return await self._tables.answer(request, plant.format, file)
            columns, head["missing_variables"] = hours.variables()
            rows = with_columns(rows, columns)
        body = with_warnings(request, json_parts(head, {"ghi_timeseries": rows, **texts}))
        await self._gate.charge(request, ((place.lat, place.lon),))
        return respond(request, headers_of(origin), body, sunset)

    @cached_property  # an import in a function is 1 % of such a request, each time
    def _production(self) -> Any:
        return importlib.import_module("api.forecast.production")

    @cached_property
    def _calibrated(self) -> Any:
        return importlib.import_module("api.forecast.calibrated")
