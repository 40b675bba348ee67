"""Calibrates a plant: its measurements, what a clear sky and the weather of then would have given, and the fit."""

from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import Connection, Engine

from api.data.plants import measurements, store, weather
from api.data.plants.measurements import Hours
from api.data.plants.plant import Plant
from api.data.plants.production import planes_of, plant_watts
from api.data.plants.weather import Weather
from api.database.engine import READS, WRITES
from api.plants.background import Background, Floats
from kernels.plants.calibration import LONGEST_DAYS, fit
from kernels.plants.clear_plane import clear_plane_watts
from kernels.plants.output import clear_sky_watts

_DAY_S = 86_400


def calibrate(engine: Engine, background: Background, plant_id: str, now: datetime, *, dry_run: bool = False) -> Any:
    """Calibrate a plant from the measurements that are there, and store what came of it.

    Parameters
    ----------
    engine : Engine
    background : Background
    plant_id : str
    now : datetime
    dry_run : bool
        Whether nothing is stored.

    Returns
    -------
    dict or None
        As `Plant.calibration` is; None where there is no such plant, or it has no measurements.
    """
    with engine.execution_options(**READS).begin() as connection:
        plant = store.find(connection, plant_id)
        if plant is None or (last := measurements.summary(connection, plant_id).last) is None:
            return None
        hours = measurements.read(connection, plant_id, last - LONGEST_DAYS * _DAY_S)
        forecasts = _forecasts(connection, plant_id, int(hours.starts[0]))
    found = calibration_of(plant, hours, forecasts, background)
    if not dry_run:
        with engine.execution_options(**WRITES).begin() as connection:
            store.set_calibration(connection, plant_id, found, now)
    return found


def calibration_of(plant: Plant, hours: Hours, forecasts: Weather, background: Background) -> dict[str, Any]:
    """Return the calibration of a plant as it is stored: with its sky, and the last hour that it is fitted to.

    Parameters
    ----------
    plant : Plant
    hours : Hours
    forecasts : Weather
        Of any of them; the weather of others is that of the climate archive.
    background : Background
    """
    sky, starts = background.sky(plant.lat, plant.lon), hours.starts
    place = plant.lat, plant.lon, sky.altitude, sky.turbidity, planes_of(plant), plant.performance_ratio, starts
    clear, beamed = clear_sky_watts(*place).sum(axis=0), clear_plane_watts(*place)
    ghi, temp_air = background.past_weather(plant.lat, plant.lon, starts)
    _, own, theirs = np.intersect1d(starts, forecasts.starts, assume_unique=True, return_indices=True)
    ghi[own], temp_air[own] = forecasts.ghi[theirs], forecasts.temp_air[theirs]
    fitted = fit(
        hours.wh, clear, _modelled(plant, hours, ghi, temp_air), starts, plant.lat, plant.lon, plant.kwp, beamed
    )
    return fitted.to_json() | {
        "altitude_m": sky.altitude,
        "turbidity": sky.turbidity.round(2).tolist(),
        "last": int(starts[-1]),
    }


def _modelled(plant: Plant, hours: Hours, ghi: Floats, temp_air: Floats) -> Floats | None:
    known = np.isfinite(ghi) & np.isfinite(temp_air)
    if not known.any():
        return None
    watts = np.full(known.size, np.nan)
    watts[known] = plant_watts(plant, hours.starts[known], ghi[known], temp_air[known]).sum(axis=0)
    return watts


def _forecasts(connection: Connection, plant_id: str, start: int) -> Weather:
    """Return the forecast of each hour with the shortest lead that is kept."""
    by_lead = weather.read(connection, plant_id, start)
    joined = Weather(*map(np.concatenate, zip(*(by_lead[lead] for lead in sorted(by_lead)), strict=True)))
    starts, first = np.unique(joined.starts, return_index=True)
    return Weather(starts, *(values[first] for values in joined[1:]))
