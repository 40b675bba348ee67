"""A bulk call's answer: what the tile says of every system is read first, all at once; then it is calculated."""

from typing import Any, NamedTuple

import orjson

from api import texts
from api.errors import Unavailable
from api.forecast.body import Series, Weather
from api.forecast.bulk.models import BulkRequest, System
from api.forecast.current import Chosen
from api.forecast.place import is_covered
from api.forecast.production.answer import NO_SNOW, SNOW_NOT_ASKED, Printed
from api.forecast.production.power import Plant, power_of
from api.forecast.rows import Layout, Table
from tiles.grid import FORECAST


class Reading(NamedTuple):
    """What the tile holds for a system.

    Parameters
    ----------
    ghi : tuple of bytes
        As printed.
    weather : Weather
    """

    ghi: tuple[bytes, ...]
    weather: Weather


class Missing(NamedTuple):
    """Why a system has no result.

    Parameters
    ----------
    error : str
    lasts : bool
        Whether it is so for everybody, as long as this tile is served.
    """

    error: str
    lasts: bool


def read(series: Series, first: int, system: System) -> Reading | Missing:
    """Read what a system needs of a tile."""
    if not is_covered(system.latitude, system.longitude):
        return Missing(texts.OUTSIDE_COVERAGE, lasts=True)
    cell = FORECAST.cell_at(system.latitude, system.longitude)
    try:
        packed = series.packed(cell, first)
        return Reading(series.texts(packed), series.weather(cell, first, wind=False))
    except Unavailable as error:
        return Missing(error.text, lasts="Retry-After" not in error.headers)


def calculate(asked: BulkRequest, chosen: Chosen, readings: list[Reading | Missing]) -> bytes:
    """Return the JSON body: some milliseconds of work that touches no tile, for a thread.

    Nothing of it depends on the moment, so it may be kept.

    Raises
    ------
    ServerError
        A number is none.
    """
    table = chosen.series.table(chosen.first)
    results = {
        system.id: {"error": reading.error} if isinstance(reading, Missing) else _result(asked, table, system, reading)
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


def _result(asked: BulkRequest, table: Table, system: System, reading: Reading) -> dict[str, Any]:
    layout: Layout = asked.layout
    ratio = asked.performance_ratio if system.performance_ratio is None else system.performance_ratio
    plant = Plant(system.latitude, system.longitude, system.arrays, ratio, system.temp_coeff_pmax)
    printed = Printed(plant, power_of(plant, reading.weather))
    irradiance = table.render(reading.ghi, layout)
    return {
        "latitude": system.latitude,
        "longitude": system.longitude,
        "ghi_timeseries": orjson.Fragment(irradiance),
        "pv_timeseries": printed.series(irradiance, layout),
        "pv_system": printed.sums(),
    }
