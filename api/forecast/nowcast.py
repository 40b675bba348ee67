"""`/api/forecast/nowcast`: four hours of the tile that satellite images were made into, or of the forecast."""

import logging
from functools import partial
from typing import Any

import numpy as np
from aiohttp import web
from numpy.typing import NDArray

from api.core.pipeline import Pipeline, Selection, at_hand, origin_of
from api.core.response import json_parts, respond, with_warnings
from api.core.tables import TABLE_FORMATS, Table
from api.data.published import Serving
from api.forecast import problems
from api.forecast.current import V23B
from api.forecast.place import locate
from api.forecast.requests import SeriesQuery
from api.forecast.rows import as_rows, stamps
from api.forecast.series import HOUR_S, headers_of
from api.forecast.surroundings import Sources
from tiles.clock import floor_hour, iso
from tiles.errors import TileCorrupt
from tiles.grid import FORECAST, Cell
from tiles.hydrated import HydratedTile

log = logging.getLogger("solflis.api")

CACHE_CONTROL = "public, max-age=120"
N_HOURS = 4
_RETRY_S = 120
TIME_CONVENTION = "time: start of the hour, UTC; ghi_wm2, clearsky_wm2: mean over [time, time + 1 h)"
_WEIGHT = "satellite"
# Variable of the product -> column, and the digits that answers have.
_VARIABLES = {"ghi": ("ghi_wm2", 1), "kt": ("kt", 3), "clearsky": ("clearsky_wm2", 1), _WEIGHT: (_WEIGHT, 4)}
Columns = dict[str, NDArray[Any]]


def _seen(serving: Serving, cell: Cell, row: int) -> Columns | None:
    """Return four hours from a row on, (n,) each, or None where the satellite says nothing of the point.

    What is damaged says nothing either, and is logged.
    """
    tile: HydratedTile = serving.prepared
    columns: Columns = {}
    for name, (column, digits) in _VARIABLES.items():
        try:
            values = tile.values(name, cell)[row : row + N_HOURS]
        except (OSError, TileCorrupt) as error:
            log.error("damaged cell %s of nowcast %s: %s", cell, serving.entry.path, error)
            return None
        if np.isnan(values).any():
            return None
        columns[column] = values.round(digits)
    return columns if columns.pop(_WEIGHT).any() else None


class NowcastService:
    """Answers from the newest nowcast and the newest forecast."""

    def __init__(self, sources: Sources) -> None:
        self._forecasts, self._sites, self._gate = sources.forecasts, sources.sites, sources.machinery.gate
        self._nowcast = sources.published.follow("nowcast", "ghi")
        self._tables = Pipeline(sources.machinery, TABLE_FORMATS, {"Cache-Control": CACHE_CONTROL})

    async def get(self, request: web.BaseRequest, query: SeriesQuery) -> web.StreamResponse:
        """The next four hours, from satellite images.

        The cloud that the satellite saw last, carried along its motion, and blended into the forecast v2.3b the more
        the farther ahead: the satellite weighs 1 at the image's moment and 0 four hours later. An image comes every 15
        minutes. Where none is young enough, or it does not cover the point (north of about 67 to 69 degrees, low sun,
        night, missing pixels), `source` is `v23b_fallback`, and `fallback_reason` says why.
        """
        place = locate(query, self._sites)
        cell: Cell = FORECAST.cell_at(place.lat, place.lon)
        now = self._forecasts.clock.now()
        start = floor_hour(now)
        series = self._forecasts.of(V23B, now)
        row = series.row_at(start)
        packed = () if row is None else series.packed(cell, row)
        if len(packed) < N_HOURS:
            raise problems.NO_CELL(retry_after_s=_RETRY_S)
        model = series.ghi(packed[:N_HOURS])
        young = self._nowcast.current("ghi", now)
        begin = None if young is None else young.prepared.row_at(start)
        if young is None or begin is None or begin + N_HOURS > young.prepared.n_times:
            young, seen = None, None
        else:
            seen = _seen(young, cell, begin)
        origin = origin_of(series.origin, "live" if young is None else young.entry.data_origin)
        reason = "no_recent_image" if young is None else "point_not_covered"
        said: dict[str, Any] = {
            "latitude": place.lat,
            "longitude": place.lon,
            "grid_index": {"i_lat": cell[0], "i_lon": cell[1]},
            "source": "v23b_fallback" if seen is None else "v7_satellite_nowcast",
            "fallback_reason": reason if seen is None else None,
            "satellite_time": young and iso(young.entry.issued_at),
            "sat_covered": young and seen is not None,
            "cycle_time": series.cycle_time,
            "time_convention": TIME_CONVENTION,
            "data_origin": origin,
        }
        head = {name: value for name, value in said.items() if value is not None}
        times = int(start.timestamp()) + HOUR_S * np.arange(N_HOURS)
        columns = {"ghi_wm2": model, "v23b_ghi_wm2": model, **(seen or {})}
        if query.format != "json":
            table = partial(Table, {"time": times.astype("datetime64[s]"), **columns}, head)
            versions = series.name, young and young.entry.path
            name = f"nowcast_{place.lat}_{place.lon}_{now:%Y%m%dT%H%M}Z"
            points = ((place.lat, place.lon),)
            selection = Selection(versions, origin, partial(at_hand, table), (place, start), {}, name, points)
            return await self._tables.answer(request, query.format, selection)
        if young is not None:
            head["satellite_lag_min"] = round((now - young.entry.issued_at).total_seconds() / 60, 1)
        lists = {"time": stamps(times), **{name: values.tolist() for name, values in columns.items()}}
        head["hours"] = lists if query.layout == "columns" else as_rows(lists)
        await self._gate.charge(request, ((place.lat, place.lon),))
        return respond(request, headers_of(origin, CACHE_CONTROL), with_warnings(request, json_parts(head, {})))
