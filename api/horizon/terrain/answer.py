"""From what a tile knows of a place to the answer's fields, and to what files and pictures take."""

from typing import Any

import numpy as np
import orjson

from api.horizon.profile import AZIMUTHS, VERSION, Floats, HorizonProfile, N
from api.horizons import View
from tiles.grid import distance_km
from tiles.products.horizon import OBSERVER_M

SIMULATED = "The terrain is simulated: invented in its details, and of no use for a real plant."
_AZIMUTHS = orjson.dumps(AZIMUTHS, option=orjson.OPT_SERIALIZE_NUMPY)


def prefix_of(view: View) -> str:
    """Return what the names of its files begin with."""
    return f"tier1_horizon_{view.horizon.tile_key}"


def profile_of(view: View) -> HorizonProfile:
    """Return what files and pictures take."""
    return HorizonProfile(
        tier="terrain",
        lat=round(view.lat, 6),
        lon=round(view.lon, 6),
        observer_z=None if view.ground is None else round(view.ground + OBSERVER_M, 2),
        ground_z=view.ground,
        elevation=view.horizon.elevation,
        distance=view.distance,
        data_origin=view.horizon.data_origin,
        dtm_year=view.horizon.dtm_year,
        tile_key=view.horizon.tile_key,
        sources=tuple(_sentence(source) for source in _sources(view)),
    )


def fields(view: View, lat: float, lon: float) -> dict[str, Any]:
    """Return the answer's fields beside its series.

    Parameters
    ----------
    view : View
    lat, lon : float
        As asked.
    """
    horizon = view.horizon
    away_m = 1000 * distance_km(lat, lon, view.lat, view.lon)
    return {
        "lat": round(view.lat, 6),
        "lon": round(view.lon, 6),
        "query": {
            "lat": lat,
            "lon": lon,
            "cell_distance_m": round(away_m, 1),
        },
        "tile_key": horizon.tile_key,
        "dtm_year": view.horizon.dtm_year,
        "api_tier": "terrain",
        "version": VERSION,
        "n_azimuth": N,
        "dtm_ground_z_m": view.ground,
        "observer_height_m": OBSERVER_M,
        "data_origin": horizon.data_origin,
        "horizon_version": horizon.entry.version,
        "method": str(view.provenance.get("method") or ""),
        "sources": [{name: str(one.get(name) or "") for name in _SOURCE} for one in _sources(view)],
        "warnings": [SIMULATED] if horizon.data_origin != "live" else [],
    }


def series(view: View) -> dict[str, bytes]:
    """Return the answer's series as JSON: what takes time, and is the same wherever in the cell is asked."""
    return {
        "azimuth_deg": _AZIMUTHS,
        "elevation_deg": _numbers(view.horizon.elevation, 3),
        "distance_m": _numbers(view.distance, 1),
    }


def _numbers(values: Floats, digits: int) -> bytes:
    return orjson.dumps(np.round(values, digits) + 0.0, option=orjson.OPT_SERIALIZE_NUMPY)  # no -0; NaN is null


_SOURCE = ("name", "licence", "attribution")


def _sources(view: View) -> list[dict[str, Any]]:
    told = view.provenance.get("sources") or []
    return [one for one in told if isinstance(one, dict)]


def _sentence(source: dict[str, Any]) -> str:
    return " - ".join(str(source[name]) for name in _SOURCE if source.get(name))
