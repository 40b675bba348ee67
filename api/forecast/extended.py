"""`/api/forecast/extended`: the regional model's hours, then the external service's, up to ten days."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from aiohttp import web
from numpy.typing import NDArray

from api.core.pipeline import Pipeline, origin_of
from api.core.response import json_parts, respond, with_warnings
from api.core.routing import warn
from api.core.tables import TABLE_FORMATS
from api.core.upstream import Spared, Upstream, retry_after
from api.data.versions import current_of
from api.forecast import problems
from api.forecast.current import V1
from api.forecast.days import days_of
from api.forecast.place import Place
from api.forecast.registered import Registered, registered_of
from api.forecast.requests import ForecastRequest, PlantQuery
from api.forecast.rows import RowTemplate, as_columns, as_rows, number_texts, stamps
from api.forecast.series import CACHE_CONTROL, HOUR_S, headers_of
from api.forecast.snow.applied import OnPlant
from api.forecast.surroundings import Sources, warn_of_ignored
from api.forecast.to_request import place_of, request_of
from catalog.point_forecasts import PointForecasts
from catalog.sources import locationforecast
from catalog.sources.errors import SourceError
from catalog.sources.locationforecast import PointForecast
from catalog.sources.registry import SOURCES
from kernels.sun import sun_table
from tiles.clock import iso
from tiles.errors import TileCorrupt
from tiles.grid import FORECAST, Cell

if TYPE_CHECKING:
    from api.forecast.hours import Hours

Floats = NDArray[np.float64]
_TURBIDITY = "linke_turbidity"
# So many questions at once; others wait, and places that are kept wait for nobody.
THREADS = 4
_NOT_EXTENDED = ("model", "daily", "v23b", "corrected", "fresh")
# Of the head of an ordinary forecast.
_CARRIED = (
    "site", "latitude", "longitude", "grid_index", "cycle_time", "model", "time_convention", "cycle_age_hours",
)  # fmt: skip


class ExtendedService:
    """Answers from what is published and from the external service."""

    def __init__(self, sources: Sources, external: PointForecasts) -> None:
        machinery, self._sources, self._external = sources.machinery, sources, external
        self._service = Upstream(locationforecast.NAME, askers=THREADS, rest_s=0.0)
        self._forecasts = sources.forecasts
        self._turbidity = sources.published.follow("turbidity", _TURBIDITY)
        self._cpu, self._engines, self._gate = machinery.cpu, machinery.engines, machinery.gate
        self._tables = Pipeline(machinery, TABLE_FORMATS, {"Cache-Control": CACHE_CONTROL})

    async def get(self, request: web.BaseRequest, query: PlantQuery) -> web.StreamResponse:
        """Hourly global horizontal irradiance up to ten days ahead.

        The first hours, about 60, are V1.5's (`regional_model`). The rest come from an external weather service: its
        cloud and temperature, every 6 hours towards the end and filled evenly, under a clear sky of climatological
        turbidity (Kasten & Czeplak). All hours are UTC, and none is missing or twice there. Days, production and
        tables as in `GET /api/forecast`; `daily` and `model` do not apply.
        """
        if query.anlegg_id is not None:
            return await self.at(request, *await registered_of(request, self._sources.plants, query))
        return await self.at(request, *request_of(query, self._sources.sites))

    async def post(self, request: web.BaseRequest, plant: ForecastRequest) -> web.StreamResponse:
        """Irradiance and the production of a plant, up to ten days ahead.

        The first hours, about 60, are V1.5's (`regional_model`). The rest come from an external weather service: its
        cloud and temperature, every 6 hours towards the end and filled evenly, under a clear sky of climatological
        turbidity (Kasten & Czeplak). All hours are UTC, and none is missing or twice there. Production as in
        `POST /api/forecast`, the horizon with `precise` included; `daily` and `model` do not apply.
        """
        if plant.anlegg_id is not None:
            return await self.at(request, *await registered_of(request, self._sources.plants, plant))
        return await self.at(request, place_of(plant), plant)

    async def at(
        self, request: web.BaseRequest, place: Place, plant: ForecastRequest, registered: Registered | None = None
    ) -> web.StreamResponse:
        """Answer for a place, with production where arrays are given."""
        warn_of_ignored(request, plant)
        if ignored := [name for name in _NOT_EXTENDED if name in plant.model_fields_set]:
            warn(request, "These do not apply to the extended forecast", ignored)
        horizon = await self._sources.horizon(plant)
        await self._engines.ready()
        from api.forecast.hours import Hours
        from api.forecast.production import weather_of

        now = self._forecasts.clock.now()
        series = self._forecasts.of(V1, now)
        if plant.arrays:
            series.require_temperature()
        cell: Cell = FORECAST.cell_at(place.lat, place.lon)
        packed = series.packed_weather(cell, 3 if plant.arrays or plant.variables else 1)
        head = series.head(place, cell, series.sums(series.packed_ghi(packed), series.days()), None, now)
        regional = Hours(plant, series.times, weather_of(series, packed), head, horizon, registered=registered)
        months, snow = self._months(cell, now), partial(self._sources.snow, plant, now=now)
        # before the service is asked: who has no quota left shall not make us ask it (a failure is refunded)
        await self._gate.charge(request, ((place.lat, place.lon),))
        weather = await self._ask(place.lat, place.lon)
        with self._cpu.slot():
            hours = await self._cpu.run(partial(join, regional, weather, months, snow))
            if plant.format == "json":
                fields, texts = await self._cpu.run(partial(json_of, hours))
                body = with_warnings(request, json_parts(fields, texts))
                return respond(request, headers_of(fields["data_origin"]), body)
        # The points are charged already.
        file = replace(hours.file("extended", series.name, weather.updated_at, months.tobytes()), points=())
        return await self._tables.answer(request, plant.format, file)

    async def _ask(self, lat: float, lon: float) -> PointForecast:
        if fresh := await asyncio.to_thread(self._external.fresh, lat, lon):
            return fresh
        try:
            return await self._service.ask(partial(self._external.fetch, lat, lon))
        except SourceError as error:
            headers = retry_after(error if isinstance(error, Spared) else None)
            raise problems.EXTERNAL_FAILED(headers=headers) from error

    def _months(self, cell: Cell, now: datetime) -> Floats:
        """Return Linke turbidity from January to December, (12,)."""
        turbidity = current_of(self._turbidity, _TURBIDITY, now)
        if turbidity is None:
            raise problems.NO_TURBIDITY()
        try:
            months: Floats = turbidity.values(_TURBIDITY, cell)
        except (OSError, TileCorrupt) as error:
            raise problems.DAMAGED_CELL() from error
        if np.isnan(months).any():
            raise problems.DAMAGED_CELL()
        return months


def join(
    regional: "Hours", service: PointForecast, turbidity: Floats, snow_in: Callable[[NDArray[np.int64]], OnPlant | None]
) -> "Hours":
    """Return the regional hours, and those of the external service behind them; milliseconds, for a thread.

    Parameters
    ----------
    regional : Hours
    service : PointForecast
    turbidity : float64 (12,)
        Linke turbidity by month.
    snow_in : callable
        Returns what snow does to the plant in hours.

    Raises
    ------
    ApiError
        The external service leaves a gap behind the regional model.
    """
    from kernels.point_weather import hourly_weather  # see api/core/engines.py

    place, first = (regional.plant.latitude, regional.plant.longitude), int(regional.times[-1]) + HOUR_S
    here = regional.weather
    if not service.times[0] <= first < service.times[-1]:
        raise problems.EXTERNAL_FAILED(headers=retry_after())
    later = hourly_weather(
        service.times, service.cloud, service.temp_air, service.wind_speed, *place, service.altitude, turbidity, first
    )
    n, n_later = len(here.ghi), len(later.ghi)

    def both(regional_values: Floats | None, later_values: Floats) -> Floats | None:
        return None if regional_values is None else np.concatenate((regional_values, later_values))

    times, unknown = np.concatenate((regional.times, later.starts)), np.full(n, np.nan)
    weather = here._replace(
        sun=sun_table(times + HOUR_S // 2),
        ghi=np.concatenate((here.ghi, later.ghi.round(1))),
        temp_air=both(here.temp_air, later.temp_air),
        wind_speed=both(here.wind_speed, later.wind_speed),
        cloud=np.concatenate((unknown, later.cloud)),
    )
    snow, source = snow_in(times), SOURCES[locationforecast.NAME]
    origins = service.data_origin, regional.horizon.origin, "live" if snow is None else snow.data_origin
    head = {
        "mode": "extended",
        **{name: regional.head[name] for name in _CARRIED},
        "data_origin": origin_of(regional.head["data_origin"], *origins),
        "total_hours": n + n_later,
        "regional_model_hours": n,
        "external_forecast_hours": n_later,
        "peak_ghi_wm2": float(weather.ghi.max()),
        "total_ghi_kwh_m2": round(float(weather.ghi.sum()) / 1000, 3),
        "external_service": {
            "name": source.title,
            "updated_at": iso(service.updated_at),
            "attribution": source.attribution,
            "licence": source.licence.name,
        },
    }
    columns = {
        "source": np.repeat(["regional_model", "external_forecast"], [n, n_later]),
        "cloud_fraction": np.concatenate((unknown, later.cloud.round(3))),
        "temperature_c": np.concatenate((unknown, later.temp_air.round(1) + 0.0)),  # no -0.0
    }
    return regional._replace(times=times, weather=weather, head=head, snow=snow, columns=columns)


def json_of(hours: "Hours") -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the fields of the JSON body, and those that are JSON already; milliseconds, for a thread."""
    from api.forecast.calibrated import print_registered
    from api.forecast.production import print_power, texts_of

    plant, ghi, days = hours.plant, hours.weather.ghi, days_of(hours.times, hours.plant.timezone)
    variables, missing = hours.variables()
    lists = {name: values.tolist() for name, values in {"ghi_wm2": ghi, **hours.columns, **variables}.items()}
    starts, texts, power = stamps(hours.times), {}, None
    if plant.arrays:
        template = RowTemplate({"hour": range(len(starts)), "timestamp": starts}, "ghi_wm2")
        text = template.render(number_texts(ghi), plant.layout)
        if hours.registered is None:
            printed = print_power(plant, hours.power(), text, plant.layout, days)
            power, texts = printed.sums.days, texts_of(plant, printed, hours.horizon, hours.snow)
        else:
            watts = hours.power()
            texts, power = print_registered(
                hours.registered, plant, watts, hours.times, text, days, hours.horizon, hours.snow
            )
    fields = {**hours.head, "days": days.fields(days.sums(np.rint(ghi * 10).astype(np.int64)), power)}
    if plant.variables:
        fields["missing_variables"] = missing
    rows = as_rows({"timestamp": starts, **lists})
    return {**fields, "timeseries": as_columns(rows) if plant.layout == "columns" else rows}, texts
