"""Frost: MET Norway's observations, here the hourly mean of global radiation at stations (pyranometers).

TRAP: Frost stamps an hourly mean with the END of its hour (referenceTime + timeOffset); here, as everywhere inside,
an hour is named by its start. The client id is the user of the address (`https://<id>@frost.met.no`).

What is dropped, and counted: quality codes 3 and above (suspect, corrected, interpolated, erroneous; no code at all
means that nobody has looked, and is taken), values that are absent or beyond -20..1500 W/m2, moments that are no whole
hour, duplicates (the lowest timeSeriesId stays). Small negative values, an instrument's offset at night, are 0.
An unknown unit is refused: a number in the wrong unit would pass for weather.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import httpx
import numpy as np
import orjson
from numpy.typing import NDArray

from catalog.sources.data_origin import DataOrigin, origin_of
from catalog.sources.errors import NotYetAvailable, Origin
from catalog.sources.fetch import fetch
from catalog.sources.http import Deadline, make_client, without_credentials
from tiles.clock import parse_zoned

NAME = "frost"
ELEMENT = "mean(surface_downwelling_shortwave_flux_in_air PT1H)"
_HOUR = 3600
_MAX_BYTES = 64_000_000
_STATIONS_AT_ONCE = 60
_ROWS_AT_ONCE = 20_000  # 60 stations of two weeks: some megabytes; Frost answers at most 100,000
_WORST_QUALITY = 2
_LOWEST, _HIGHEST = -20.0, 1500.0
_NO_SERIES = 2**62
_UNITS = ("W/m2", "W/m^2", "W/m²")
_NO_DATA = (404, 410, 412)  # 412: no such time series
_ID = re.compile(r"SN(\d{1,9})(?::\d+)?", re.ASCII)
_OFFSET = re.compile(r"(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?", re.ASCII)


@dataclass(frozen=True)
class Station:
    """A station: the number in its Frost id (18700 of SN18700), name, position (degrees) and height (m, or None)."""

    number: int
    name: str
    lat: float
    lon: float
    altitude: float | None


@dataclass(frozen=True)
class StationList:
    """The stations that measure global radiation, by number, and whether a simulator says so."""

    stations: tuple[Station, ...]
    data_origin: DataOrigin


@dataclass(frozen=True)
class Observations:
    """Hour means of global radiation at stations.

    Parameters
    ----------
    hours : int64 (n_hours,)
        Start of each hour, unix seconds, complete.
    stations : int64 (n_stations,)
        Numbers, as asked for.
    ghi : float32 (n_hours, n_stations)
        W/m2, NaN where there is none.
    dropped : mapping of str to int
        How many values were left out, by reason.
    data_origin : {"live", "simulated"}
    """

    hours: NDArray[np.int64]
    stations: NDArray[np.int64]
    ghi: NDArray[np.float32]
    dropped: Mapping[str, int]
    data_origin: DataOrigin


def stations(url: str, *, user_agent: str, deadline_s: float) -> StationList:
    """Return the stations in Norway that measure hourly global radiation.

    Parameters
    ----------
    url : str
        Base address; the client id is its user.
    user_agent : str
    deadline_s : float
        For all of it, s.

    Raises
    ------
    SourceError
        The list cannot be had or is malformed; `NotYetAvailable` where there is none.
    """
    address = f"{url.rstrip('/')}/sources/v0.jsonld"
    origin = Origin(NAME, without_credentials(address))
    params = {"types": "SensorSystem", "country": "NO", "elements": ELEMENT}
    with make_client(user_agent) as client:
        body = fetch(NAME, address, client, Deadline(deadline_s), max_bytes=_MAX_BYTES, params=params).body
    document = _document(origin, body)
    return StationList(read_stations(origin, document["data"]), origin_of(document.get("data_origin")))


def read_stations(origin: Origin, rows: Sequence[Any]) -> tuple[Station, ...]:
    """Return the stations of a `/sources` answer by number; those without position or SN number are left out.

    Raises
    ------
    SourceError
        A row is malformed.
    """
    found: dict[int, Station] = {}
    for row in rows:
        try:
            number, geometry = _ID.fullmatch(row["id"]), row.get("geometry")
            if number is None or geometry is None or row.get("validTo") is not None:
                continue
            lon, lat = (float(degrees) for degrees in geometry["coordinates"])  # GeoJSON: longitude first
            height = row.get("masl")
            name, altitude = str(row["name"]), None if height is None else float(height)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise origin.error(f"holds a station that is not understood ({error!r})") from error
        if not (-90 <= lat <= 90 and -180 <= lon <= 180 and math.isfinite(altitude or 0.0)):
            raise origin.error(f"holds a station that lies nowhere: {row['id']} at {lat} N {lon} E, {altitude} m")
        found[int(number[1])] = Station(int(number[1]), name, lat, lon, altitude)
    return tuple(found[number] for number in sorted(found))


def observations(
    url: str, numbers: Sequence[int], start: datetime, end: datetime, *, user_agent: str, deadline_s: float
) -> Observations:
    """Return hour means of global radiation of stations from `start` to `end`.

    Parameters
    ----------
    url : str
        Base address; the client id is its user.
    numbers : sequence of int
        Of stations.
    start, end : datetime
        Whole hours, aware; hours that start in [start, end).
    user_agent : str
    deadline_s : float
        For all of it, s.

    Raises
    ------
    SourceError
        They cannot be had or are malformed. No data at all is no error: everything is NaN then.
    """
    hours = np.arange(int(start.timestamp()), int(end.timestamp()), _HOUR, dtype=np.int64)
    wanted = np.array(numbers, dtype=np.int64)
    table = _Table(hours, wanted)
    deadline = Deadline(deadline_s)
    with make_client(user_agent) as client:
        for first in range(0, wanted.size, _STATIONS_AT_ONCE):
            part = wanted[first : first + _STATIONS_AT_ONCE]
            ids, span = ",".join(f"SN{number}" for number in part), timedelta(hours=_ROWS_AT_ONCE // part.size)
            since = start
            while since < end:
                until = min(since + span, end)
                for document in _pages(url, ids, since, until, client, deadline):
                    table.take(Origin(NAME, without_credentials(url)), document)
                since = until
    return Observations(hours, wanted, table.ghi, dict(table.dropped), table.data_origin)


def _pages(
    url: str, ids: str, start: datetime, end: datetime, client: httpx.Client, deadline: Deadline
) -> Iterator[dict[str, Any]]:
    """Yield the answers for a span; where Frost holds back rows, those of its two halves."""
    address = f"{url.rstrip('/')}/observations/v0.jsonld"
    origin = Origin(NAME, without_credentials(address))
    # stamps are the ends of the hours, and Frost leaves the end of the interval out
    span = "/".join(f"{moment + timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}" for moment in (start, end))
    params = {"sources": ids, "referencetime": span, "elements": ELEMENT, "timeresolutions": "PT1H"}
    try:
        answer = fetch(NAME, address, client, deadline, max_bytes=_MAX_BYTES, params=params, absent=_NO_DATA)
    except NotYetAvailable:
        return
    document = _document(origin, answer.body)
    held, there = document.get("currentItemCount"), document.get("totalItemCount")
    if not isinstance(held, int) or not isinstance(there, int) or held == there:
        yield document
        return
    middle = start + timedelta(hours=(end - start) // timedelta(hours=2))
    if middle == start:
        raise origin.error(f"answers {held} of {there} rows even for one hour")
    yield from _pages(url, ids, start, middle, client, deadline)
    yield from _pages(url, ids, middle, end, client, deadline)


class _Table:
    """Fills hours by stations from answers, the best of duplicates first."""

    def __init__(self, hours: NDArray[np.int64], numbers: NDArray[np.int64]) -> None:
        self.ghi = np.full((hours.size, numbers.size), np.nan, np.float32)
        self.dropped: Counter[str] = Counter()
        self.data_origin: DataOrigin = "live"
        self._series = np.full(self.ghi.shape, _NO_SERIES)
        self._first, self._count = int(hours[0]) if hours.size else 0, hours.size
        self._column = {int(number): column for column, number in enumerate(numbers)}

    def take(self, origin: Origin, document: dict[str, Any]) -> None:
        """Read the rows of one answer."""
        self.data_origin = origin_of(self.data_origin, document.get("data_origin"))
        for row in document["data"]:
            try:
                number, stamp = _ID.fullmatch(row["sourceId"]), parse_zoned(row["referenceTime"])
                values = [value for value in row["observations"] if value["elementId"] == ELEMENT]
                read = [
                    (int(stamp.timestamp()) + _seconds(value["timeOffset"]), *_number(origin, value))
                    for value in values
                ]
            except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
                raise origin.error(f"holds an observation that is not understood ({error!r})") from error
            for end, ghi, quality, series in read:
                self._put(None if number is None else self._column.get(int(number[1])), end, ghi, quality, series)

    def _put(self, column: int | None, end: int, ghi: float, quality: int, series: int) -> None:
        hour, beside = divmod(end - _HOUR - self._first, _HOUR)
        if column is None or not 0 <= hour < self._count:
            self.dropped["not asked for"] += 1
        elif beside:
            self.dropped["no whole hour"] += 1
        elif quality > _WORST_QUALITY:
            self.dropped["poor quality"] += 1
        elif not _LOWEST <= ghi <= _HIGHEST:  # NaN compares false
            self.dropped["beyond what can be"] += 1
        else:
            if self._series[hour, column] != _NO_SERIES:
                self.dropped["duplicate"] += 1
            if series < self._series[hour, column]:
                self._series[hour, column] = series
                self.ghi[hour, column] = max(ghi, 0.0)


def _number(origin: Origin, value: dict[str, Any]) -> tuple[float, int, int]:
    """Return value (W/m2, NaN where absent), quality code and number of the series."""
    if value.get("unit") not in _UNITS:
        raise origin.error(f"has {ELEMENT} in units that are not understood: {value.get('unit')!r}")
    number = value.get("value")
    ghi = float(number) if isinstance(number, int | float) and not isinstance(number, bool) else math.nan
    series = min(max(int(value.get("timeSeriesId", 0)), 0), _NO_SERIES - 1)
    return ghi, int(value.get("qualityCode", 0)), series


def _document(origin: Origin, body: bytes | None) -> dict[str, Any]:
    try:
        document = orjson.loads(body or b"")
    except ValueError as error:
        raise origin.error("did not answer JSON") from error
    if not isinstance(document, dict) or not isinstance(document.get("data"), list):
        raise origin.error("answered JSON without a list 'data'")
    return document


def _seconds(text: str) -> int:
    """Return the seconds of an ISO 8601 period such as PT0H or PT30M."""
    match = _OFFSET.fullmatch(text)
    if match is None:
        raise ValueError(f"{text} is no period")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups()[1:])
    return (-1 if match[1] else 1) * (86400 * days + 3600 * hours + 60 * minutes + seconds)
