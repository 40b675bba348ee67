"""What an answer of the authority says, checked against what was asked: a table of days by cells, or one sentence.

How sure we are. Public clients agree on the fields of both answers, on dates such as `05.10.2026 06:00:00`, on 65535
and 255 (fsw) for missing, on `PrognoseStartDate` being empty or null at times, on CellTimeSeries being no list where
there is one cell, and on CellIndex = row from the north x 1195 + column. Dates without seconds and at 00:00 were seen
as well, and mean the same day. Whether X and Y come back as asked or as the cell's centre is not known: either will do,
for both lie in the cell. `Data` has no dates: it begins at StartDate and has a value a day, which is why StartDate must
be what was asked for. A null in it was never seen, and is taken as missing.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from catalog.sources.data_origin import DataOrigin, origin_of
from catalog.sources.errors import Origin
from catalog.sources.nve_gts.model import Point, centre_of, day_of_stamp, point_of_index
from catalog.sources.nve_gts.refusals import refused
from catalog.sources.nve_gts.themes import Theme

_RESOLUTION_MIN = 1440
_LOWEST, _HIGHEST = -500.0, 3000.0
_DATE = re.compile(r"(\d{2})\.(\d{2})\.(\d{4})(?: (?:06|00):00(?::00)?)?", re.ASCII)


@dataclass(frozen=True)
class Answered:
    """One theme of some cells.

    Parameters
    ----------
    points : tuple of (easting, northing)
        Those that were answered, in the order asked for.
    altitude : float64 (n,)
    values : float64 (n_days, n)
        In our units, NaN where missing.
    forecast_from : set of int
        The first day that is forecast, days since 1970-01-01; empty where the authority does not say.
    data_origin : {"live", "simulated"}
    """

    points: tuple[Point, ...]
    altitude: NDArray[np.float64]
    values: NDArray[np.float64]
    forecast_from: set[int]
    data_origin: DataOrigin


def read(body: bytes, origin: Origin, theme: Theme, points: Sequence[Point], start: date, n_days: int) -> Answered:
    """Return what an answer says of the cells asked for.

    Parameters
    ----------
    body : bytes
    origin : Origin
    theme : Theme
    points : sequence of (easting, northing)
    start : date
        The first stamp that was asked for.
    n_days : int

    Raises
    ------
    NoCell, TooLarge
        It says so.
    SourceError
        It is no answer to this question; one sentence says why.
    """
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise origin.error("answered no JSON") from error
    if not isinstance(answer, dict):
        raise origin.error("answered something else than an object of JSON")
    if words := refused(origin, answer):
        raise origin.error(f"answered an error: {words}")
    try:
        _check_head(origin, theme, answer, start)
        rows, values = _table(origin, theme, answer, points, n_days)
        altitude = np.array([_altitude(origin, row["Altitude"]) for row in rows.values()], dtype=np.float64)
        forecast = str(answer.get("PrognoseStartDate") or "").strip()
        forecast_from = {day_of_stamp(_date(forecast))} if forecast else set()
        values = theme.ours(origin, values, str(answer["Unit"]))
        return Answered(tuple(rows), altitude, values, forecast_from, origin_of(answer.get("data_origin")))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise origin.error(f"answered something else than daily values of {theme.name}: {error!r:.100}") from error


def have_data(parts: Iterable[Answered]) -> dict[Point, bool]:
    """Return the cells of answers of one day, each with whether it has a value."""
    told = ((answered.points, ~np.isnan(answered.values[0])) for answered in parts)
    return {point: bool(has) for points, known in told for point, has in zip(points, known, strict=True)}


def _check_head(origin: Origin, theme: Theme, told: Mapping[str, Any], start: date) -> None:
    """Refuse an answer of another theme, of other steps than days, or from another stamp on."""
    if str(told["Theme"]).strip().lower() != theme.name:
        raise origin.error(f"answered theme {told['Theme']!r:.40} where {theme.name} was asked for")
    if float(told["TimeResolution"]) != _RESOLUTION_MIN:
        raise origin.error(f"answered values every {told['TimeResolution']!r:.40} minutes, not every day")
    began = _date(told["StartDate"])
    if began != start:
        raise origin.error(f"answered from {began:%Y-%m-%d} on where {start:%Y-%m-%d} was asked for")


def _date(text: Any) -> date:
    """Return the date of a stamp such as `05.10.2026 06:00:00`."""
    match = _DATE.fullmatch(str(text).strip())
    if match is None:
        raise ValueError(f"{text!r:.40} is no date at 06:00")
    return date(int(match[3]), int(match[2]), int(match[1]))


def _known(data: Any, no_data: float) -> NDArray[np.float64]:
    """Return numbers as they stand, NaN where the answer's own value for missing stands, or null."""
    if not isinstance(data, list) or not set(map(type, data)) <= {int, float, type(None)}:
        raise TypeError("Data is no list of numbers")
    values = np.array(data, dtype=np.float64)
    values[values == no_data] = np.nan
    return values


def _table(
    origin: Origin, theme: Theme, told: Mapping[str, Any], points: Sequence[Point], n_days: int
) -> tuple[dict[Point, Mapping[str, Any]], NDArray[np.float64]]:
    """Return the cells of an answer in the order asked for, and their values (n_days, n) as they stand."""
    series, no_data = told["CellTimeSeries"], float(told["NoDataValue"])
    found: dict[Point | None, Mapping[str, Any]] = {}
    for row in [series] if isinstance(series, dict) else series:  # of one cell there is no list
        point = centre_of(float(row["X"]), float(row["Y"]))
        if point in found:
            raise origin.error("answered twice for one cell")
        other = point if row.get("CellIndex") is None else point_of_index(int(row["CellIndex"]))
        if other != point and {other, point} <= set(points):
            raise origin.error("says two different places of one cell")
        found[point] = row
    if found.keys() - set(points):
        raise origin.error("answered for a cell that was not asked for")
    rows = {point: found[point] for point in points if point in found}
    values, longest = np.full((n_days, len(rows)), np.nan), 0
    for column, row in enumerate(rows.values()):
        data = _known(row["Data"], no_data)
        if data.size > n_days:
            raise origin.error(f"answered {data.size} values of {theme.name} for {n_days} days")
        values[: data.size, column] = data
        longest = max(longest, data.size)
    if rows and not longest:
        raise origin.error(f"answered without a single value of {theme.name}")
    return rows, values


def _altitude(origin: Origin, told: Any) -> float:
    altitude = float(told)
    if not _LOWEST <= altitude <= _HIGHEST:
        raise origin.error(f"gives a cell a height of {altitude:g} m")
    return altitude
