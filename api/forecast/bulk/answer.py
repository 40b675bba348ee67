"""A bulk call's answer, calculated of what was read.

It imports kernels, so a thread imports it: see `api/engines.py`.
"""

from typing import Any

import orjson

from api.forecast.bulk.models import BulkRequest, System
from api.forecast.bulk.reading import Missing
from api.forecast.current import Chosen
from api.forecast.production.answer import NO_SNOW, SNOW_NOT_ASKED, print_forecast
from api.forecast.production.plant import Plant


def calculate(asked: BulkRequest, chosen: Chosen, readings: list[bytes | Missing]) -> bytes:
    """Return the JSON body: some milliseconds of work that touches no tile, for a thread.

    Nothing of it depends on the moment, so it may be kept.

    Raises
    ------
    ValueError
        A number is none.
    """
    results = {
        system.id: {"error": reading.error} if isinstance(reading, Missing) else _result(asked, chosen, system, reading)
        for system, reading in zip(asked.systems, readings, strict=True)
    }
    return orjson.dumps(
        {
            "cycle_time": chosen.series.cycle_time,
            "data_mode": chosen.series.data_mode,
            "data_origin": chosen.series.origin,
            "snow": NO_SNOW if asked.snow else SNOW_NOT_ASKED,
            "results": results,
        }
    )


def _result(asked: BulkRequest, chosen: Chosen, system: System, packed: bytes) -> dict[str, Any]:
    series, first, layout = chosen.series, chosen.first, asked.layout
    ratio = asked.performance_ratio if system.performance_ratio is None else system.performance_ratio
    plant = Plant(system.latitude, system.longitude, system.arrays, ratio, system.temp_coeff_pmax)
    irradiance, printed = print_forecast(plant, series, packed, first, layout)
    return {
        "latitude": system.latitude,
        "longitude": system.longitude,
        "ghi_timeseries": orjson.Fragment(irradiance.text),
        "pv_timeseries": orjson.Fragment(printed.series),
        "pv_system": printed.sums(plant),
    }
