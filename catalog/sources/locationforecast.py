"""MET Norway's locationforecast 2.0, `complete`: about 10 days for a point, hourly at first, then every 6 hours.

The service gives instants: what it says of 12:00 holds at 12:00, and is no mean of an hour. There is no irradiance.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import httpx
import numpy as np
import orjson
from numpy.typing import NDArray

from catalog.sources.data_origin import DataOrigin, origin_of
from catalog.sources.errors import Origin
from catalog.sources.fetch import Answer, fetch
from catalog.sources.http import Deadline, without_credentials
from tiles.clock import parse_zoned

NAME = "locationforecast"

# A usual answer is 60-100 kB.
MAX_BYTES = 2_000_000
MAX_STEPS = 1000
# One of the 6-hourly steps may be missing; across more nobody knows what the sky does.
MAX_GAP_S = 12 * 3600
_DECIMALS = 4
_SAME_PLACE = 0.001


@dataclass(frozen=True)
class _Field:
    """Where the service says a quantity: key of `details`, its unit, the range that can be, factor to ours."""

    key: str
    unit: str
    low: float
    high: float
    factor: float = 1.0


_CLOUD = _Field("cloud_area_fraction", "%", 0, 100, 0.01)
_TEMP_AIR = _Field("air_temperature", "celsius", -90, 60)
_WIND = _Field("wind_speed", "m/s", 0, 120)


@dataclass(frozen=True)
class PointForecast:
    """The weather ahead at a point, at instants.

    Parameters
    ----------
    times : int64 (n,)
        Unix seconds, whole hours, ascending.
    cloud : float64 (n,)
        Cloud fraction, 0-1.
    temp_air, wind_speed : float64 (n,)
        degC at 2 m; m/s at 10 m.
    altitude : float
        Of the point as the service knows it, m above sea level.
    updated_at : datetime
        When the service last made it.
    data_origin : str
        `live` or `simulated`.
    """

    times: NDArray[np.int64]
    cloud: NDArray[np.float64]
    temp_air: NDArray[np.float64]
    wind_speed: NDArray[np.float64]
    altitude: float
    updated_at: datetime
    data_origin: DataOrigin


def point_of(lat: float, lon: float) -> tuple[float, float]:
    """Return a point as the service may be asked for it: it refuses more than four decimals."""
    return round(lat, _DECIMALS) + 0.0, round(lon, _DECIMALS) + 0.0


def ask(
    url: str,
    lat: float,
    lon: float,
    client: httpx.Client,
    deadline: Deadline,
    *,
    etag: str | None = None,
    modified: str | None = None,
) -> Answer:
    """Ask for a point; its body goes to `read`.

    Parameters
    ----------
    url : str
        The service, without `/complete`.
    lat, lon : float
        Degrees, rounded here.
    client, deadline, etag, modified
        As `fetch` takes them.

    Raises
    ------
    SourceError
    """
    north, east = point_of(lat, lon)
    params = {"lat": f"{north:.{_DECIMALS}f}", "lon": f"{east:.{_DECIMALS}f}"}
    address = f"{url.rstrip('/')}/complete"
    return fetch(NAME, address, client, deadline, max_bytes=MAX_BYTES, params=params, etag=etag, modified=modified)


def read(body: bytes | memoryview, url: str, lat: float, lon: float) -> PointForecast:
    """Return what an answer says.

    Parameters
    ----------
    body : bytes-like
    url : str
        For sentences.
    lat, lon : float
        The point that was asked for.

    Raises
    ------
    SourceError
        It is no forecast for this point; one sentence says why.
    """
    origin = Origin(NAME, without_credentials(url))
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise origin.error("answered no JSON") from error
    try:
        return _read(answer, origin, *point_of(lat, lon))
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise origin.error(f"answered something else than a point forecast: {error!r:.100}") from error


def _read(answer: Any, origin: Origin, lat: float, lon: float) -> PointForecast:
    east, north, altitude = (_number(c, "geometry") for c in answer["geometry"]["coordinates"])
    if abs(north - lat) > _SAME_PLACE or abs(east - lon) > _SAME_PLACE:
        raise origin.error("answered for another point than was asked for")
    if not -500 <= altitude <= 9000:
        raise origin.error(f"gives the point a height of {altitude:g} m")
    properties = answer["properties"]
    meta, steps = properties["meta"], properties["timeseries"]
    if not isinstance(steps, list) or not 2 <= len(steps) <= MAX_STEPS:
        raise ValueError("timeseries")
    details = [step["data"]["instant"]["details"] for step in steps]
    units = meta["units"]
    return PointForecast(
        times=_times([step["time"] for step in steps], origin),
        cloud=_values(details, _CLOUD, units, origin),
        temp_air=_values(details, _TEMP_AIR, units, origin),
        wind_speed=_values(details, _WIND, units, origin),
        altitude=altitude,
        updated_at=parse_zoned(meta["updated_at"]),
        data_origin=origin_of(meta.get("data_origin")),
    )


def _times(texts: list[str], origin: Origin) -> NDArray[np.int64]:
    times = np.array([parse_zoned(text).timestamp() for text in texts])
    gaps = np.diff(times)
    if np.any(times % 3600):
        raise origin.error("has a time that is no whole hour")
    if np.any(gaps <= 0):
        raise origin.error("has times that do not ascend")
    if np.any(gaps > MAX_GAP_S):
        raise origin.error(f"has a gap of {gaps.max() / 3600:g} hours")
    return times.astype(np.int64)


def _values(
    details: list[Mapping[str, Any]], field: _Field, units: Mapping[str, str], origin: Origin
) -> NDArray[np.float64]:
    if units[field.key] != field.unit:
        raise origin.error(f"gives {field.key} in {units[field.key]!r}, not in {field.unit!r}")
    values = np.array([_number(step[field.key], field.key) for step in details])
    if not np.all((values >= field.low) & (values <= field.high)):  # NaN compares false
        raise origin.error(f"gives {field.key} beyond {field.low:g}..{field.high:g} {field.unit}")
    return values * field.factor


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{what} is no number")
    return float(value)
