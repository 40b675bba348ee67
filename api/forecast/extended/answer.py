"""The body of an extended forecast: rows of two sources, and production over both."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from api.forecast.body import HOUR_S, Series
from api.forecast.extended.external import failed
from api.forecast.extended.series import ExternalHours, external_hours
from api.forecast.place import Place
from api.forecast.production.models import ForecastRequest
from api.forecast.production.plant import plant_of
from api.forecast.rows import Layout, Table, as_columns, number_texts
from api.forecast.snow.applied import OnPlant, on_plant
from api.forecast.snow.current import Absent, Current
from api.ready import Parts, json_parts
from catalog.sources import locationforecast
from catalog.sources.locationforecast import PointForecast
from catalog.sources.registry import SOURCES
from kernels.sun import sun_table
from tiles.clock import iso

# Of the head of an ordinary forecast.
CARRIED = (
    "site", "latitude", "longitude", "grid_index", "cycle_time", "model", "time_convention", "cycle_age_hours",
    "data_origin",
)  # fmt: skip


@dataclass(frozen=True)
class Regional:
    """What an answer takes from tiles, read in one go.

    Parameters
    ----------
    head : dict
        Of the answer: the fields `CARRIED`.
    times : int64 (n,)
        Starts of the hours, unix seconds.
    ghi : float64 (n,)
        W/m2, in tenths.
    series : Series
        Where they are from.
    packed : bytes or None
        Its packed weather, where production is asked for.
    turbidity : float64 (12,)
        Linke turbidity by month.
    snow : Current, Absent or None
        None where it is not asked for, or there is no plant.
    now : datetime
        When it was read.
    """

    head: dict[str, Any]
    times: NDArray[np.int64]
    ghi: NDArray[np.float64]
    series: Series
    packed: bytes | None
    turbidity: NDArray[np.float64]
    snow: Current | Absent | None
    now: datetime


def body(
    place: Place, regional: Regional, weather: PointForecast, layout: Layout, asked: ForecastRequest | None
) -> tuple[str, Parts]:
    """Return where the data come from, and the JSON body; milliseconds, so in a thread.

    Raises
    ------
    BadGateway
        The external service leaves a gap behind the regional model.
    """
    first = int(regional.times[-1]) + HOUR_S
    later = external_hours(weather, regional.turbidity, place.lat, place.lon, first)
    if later is None:
        raise failed()
    ghi = np.concatenate((regional.ghi, later.ghi))
    times = np.concatenate((regional.times, later.starts))
    rows = _rows(regional, later)
    snow = None
    if asked is not None and regional.snow is not None:
        snow = on_plant(regional.snow, place.lat, place.lon, asked.arrays, times, regional.now)
    origins = (regional.head["data_origin"], weather.data_origin, "live" if snow is None else snow.data_origin)
    origin = "simulated" if "simulated" in origins else "live"
    service = SOURCES[locationforecast.NAME]
    fields = {
        "mode": "extended",
        **regional.head,
        "data_origin": origin,
        "total_hours": len(ghi),
        "regional_model_hours": len(regional.ghi),
        "external_forecast_hours": len(later.ghi),
        "peak_ghi_wm2": float(ghi.max()),
        "total_ghi_kwh_m2": round(float(ghi.sum()) / 1000, 3),
        "external_service": {
            "name": service.title,
            "updated_at": iso(weather.updated_at),
            "attribution": service.attribution,
            "licence": service.licence.name,
        },
        "timeseries": as_columns(rows) if layout == "columns" else rows,
    }
    texts: dict[str, bytes] = {}
    if asked is not None and regional.packed is not None:
        texts = _production(asked, regional.series, regional.packed, later, times, ghi, layout, snow)
    return origin, json_parts(fields, texts)


def _rows(regional: Regional, later: ExternalHours) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [
        {"timestamp": stamp, "ghi_wm2": ghi, "source": "regional_model"}
        for stamp, ghi in zip(_stamps(regional.times), regional.ghi.tolist(), strict=True)
    ]
    numbers = (later.ghi, np.round(later.cloud, 3), np.round(later.temp_air, 1) + 0.0)  # + 0.0: no -0.0
    for stamp, ghi, cloud, degrees in zip(_stamps(later.starts), *(n.tolist() for n in numbers), strict=True):
        rows.append(
            {
                "timestamp": stamp,
                "ghi_wm2": ghi,
                "source": "external_forecast",
                "cloud_fraction": cloud,
                "temperature_c": degrees,
            }
        )
    return rows


def _production(
    asked: ForecastRequest,
    series: Series,
    packed: bytes,
    later: ExternalHours,
    times: NDArray[np.int64],
    ghi: NDArray[np.float64],
    layout: Layout,
    snow: OnPlant | None,
) -> dict[str, bytes]:
    from api.forecast.production.answer import print_power, texts_of  # see api/engines.py
    from api.forecast.production.power import power_of
    from api.forecast.production.weather import Weather, weather_of

    regional = weather_of(series, packed)
    temp_air = np.concatenate((regional.temp_air, later.temp_air))
    wind = None if regional.wind_speed is None else np.concatenate((regional.wind_speed, later.wind_speed))
    plant = plant_of(asked)
    watts = power_of(plant, Weather(sun_table(times + HOUR_S // 2), ghi, temp_air, wind))
    if snow is not None and snow.factors is not None:
        watts *= snow.factors
    table = Table({"hour": range(len(times)), "timestamp": _stamps(times)}, "ghi_wm2")
    printed = print_power(plant, watts, table.render(number_texts(ghi), layout), layout)
    return texts_of(plant, printed, horizon=None, snow=snow)


def _stamps(times: NDArray[np.int64]) -> list[str]:
    return [f"{text}Z" for text in np.datetime_as_string(times.astype("datetime64[s]")).tolist()]
