"""The body of the ten-day outlook. It loads the kernels: see `api/engines.py`."""

from typing import Any

import numpy as np

from api import texts
from api.errors import BadGateway
from api.snow import told
from api.snow.answer import shown
from api.snow.choice import Chosen
from api.snow.current import date_of
from api.snow.query import OutlookQuery
from api.snow.series import Series
from kernels.snow.cover import Cover
from tiles.clock import iso
from tiles.grid import NORWAY3KM

_STRINGS = 3


def body(
    asked: OutlookQuery, ignored: tuple[str, ...], chosen: Chosen, cover: Cover, today: int, *, stale: bool
) -> dict[str, Any]:
    """Return the answer as JSON is made of it.

    Parameters
    ----------
    asked : OutlookQuery
    ignored : tuple of str
        Parameters that there are none of.
    chosen : Chosen
    cover : Cover
        Of all days of the season.
    today : int
        The day that runs, days since 1970-01-01.
    stale : bool
        Whether the data are older than they should be.

    Raises
    ------
    BadGateway
        The authority knows nothing of the days that would be listed.
    """
    series = chosen.series
    if int(series.days[-1]) < today:
        raise BadGateway(texts.SNOW_FORECAST_NOTHING)
    listed = _listed(series, today, asked.days)
    if cover.missing[listed].all():
        raise BadGateway(texts.SNOW_FORECAST_NOTHING)
    days = [_day(series, cover, int(i)) for i in range(listed.start, listed.stop)]
    ahead = series.days >= max(today, series.observed_until + 1)
    lat, lon = NORWAY3KM.centre(chosen.found.place.cell)
    simulated = [told.SIMULATED] if chosen.origin != "live" else []
    return {
        "cell_id": chosen.found.place.cell_id,
        "lat": round(lat, 5),
        "lon": round(lon, 5),
        "elevation_m": shown(series.altitude, 1),
        "query": {
            "lat": asked.lat,
            "lon": asked.lon,
            "cell_distance_km": round(chosen.found.place.distance_km, 3),
        },
        "system": asked.system(),
        "issued_utc": iso(series.issued),
        "snow_year_start": str(date_of(series.days[0])),
        "spinup_days": listed.start,
        "forecast_days_available": int((ahead & ~cover.missing).sum()),
        "days": days,
        "summary": _summary(days, str(date_of(today))),
        "method": {
            "model": told.model(asked.mounting, asked.lossmode, _STRINGS, asked.burial_mm),
            "data": f"{told.data(series)}; {told.light(chosen)}",
            "horizon": told.horizon(chosen),
            "caveat": told.CAVEAT,
        },
        "warnings": [
            *told.warnings(chosen, ignored, asked.angle),
            *_gaps(series, cover, listed),
            *_age(series, stale=stale),
            *simulated,
        ],
    }


def _listed(series: Series, today: int, count: int) -> slice:
    """Return which days are listed: from today on, and where fewer lie ahead, earlier ones before them."""
    start = min(today, int(series.days[-1]) - count + 1) - int(series.days[0])
    return slice(max(start, 0), min(max(start, 0) + count, series.days.size))


def _day(series: Series, cover: Cover, i: int) -> dict[str, Any]:
    coverage, loss = (round(float(part), 3) for part in (cover.coverage[i], cover.loss[i]))
    return {
        "date": str(date_of(series.days[i])),
        "is_forecast": int(series.days[i]) > series.observed_until,
        "coverage": coverage,
        "loss_pct": round(100 * loss, 1) + 0.0,
        "snow_depth_mm": _value(series, "snow_depth", i),
        "new_snow_mm": _value(series, "new_snow", i),
        "temp_c": _value(series, "temp_air", i),
        "data_missing": bool(cover.missing[i]),
    }


def _value(series: Series, name: str, i: int) -> float | None:
    return shown(np.float64(series.values[name][i]), 1)


def _gaps(series: Series, cover: Cover, listed: slice) -> list[str]:
    """Say that the modules were taken to be bare on days of which nothing is known."""
    missing = int(cover.missing[: listed.start].sum())
    before = f"{missing} of the {listed.start} days of the season before {date_of(series.days[listed.start])}"
    return [f"{before} are missing: what lies on the modules may be more."] if missing else []


def _age(series: Series, *, stale: bool) -> list[str]:
    observed = date_of(series.observed_until)
    return [f"Newer snow data are missing: what is said of days after {observed} is an old forecast."] if stale else []


def _summary(days: list[dict[str, Any]], today: str) -> dict[str, Any]:
    from_today = [day for day in days if day["date"] >= today]
    empty = (day["date"] for day in from_today if day["coverage"] == 0 and not day["data_missing"])
    return {
        "snow_on_panel_today": from_today[0]["coverage"] > 0,
        "days_with_snow": sum(day["coverage"] > 0 for day in days),
        "max_loss_pct": max(day["loss_pct"] for day in days),
        "clears_on": next(empty, None),
    }
