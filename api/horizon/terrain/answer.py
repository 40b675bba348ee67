"""From what a tile knows of a place to the answer's fields, and to what files and pictures take."""

from typing import Any

import numpy as np
import orjson

from api.horizon.profile import AZIMUTHS, VERSION, Floats, HorizonProfile, N
from api.horizon.provenance import ends, sentence, sources_of
from api.horizons import View
from tiles.grid import distance_km
from tiles.products.horizon import OBSERVER_M

_SIMULATED = "The terrain is simulated: invented in its details, and of no use for a real plant."
_NO_YEAR = "The source does not say of what year the terrain data are."
_BEYOND = "what stands beyond is missing. At the edge of the data a horizon is too low."
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
        sources=tuple(map(sentence, sources_of(view.provenance, view.horizon.data_origin))),
        ends=ends(view.provenance),
    )


def fields(view: View, lat: float, lon: float, ignored: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the answer's fields beside its series.

    Parameters
    ----------
    view : View
    lat, lon : float
        As asked.
    ignored : tuple of str
        Parameters that nobody knows.
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
        "sources": sources_of(view.provenance, horizon.data_origin),
        "warnings": warnings(view, ignored),
    }


def warnings(view: View, ignored: tuple[str, ...]) -> list[str]:
    """Return what the reader must know, in sentences."""
    told = [_SIMULATED] if view.horizon.data_origin != "live" else []
    if view.horizon.dtm_year is None:
        told.append(_NO_YEAR)
    if said := ends(view.provenance):
        told.append(f"{said}: {_BEYOND}")
    if ignored:
        told.append(f"Unknown parameters were ignored: {', '.join(ignored)}.")
    return told


def series(view: View) -> dict[str, bytes]:
    """Return the answer's series as JSON: what takes time, and is the same wherever in the cell is asked."""
    return {
        "azimuth_deg": _AZIMUTHS,
        "elevation_deg": _numbers(view.horizon.elevation, 3),
        "distance_m": _numbers(view.distance, 1),
    }


def _numbers(values: Floats, digits: int) -> bytes:
    return orjson.dumps(np.round(values, digits) + 0.0, option=orjson.OPT_SERIALIZE_NUMPY)  # no -0; NaN is null
