"""The snow authority's protocol: the series of one cell (GET) and of many (POST), a theme at a time.

A value stamped D 06:00 is of the day that ends then: new snow and mean temperature from 06 UTC of D-1, depth and water
equivalent at 06 UTC of D. All stamps to the clock's date are observed, the nine after it forecast.
"""

import asyncio
import json
import math
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

import orjson
from aiohttp import web

from infra.simulator.keys import CLOCK
from infra.simulator.misbehave import Rule
from infra.simulator.small import with_faults

ROUTE = "/nve_gts/api/GridTimeSeries/{x}/{y}/{start}/{end}/{theme}.json"
MANY_ROUTE = "/nve_gts/api/MultiPointTimeSeries/ByMapCoordinateCsv"
FIRST_DAY = date(1957, 9, 1)
AHEAD_DAYS = 9
MOST_VALUES = 500_000
_SHORT_DAYS = 30
_EPOCH = date(1970, 1, 1).toordinal()
_TOO_LONG = (
    "Error during serialization or deserialization using the JSON JavaScriptSerializer. The length of the string "
    "exceeds the value set on the maxJsonLength property."
)


class _Theme(NamedTuple):
    """What the authority says of a theme, in its own words and spelling, and the field of `pack.Snow` that it is of."""

    full_name: str
    unit: str
    no_data: int
    field: str
    scale: float = 1.0  # from the field's unit
    decimals: int = 0


THEMES = {
    "swe": _Theme("Snømengde v2.0.1", "mm", 65535, "swe"),
    "sd": _Theme("Snødybde v2.0.1", "cm", 65535, "snow_depth", scale=0.1),
    "fsw": _Theme("Nysnø siste døgn v2.0.1", "mm", 255, "new_snow"),
    # 100 kg/m3: a millimetre of water is a centimetre of new snow
    "sdfsw": _Theme("Nysnødybde siste døgn v2.0.1", "cm", 65535, "new_snow"),
    "tm": _Theme("Døgntemperatur v2.0", "Celcius", 65535, "temp_air", decimals=1),
}
# The unit that the authority might change its mind to, and how many of it are in one.
_OTHER_UNIT = {"mm": ("cm", 0.1), "cm": ("mm", 10.0)}


class _Asked(NamedTuple):
    theme: str
    start: date  # stamps
    end: date
    points: Sequence[tuple[float, float]]  # easting and northing, m in UTM 33


class _Refused(web.HTTPException):
    """What the authority answers with `{"Error": ...}`."""

    def __init__(self, status: int, text: str):
        self.status_code = status
        super().__init__(text=json.dumps({"Error": text}), content_type="application/json")


@with_faults
async def serve_cell(request: web.Request, rule: Rule | None) -> web.Response:
    """Answer the series of one cell."""
    return await _answered(request, rule, request.match_info, None)


@with_faults
async def serve_cells(request: web.Request, rule: Rule | None) -> web.Response:
    """Answer the series of many cells."""
    try:
        body = orjson.loads(await request.read())
    except orjson.JSONDecodeError:
        body = None
    body = body if isinstance(body, dict) else {}
    named = {"theme": body.get("Theme"), "start": body.get("StartDate"), "end": body.get("EndDate")}
    return await _answered(request, rule, named, str(body.get("MapCoordinateCsv", "")))


async def _answered(
    request: web.Request, rule: Rule | None, named: Mapping[str, Any], points: str | None
) -> web.Response:
    today = request.app[CLOCK].now().date()
    asked = _parse(named, points)
    if rule is not None and rule.mode == "error_body":
        raise _Refused(rule.status, f"Tema: {asked.theme}. An error, as requested")
    last = today + timedelta(days=AHEAD_DAYS)
    if not asked.start <= asked.end <= last:
        raise _Refused(400, f"Tema: {asked.theme}. Expected a start, and an end after it and not after {last}")
    if ((asked.end - asked.start).days + 1) * len(asked.points) > MOST_VALUES:
        raise _Refused(500, _TOO_LONG)
    body = await asyncio.to_thread(_told, asked, today, rule, many=points is not None)
    return web.Response(body=body, content_type="application/json")


def _parse(named: Mapping[str, Any], csv: str | None) -> _Asked:
    try:
        pairs = [f"{named['x']} {named['y']}"] if csv is None else csv.split(",")
        points = [(float(x), float(y)) for x, y in (pair.split() for pair in pairs)]
        start, end = (date.fromisoformat(str(named[key])[:10]) for key in ("start", "end"))
    except ValueError as error:
        raise _Refused(400, f"Expected dates as 2026-11-23 and points in UTM 33: {error}") from error
    if named["theme"] not in THEMES:
        raise _Refused(400, f"Tema: {named['theme']}. The simulator has {', '.join(THEMES)}")
    if not points or not all(math.isfinite(number) for point in points for number in point):
        raise _Refused(400, "Expected at least one point in UTM 33")
    return _Asked(named["theme"], start, end, points)


def _told(asked: _Asked, today: date, rule: Rule | None, *, many: bool) -> bytes:
    """Return an answer as JSON."""
    import numpy as np  # only here: the server starts without it

    from infra.simulator.snow.cells import cell_at, where
    from infra.simulator.snow.pack import snow_of_days

    x, y = np.array(asked.points).T
    cells = cell_at(x, y)
    for (east, north), cell in zip(asked.points, cells.tolist(), strict=True):
        if cell < 0:
            said = f"Tema: {asked.theme}. No cell exists for coordinates X: {east:.0f} Y: {north:.0f}"
            raise _Refused(500 if many else 400, said)
    theme, mode = THEMES[asked.theme], "" if rule is None else rule.mode
    unit, factor = _OTHER_UNIT.get(theme.unit, (theme.unit, 1.0)) if mode == "centimetres" else (theme.unit, 1.0)
    # a stamp is the end of its day
    first, last = (day.toordinal() - _EPOCH - 1 for day in (asked.start, asked.end))
    begins = max(first, FIRST_DAY.toordinal() - _EPOCH)
    data = np.full((len(cells), last - first + 1), float(theme.no_data))
    if begins <= last and mode != "missing":
        made = getattr(snow_of_days(cells, begins, last, today.toordinal() - _EPOCH), theme.field)
        values = np.minimum(np.round(made.astype(np.float64) * theme.scale, theme.decimals), theme.no_data - 1)
        data[:, begins - first :] = np.round(values * factor, 1).T
    if mode == "short":
        data = data[:, : max(0, data.shape[1] - _SHORT_DAYS)]
    data = np.ascontiguousarray(data if theme.decimals or factor < 1 else data.astype(np.int64))
    each = zip(asked.points, where(cells).altitude.tolist(), cells.tolist(), data, strict=True)
    series = [
        {"X": round(east), "Y": round(north), "Altitude": round(altitude), "CellIndex": cell, "Data": values}
        for (east, north), altitude, cell, values in each
    ]
    forecast = today + timedelta(days=1)
    heading = {
        "Theme": asked.theme,
        "FullName": f"{theme.full_name} (SIMULATED)",
        "NoDataValue": theme.no_data,
        "StartDate": _stamp(asked.start),
        "EndDate": _stamp(asked.end),
        "PrognoseStartDate": _stamp(forecast) if asked.end >= forecast else None,
        "Unit": unit,
        "TimeResolution": 1440,
        "data_origin": "simulated",
    }
    if not many:
        del series[0]["CellIndex"]
    answered = {**heading, "CellTimeSeries": series} if many else {**heading, **series[0]}
    return orjson.dumps(answered, option=orjson.OPT_SERIALIZE_NUMPY)


def _stamp(day: date) -> str:
    return f"{day:%d.%m.%Y} 06:00:00"
