"""The point forecast service: `/locationforecast/.../compact|complete?lat=&lon=&altitude=`, GeoJSON as the authority's.

Hourly for 60 hours, then at 00, 06, 12 and 18 UTC to 10 days, all at instants. A new forecast comes every hour.
"""

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from aiohttp import web

from infra.simulator.keys import CLOCK
from infra.simulator.misbehave import Rule
from infra.simulator.small import with_faults
from tiles.clock import floor_hour, iso

SOURCE = "locationforecast"
HOURLY_H = 60
AHEAD_H = 240
FAR_STEP_H = 6
LIFE = timedelta(minutes=30)
_MAX_DECIMALS = 4
_UNITS = {
    "air_temperature": "celsius",
    "cloud_area_fraction": "%",
    "relative_humidity": "%",
    "wind_from_direction": "degrees",
    "wind_speed": "m/s",
}


def forecast(
    lat: float, lon: float, issued: datetime, *, altitude: float | None = None, far_step_h: int = FAR_STEP_H
) -> dict[str, Any]:
    """Return the forecast of a point as the service words it.

    Parameters
    ----------
    lat, lon : float
        Degrees.
    issued : datetime
        The hour it is made, and its first instant.
    altitude : float, optional
        m; the relief's where it is not given. (The weather is the relief's either way.)
    far_step_h : int
        Hours between instants after the first 60 hours; the authority's are 6.

    Raises
    ------
    ValueError
        The point lies outside what the simulator covers.
    """
    import numpy as np  # only here: the server starts without it, and without pvlib

    from infra.simulator.forecast_error import forecast_error
    from infra.simulator.weather import Weather

    weather = Weather(np.array([lat]), np.array([lon]))
    times = np.array(_instants(issued, far_step_h), dtype=np.float64)
    state = weather.surface(times, forecast_error(SOURCE, int(issued.timestamp()), times))
    values = {name: field[:, 0].astype(np.float64) for name, field in state.items()}
    details = {
        "air_temperature": values["temp_air"],
        "cloud_area_fraction": 100 * values["cloud"],
        "relative_humidity": 100 * values["relative_humidity"],
        "wind_from_direction": np.degrees(np.arctan2(-values["wind_east"], -values["wind_north"])) % 360,
        "wind_speed": values["wind_speed"],
    }
    steps = [
        {
            "time": iso(datetime.fromtimestamp(time, UTC)),
            "data": {"instant": {"details": {name: round(float(of[i]), 1) for name, of in details.items()}}},
        }
        for i, time in enumerate(times.tolist())
    ]
    height = round(float(weather.ground.altitude[0])) if altitude is None else altitude
    meta = {"updated_at": iso(issued), "units": _UNITS, "data_origin": "simulated", "comment": "SIMULATED weather"}
    return {
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [lon, lat, height]},
        "properties": {"meta": meta, "timeseries": steps},
    }


def _instants(issued: datetime, far_step_h: int) -> list[int]:
    start = int(issued.timestamp()) // 3600
    near = range(start, start + HOURLY_H)
    far = range(-(-near.stop // far_step_h) * far_step_h, start + AHEAD_H + 1, far_step_h)
    return [3600 * hour for hour in (*near, *far)]


@with_faults
async def serve(request: web.Request, rule: Rule | None) -> web.Response:
    """Answer a point's forecast."""
    if not request.headers.get("User-Agent", "").strip():
        raise web.HTTPForbidden(text="name yourself and a contact in the header User-Agent\n")
    lat, lon, altitude = _asked(request.query)
    now = request.app[CLOCK].now()
    issued = floor_hour(now)
    headers = {
        "Last-Modified": format_datetime(issued, usegmt=True),
        "Expires": format_datetime(now.replace(microsecond=0) + LIFE, usegmt=True),
    }
    if request.if_modified_since is not None and request.if_modified_since >= issued:
        return web.Response(status=304, headers=headers)
    if rule is not None and rule.mode == "stale":
        issued -= timedelta(hours=rule.hours)
    try:
        told = await asyncio.to_thread(forecast, lat, lon, issued, altitude=altitude)
    except ValueError as error:
        raise web.HTTPUnprocessableEntity(text=f"{error}\n") from error
    if rule is not None and rule.mode == "wronggrid":
        told["geometry"]["coordinates"][0] += 1.0
    return web.Response(body=json.dumps(told).encode(), content_type="application/json", headers=headers)


def _asked(query: Mapping[str, str]) -> tuple[float, float, float | None]:
    try:
        lat, lon = query["lat"], query["lon"]
        altitude = float(query["altitude"]) if "altitude" in query else None
        point = float(lat), float(lon)
    except (KeyError, ValueError) as error:
        raise web.HTTPBadRequest(text="give lat and lon, and altitude if you like, as numbers\n") from error
    if any(len(text.partition(".")[2]) > _MAX_DECIMALS for text in (lat, lon)):
        raise web.HTTPForbidden(text=f"at most {_MAX_DECIMALS} decimals: more only fill caches\n")
    return *point, altitude
