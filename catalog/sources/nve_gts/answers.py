"""What an answer of the authority says, checked against what was asked: a table of days by cells, or one sentence.

How sure we are. Public clients agree on the fields of both answers, on dates such as `05.10.2026 06:00:00`, on 65535
and 255 (fsw) for missing, on `PrognoseStartDate` being empty or null at times, on CellTimeSeries being no list where
there is one cell, and on CellIndex = row from the north x 1195 + column. Dates without seconds and at 00:00 were seen
as well, and mean the same day. Whether X and Y come back as asked or as the cell's centre is not known: either will
do, for both lie in the cell. `Data` has no dates: it begins at StartDate and has a value a day, which is why StartDate
must be what was asked for. A null in it was never seen, and is taken as missing.
"""

import math
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
from catalog.sources.nve_gts.model import (
    CELL,
    COLUMNS,
    ROWS,
    SOUTH,
    WEST,
    Point,
    centre_of,
    day_of_stamp,
)
from catalog.sources.nve_gts.refusals import refuse_told
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
    forecast_from : int or None
        The first day that is forecast, days since 1970-01-01; None where the authority does not say.
    data_origin : {"live", "simulated"}
    """

    points: tuple[Point, ...]
    altitude: NDArray[np.float64]
    values: NDArray[np.float64]
    forecast_from: int | None
    data_origin: DataOrigin


@dataclass(frozen=True)
class _Head:
    """What an answer says of all its values."""

    no_data: float
    unit: str
    forecast_from: int | None
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
    refuse_told(origin, answer)
    try:
        head = _head(origin, theme, answer, start)
        rows = answer["CellTimeSeries"]
        rows = [rows] if isinstance(rows, dict) else rows  # of one cell there is no list
        return _table(origin, theme, head, points, _by_point(origin, rows, points), n_days)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise origin.error(f"answered something else than daily values of {theme.name}: {error!r:.100}") from error


def have_data(parts: Iterable[Answered]) -> dict[Point, bool]:
    """Return the cells of answers of one day, each with whether it has a value."""
    told = ((answered.points, ~np.isnan(answered.values[0])) for answered in parts)
    return {point: bool(has) for points, known in told for point, has in zip(points, known, strict=True)}


def _head(origin: Origin, theme: Theme, told: Mapping[str, Any], start: date) -> _Head:
    """Return what an answer says of its values, which are of this theme, daily, and from the stamp asked for."""
    if str(told["Theme"]).strip().lower() != theme.name:
        raise origin.error(f"answered theme {told['Theme']!r:.40} where {theme.name} was asked for")
    if float(told["TimeResolution"]) != _RESOLUTION_MIN:
        raise origin.error(f"answered values every {told['TimeResolution']!r:.40} minutes, not every day")
    began = _date(told["StartDate"])
    if began != start:
        raise origin.error(f"answered from {began:%Y-%m-%d} on where {start:%Y-%m-%d} was asked for")
    forecast = told.get("PrognoseStartDate")
    return _Head(
        no_data=float(told["NoDataValue"]),
        unit=str(told["Unit"]),
        forecast_from=day_of_stamp(_date(forecast)) if forecast and str(forecast).strip() else None,
        data_origin=origin_of(told.get("data_origin")),
    )


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
    origin: Origin, theme: Theme, head: _Head, points: Sequence[Point], rows: Mapping[Point, Any], n_days: int
) -> Answered:
    there = tuple(point for point in points if point in rows)
    values, answered = np.full((n_days, len(there)), np.nan), False
    for column, point in enumerate(there):
        data = _known(rows[point]["Data"], head.no_data)
        if data.size > n_days:
            raise origin.error(f"answered {data.size} values of {theme.name} for {n_days} days")
        values[: data.size, column] = data
        answered |= data.size > 0
    if there and not answered:
        raise origin.error(f"answered without a single value of {theme.name}")
    altitude = np.array([_altitude(origin, rows[point]["Altitude"]) for point in there], dtype=np.float64)
    return Answered(there, altitude, theme.ours(origin, values, head.unit), head.forecast_from, head.data_origin)


def _altitude(origin: Origin, told: Any) -> float:
    altitude = float(told)
    if not _LOWEST <= altitude <= _HIGHEST:
        raise origin.error(f"gives a cell a height of {altitude:g} m")
    return altitude


def _by_point(origin: Origin, rows: Any, points: Sequence[Point]) -> dict[Point, Any]:
    if not isinstance(rows, list):
        raise TypeError("CellTimeSeries is no list")
    asked, found = set(points), {}
    for row in rows:
        by_index, placed = _indexed(row.get("CellIndex")), _placed(row)
        point = by_index if by_index in asked else placed
        if point not in asked or (placed in asked and placed != point):
            raise origin.error("answered for a cell that was not asked for, or says two different places of one")
        if point in found:
            raise origin.error("answered twice for one cell")
        found[point] = row
    return found


def _placed(row: Mapping[str, Any]) -> Point | None:
    x, y = row.get("X"), row.get("Y")
    if x is None or y is None or not (math.isfinite(float(x)) and math.isfinite(float(y))):
        return None
    return centre_of(float(x), float(y))


def _indexed(index: Any) -> Point | None:
    if index is None:
        return None
    from_north, column = divmod(int(index), COLUMNS)
    return centre_of(WEST + column * CELL, SOUTH + (ROWS - 1 - from_north) * CELL)
