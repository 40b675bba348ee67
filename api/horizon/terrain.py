"""Level 1: the horizon of a cell of 100 m, from the tiles."""

from typing import Any

from api.data.horizons import View
from api.horizon.profile import AZIMUTHS_JSON, VERSION, HorizonProfile, N, json_numbers
from api.horizon.provenance import ends, sources_of
from api.horizon.schemas import TerrainQuery
from tiles.grid import distance_km
from tiles.products.horizon import OBSERVER_M


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
        sources=sources_of(view.provenance, view.horizon.data_origin),
        ends=ends(view.provenance),
    )


def fields(view: View, query: TerrainQuery) -> dict[str, Any]:
    """Return the answer as JSON is made of it."""
    horizon = view.horizon
    away_m = 1000 * distance_km(query.lat, query.lon, view.lat, view.lon)
    by_rays = view.provenance.get("method", "") if query.method == "full" else "rays over the national terrain model"
    return {
        "lat": round(view.lat, 6),
        "lon": round(view.lon, 6),
        "query": {"lat": query.lat, "lon": query.lon, "cell_distance_m": round(away_m, 1)},
        "tile_key": horizon.tile_key,
        "dtm_year": horizon.dtm_year,
        "api_tier": "terrain",
        "version": VERSION,
        "n_azimuth": N,
        "dtm_ground_z_m": view.ground,
        "observer_height_m": OBSERVER_M,
        "data_origin": horizon.data_origin,
        "horizon_version": horizon.entry.version,
        "method": {"tiles": by_rays, "docs": "/docs#get_api_horizon_terrain"},
        "sources": sources_of(view.provenance, horizon.data_origin),
        "warnings": warnings(view),
        "azimuth_deg": AZIMUTHS_JSON,
        "elevation_deg": json_numbers(horizon.elevation, 3),
        "distance_m": json_numbers(view.distance, 1),
    }


def warnings(view: View) -> list[str]:
    """Return what the reader must know, in sentences."""
    found = []
    if view.horizon.data_origin != "live":
        found.append("The terrain is simulated: invented in its details, and of no use for a real plant.")
    if view.horizon.dtm_year is None:
        found.append("The source does not say of what year the terrain data are.")
    if ending := ends(view.provenance):
        found.append(f"{ending}: what stands beyond is missing. At the edge of the data a horizon is too low.")
    return found
