"""A bulk call's answer, calculated of what was read.

It imports kernels, so a thread imports it: see `api/engines.py`.
"""

from typing import Any

import orjson

from api.forecast.bulk.models import BulkRequest, System
from api.forecast.bulk.reading import Missing
from api.forecast.current import Chosen
from api.forecast.production.answer import print_forecast
from api.forecast.production.plant import Plant
from api.forecast.snow.applied import NOT_ASKED, OnPlant, OnSystems, on_systems
from api.forecast.snow.current import Absent, Current


def calculate(
    asked: BulkRequest, chosen: Chosen, readings: list[bytes | Missing], current: Current | Absent | None, origin: str
) -> bytes:
    """Return the JSON body: some milliseconds of work that touches no tile, for a thread.

    Nothing of it depends on the moment, so it may be kept.

    Parameters
    ----------
    asked : BulkRequest
    chosen : Chosen
    readings : list of bytes or Missing
        Of its systems.
    current : Current, Absent or None
        Of snow; None where it is not asked for.
    origin : str
        `live` or `simulated`, snow included.

    Raises
    ------
    ValueError
        A number is none.
    """
    snow = OnSystems(NOT_ASKED, {})
    if current is not None:
        there = (s for s, reading in zip(asked.systems, readings, strict=True) if not isinstance(reading, Missing))
        systems = {system.id: (system.latitude, system.longitude, system.arrays) for system in there}
        snow = on_systems(current, systems, chosen.series.times[chosen.first :])
    results = {
        system.id: {"error": reading.error}
        if isinstance(reading, Missing)
        else _result(asked, chosen, system, reading, snow.plants.get(system.id))
        for system, reading in zip(asked.systems, readings, strict=True)
    }
    return orjson.dumps(
        {
            "cycle_time": chosen.series.cycle_time,
            "data_mode": chosen.series.data_mode,
            "data_origin": origin,
            "snow": snow.told,
            "results": results,
        }
    )


def _result(asked: BulkRequest, chosen: Chosen, system: System, packed: bytes, snow: OnPlant | None) -> dict[str, Any]:
    series, first, layout = chosen.series, chosen.first, asked.layout
    ratio = asked.performance_ratio if system.performance_ratio is None else system.performance_ratio
    plant = Plant(system.latitude, system.longitude, system.arrays, ratio, system.temp_coeff_pmax)
    irradiance, printed = print_forecast(plant, series, packed, first, layout, snow=snow)
    return {
        "latitude": system.latitude,
        "longitude": system.longitude,
        "ghi_timeseries": orjson.Fragment(irradiance.text),
        "pv_timeseries": orjson.Fragment(printed.series),
        "pv_system": printed.sums(plant),
    }
