"""The bodies of both answers. It loads the kernels: see `api/core/engines.py`."""

from collections.abc import Iterator
from typing import Any

from api.core.errors import problem
from api.core.printing import rounded
from api.data.location import Location
from api.data.snow.series import Series, date_of
from api.snow.method import WARNINGS, data_of, model_of, texts_of, warnings, warnings_of_years
from api.snow.schemas import OutlookQuery, SoilingQuery
from kernels.pv.light import Light
from kernels.pv.mean_days import mean_days
from kernels.pv.site import Site
from kernels.snow.cover import Cover, cover
from kernels.snow.months import monthly_loss
from tiles.clock import iso

SOILING_DOCS, OUTLOOK_DOCS = "/docs#get_api_snowsoiling_calc", "/docs#get_api_snow_outlook"
NO_MONTH = problem("snow.NO_MONTH")
NO_DAYS = problem("snow.NO_DAYS")


def months(query: SoilingQuery, location: Location, series: Series, site: Site, light: Light) -> dict[str, Any]:
    """Return the answer as JSON is made of it.

    Raises
    ------
    ApiError
        `NO_MONTH`.
    """
    on_plane = mean_days(site, light, query.angle, query.azimuth)
    lon, first_year = location.lon, query.start
    loss = monthly_loss(series.days, series.weather, on_plane, query.panel, lon, first_year, query.soiling)
    n_years = loss.n_years.tolist()
    if not any(n_years):
        raise NO_MONTH(start=query.start)
    names = {"model": model_of(query, query.panel), "data": data_of(location, series), "docs": SOILING_DOCS}
    cell = {
        "id": location.found.place.cell_id,
        "distance_km": round(location.found.place.distance_km, 3),
        "altitude_m": rounded(series.altitude, 1),
        "snow_cell_offset_m": round(series.offset_m, 1),
    }
    return {
        "method": names | texts_of(query, "reference", "note"),
        "inputs": {"lat": query.lat, "lon": query.lon, "cell": cell, **query.inputs()},
        "monthly": [
            {
                "month": month + 1,
                "n_years": n_years[month],
                "snow_loss_pct_mean": rounded(loss.mean[month], 2),
                "snow_loss_pct_median": rounded(loss.median[month], 2),
                "snow_loss_pct_p10": rounded(loss.p10[month], 2),
                "snow_loss_pct_p90": rounded(loss.p90[month], 2),
                "loss_pct_incl_soiling": rounded(loss.incl_soiling[month], 2),
                "ns3031_style_pct": rounded(loss.ns3031[month], 0),
                "covered_days_mean": rounded(loss.covered_days[month], 2),
                "poa_month_kwh_m2": rounded(loss.poa[month], 3),
            }
            for month in range(12)
        ],
        "annual": {
            "loss_pct_incl_soiling": rounded(loss.annual.incl_soiling, 2),
            "lost_kwh_m2": rounded(loss.annual.lost_kwh_m2, 3),
            "poa_kwh_m2": rounded(loss.annual.poa, 3),
        },
        "warnings": warnings(query, location, series, warnings_of_years(query, series, n_years)),
    }


def days(
    query: OutlookQuery, location: Location, series: Series, site: Site, light: Light, today: int, stale: bool
) -> dict[str, Any]:
    """Return the answer as JSON is made of it.

    Parameters
    ----------
    query : OutlookQuery
    location : Location
    series : Series
        Of the season.
    site : Site
    light : Light
        Of the typical months as they were.
    today : int
        The day that runs, days since 1970-01-01.
    stale : bool
        Whether the data are older than they should be.

    Raises
    ------
    ApiError
        `NO_DAYS`.
    """
    panel = query.panel._replace(burial_mm=query.burial_mm)
    on_plane = mean_days(site, light, query.angle, query.azimuth)
    covered = cover(series.days, series.weather, on_plane, panel, location.lon)
    start = today - int(series.days[0])
    if covered.missing[start : start + query.days].all():  # of none, too
        raise NO_DAYS()
    listing = [_day(series, covered, site, i) for i in range(start, min(start + query.days, series.days.size))]
    ahead = series.days >= max(today, series.observed_until + 1)
    lat, lon = location.found.centre
    names = {"model": model_of(query, panel), "data": data_of(location, series), "docs": OUTLOOK_DOCS}
    return {
        "cell_id": location.found.place.cell_id,
        "lat": round(lat, 5),
        "lon": round(lon, 5),
        "elevation_m": rounded(series.altitude, 1),
        "query": {
            "lat": query.lat,
            "lon": query.lon,
            "cell_distance_km": round(location.found.place.distance_km, 3),
        },
        "system": query.system(),
        "issued_utc": iso(series.issued),
        "snow_year_start": str(date_of(series.days[0])),
        "spinup_days": start,
        "forecast_days_available": int((ahead & ~covered.missing).sum()),
        "days": listing,
        "summary": _summary(listing),
        "method": names | {"horizon": location.horizon_method} | texts_of(query, "caveat"),
        "warnings": warnings(query, location, series, _warnings_of_season(series, covered, start, stale=stale)),
    }


def _day(series: Series, covered: Cover, site: Site, i: int) -> dict[str, Any]:
    coverage, loss = (round(float(part), 3) for part in (covered.coverage[i], covered.loss[i]))
    day = date_of(series.days[i])
    return {
        "date": str(day),
        "is_forecast": int(series.days[i]) > series.observed_until,
        "coverage": coverage,
        "loss_pct": round(100 * loss, 1) + 0.0 if site.has_light(day.month, day.day) else None,
        "snow_depth_mm": rounded(series.weather.snow_depth[i], 1),
        "new_snow_mm": rounded(series.weather.new_snow[i], 1),
        "temp_c": rounded(series.weather.temp_air[i], 1),
        "data_missing": bool(covered.missing[i]),
    }


def _warnings_of_season(series: Series, covered: Cover, before: int, *, stale: bool) -> Iterator[str]:
    """Yield what must be known of the days before the listed ones, and of an old forecast."""
    if missing := int(covered.missing[:before].sum()):
        yield WARNINGS["missing"].format(n=missing, of=before, day=date_of(series.days[before]))
    if stale:
        observed = date_of(series.observed_until)
        yield f"Newer snow data are missing: what is said of days after {observed} is an old forecast."


def _summary(days: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the listed days in short; `clears_on` is null while a later day has snow."""
    is_empty = [day["coverage"] == 0 and not day["data_missing"] for day in days]
    first = is_empty.index(True) if True in is_empty else None
    stays = first is not None and not any(day["coverage"] > 0 for day in days[first:])
    return {
        "snow_on_panel_today": days[0]["coverage"] > 0,
        "days_with_snow": sum(day["coverage"] > 0 for day in days),
        "max_loss_pct": max((day["loss_pct"] for day in days if day["loss_pct"] is not None), default=None),
        "clears_on": days[first]["date"] if first is not None and stays else None,
    }
