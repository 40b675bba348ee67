"""Frost's protocol: stations that measure global radiation, and what they measured, near the simulated truth.

The stations stand in real places, but neither their numbers (SN900001 and on) nor their values are MET Norway's. A
value is the true mean of the hour, times 1 plus a station's own error of calibration (about 1 %) and an error of the
hour (about 2 %), rounded to 0.1 W/m2; 1 hour in 100 is missing. As Frost does, it is stamped with the END of its hour.
"""

import asyncio
import math
import re
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import orjson
from aiohttp import web

from infra.simulator.keys import CLOCK
from infra.simulator.misbehave import Rule
from infra.simulator.small import with_faults
from tiles.clock import iso

if TYPE_CHECKING:  # the server starts without numpy and pvlib: who asks for observations first loads them
    import numpy as np
    from numpy.typing import NDArray

    from infra.simulator.weather import Weather

ELEMENT = "mean(surface_downwelling_shortwave_flux_in_air PT1H)"
MOST_ROWS = 100_000
_HOUR = 3600
_DAY = 86_400
_FIRST_NUMBER = 900_001
_MISSING, _CALIBRATION, _NOISE = 0.01, 0.01, 0.02
_ID = re.compile(r"SN(\d{1,9})(?::0)?", re.ASCII)

# name, degrees north, degrees east, m above the sea
PLACES: tuple[tuple[str, float, float, float], ...] = (
    ("Oslo", 59.942, 10.720, 94), ("Ås", 59.660, 10.782, 92), ("Lier", 59.791, 10.260, 39),
    ("Råde", 59.319, 10.815, 12), ("Rakkestad", 59.388, 11.391, 100), ("Årnes", 60.127, 11.393, 160),
    ("Roverud", 60.254, 12.091, 170), ("Hønefoss", 60.140, 10.266, 126), ("Ilseng", 60.803, 11.203, 182),
    ("Kise", 60.773, 10.806, 128), ("Apelsvoll", 60.700, 10.870, 264), ("Gausdal", 61.225, 10.259, 375),
    ("Fåvang", 61.458, 10.187, 200), ("Løken", 61.122, 9.063, 521), ("Alvdal", 62.109, 10.627, 478),
    ("Røros", 62.577, 11.352, 628), ("Finse", 60.594, 7.527, 1210), ("Flesberg", 59.869, 9.400, 183),
    ("Bø", 59.418, 9.029, 105), ("Gjerpen", 59.227, 9.577, 41), ("Ramnes", 59.381, 10.240, 39),
    ("Landvik", 58.340, 8.523, 6), ("Lyngdal", 58.134, 7.045, 6), ("Lista", 58.109, 6.568, 14),
    ("Særheim", 58.761, 5.651, 87), ("Sola", 58.884, 5.637, 7), ("Hjelmeland", 59.230, 6.150, 43),
    ("Etne", 59.663, 5.954, 8), ("Ullensvang", 60.319, 6.654, 12), ("Bergen", 60.383, 5.333, 12),
    ("Njøs", 61.179, 6.861, 45), ("Fureneset", 61.293, 5.044, 7), ("Sandane", 61.787, 6.184, 51),
    ("Linge", 62.288, 7.217, 34), ("Tingvoll", 62.913, 8.186, 23), ("Surnadal", 62.985, 8.690, 5),
    ("Skjetlein", 63.340, 10.297, 44), ("Kvithamar", 63.488, 10.880, 27), ("Rissa", 63.586, 9.971, 23),
    ("Mære", 63.943, 11.426, 59), ("Skogmo", 64.510, 12.020, 32), ("Tjøtta", 65.830, 12.426, 21),
    ("Mo i Rana", 66.310, 14.140, 40), ("Bodø", 67.267, 14.359, 11), ("Valnesfjord", 67.276, 15.102, 20),
    ("Sortland", 68.648, 15.283, 14), ("Bardufoss", 69.056, 18.540, 76), ("Tromsø", 69.654, 18.910, 20),
    ("Alta", 69.977, 23.358, 3), ("Kautokeino", 69.000, 23.036, 307), ("Karasjok", 69.463, 25.502, 131),
    ("Svanvik", 69.455, 30.041, 27),
)  # fmt: skip


def number_of(place: int) -> int:
    """Return the station number of a row of `PLACES`."""
    return _FIRST_NUMBER + place


@lru_cache(maxsize=128)
def observed(day: int) -> "NDArray[np.float64]":
    """Return what the stations measured on a day, W/m2, (24 hours, places), NaN where missing; days since 1970."""
    import numpy as np

    starts = day * _DAY + _HOUR * np.arange(24.0)
    truth: NDArray[np.float64] = _weather().ghi_hour_mean(starts).astype(np.float64)
    calibration = 1 + _CALIBRATION * np.random.default_rng(0).standard_normal(len(PLACES))
    draw = np.random.default_rng(day)
    values: NDArray[np.float64] = np.round(truth * calibration * (1 + _NOISE * draw.standard_normal(truth.shape)), 1)
    values[draw.random(truth.shape) < _MISSING] = np.nan
    return values


@cache
def _weather() -> "Weather":
    import numpy as np

    from infra.simulator.weather import Weather

    return Weather(np.array([place[1] for place in PLACES]), np.array([place[2] for place in PLACES]))


def sources() -> dict[str, Any]:
    """Return the answer of `/sources`."""
    rows = [
        {
            "@type": "SensorSystem",
            "id": f"SN{number_of(i)}",
            "name": f"SIMULATED {name.upper()}",
            "country": "Norge",
            "countryCode": "NO",
            "geometry": {"@type": "Point", "coordinates": [lon, lat], "nearest": False},
            "masl": altitude,
            "validFrom": "1990-01-01T00:00:00.000Z",
        }
        for i, (name, lat, lon, altitude) in enumerate(PLACES)
    ]
    return _enveloped("SourceResponse", rows)


def rows(places: list[int], start: datetime, end: datetime, now: datetime) -> list[dict[str, Any]]:
    """Return the observations of places that are stamped in [start, end) and not after now."""
    found = []
    stop = min(int(end.timestamp()), int(now.timestamp()) + 1)
    for stamp in range(-(-int(start.timestamp()) // _HOUR) * _HOUR, stop, _HOUR):
        day, second = divmod(stamp - _HOUR, _DAY)
        measured = observed(day)[second // _HOUR]
        moment = f"{datetime.fromtimestamp(stamp, UTC):%Y-%m-%dT%H:%M:%S}.000Z"
        found += [_row(place, moment, float(measured[place])) for place in places if not math.isnan(measured[place])]
    return found


def _row(place: int, moment: str, value: float) -> dict[str, Any]:
    observation = {
        "elementId": ELEMENT,
        "value": value,
        "unit": "W/m2",
        "timeOffset": "PT0H",
        "timeResolution": "PT1H",
        "timeSeriesId": 0,
        "performanceCategory": "C",
        "exposureCategory": "2",
        "qualityCode": 0,
    }
    return {"sourceId": f"SN{number_of(place)}:0", "referenceTime": moment, "observations": [observation]}


def _enveloped(kind: str, data: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "@context": "https://frost.met.no/schema",
        "@type": kind,
        "apiVersion": "v0",
        "data_origin": "simulated",
        "license": "none: SIMULATED, these are nobody's observations",
        "currentItemCount": len(data),
        "itemsPerPage": len(data),
        "offset": 0,
        "totalItemCount": len(data),
        "data": data,
    }


def _refusal(status: int, reason: str) -> web.Response:
    body = {"@type": "ErrorResponse", "data_origin": "simulated", "error": {"code": status, "reason": reason}}
    return web.json_response(body, status=status)


def _asked(query: Any) -> tuple[list[int], datetime, datetime]:
    """Read the parameters of `/observations`.

    Raises
    ------
    ValueError
        One is malformed.
    """
    ids = [_ID.fullmatch(part.strip()) for part in query.get("sources", "").split(",")]
    numbers = [int(match[1]) - _FIRST_NUMBER for match in ids if match]
    moments = [datetime.fromisoformat(part) for part in query.get("referencetime", "").split("/")]
    if not all(ids) or len(moments) != 2 or any(moment.tzinfo is None for moment in moments):
        raise ValueError("sources are SN numbers, referencetime is two moments with a zone and / between them")
    return [place for place in numbers if 0 <= place < len(PLACES)], moments[0], moments[1]


@with_faults
async def serve_sources(_: web.Request, __: Rule | None) -> web.Response:
    """Answer the stations."""
    return web.json_response(sources())


@with_faults
async def serve_observations(request: web.Request, rule: Rule | None) -> web.Response:
    """Answer what stations measured; `stale` knows nothing of the last hours."""
    now = request.app[CLOCK].now() - timedelta(hours=rule.hours if rule and rule.mode == "stale" else 0)
    try:
        places, start, end = _asked(request.query)
    except ValueError as error:
        return _refusal(400, str(error))
    if ELEMENT not in request.query.get("elements", "").split(","):
        return _refusal(412, "no available time series")
    if len(places) * (end - start) / timedelta(hours=1) > MOST_ROWS:
        return _refusal(403, f"more than {MOST_ROWS} rows: ask for less")
    found = await asyncio.to_thread(rows, places, start, end, now)
    if not found:
        return _refusal(404, f"no data found at {iso(now)} by the simulator's clock")
    body = await asyncio.to_thread(orjson.dumps, _enveloped("ObservationResponse", found))
    return web.Response(body=body, content_type="application/json")
