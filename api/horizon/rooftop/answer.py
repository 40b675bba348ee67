"""From what is seen to the answer's fields, and to what files and pictures take."""

import time
from typing import Any

from api.core.prose import prose
from api.core.query import MethodDetail
from api.horizon.formats.registry import JSON
from api.horizon.profile import AZIMUTHS_JSON, VERSION, HorizonProfile, N, json_numbers
from api.horizon.provenance import ends, sources_of
from api.horizon.rooftop.calculation import BEGIN_M, FAN, Roof, Seen, calculate
from api.horizon.rooftop.heights import NEAR_M, ground_at
from api.horizon.rooftop.warnings import sentences, warnings
from catalog.sources.kartverket.heights import NAME
from catalog.sources.registry import SOURCES

PROSE = {name: text.format(near_m=NEAR_M, fan=FAN, begin_m=BEGIN_M) for name, text in prose(__file__, "method").items()}


def answer(value: str, detail: MethodDetail, roof: Roof) -> dict[str, Any] | HorizonProfile:
    """Calculate the horizon, and return what a format takes.

    Raises
    ------
    ApiError
        As `calculate`.
    """
    begun = time.perf_counter()
    seen = calculate(roof)
    compute_ms = (time.perf_counter() - begun) * 1000
    profile = profile_of(roof, seen)
    return fields_of(roof, seen, profile, detail, compute_ms) if value == JSON else profile


def profile_of(roof: Roof, seen: Seen) -> HorizonProfile:
    """Return what files and pictures take."""
    here, far = ground_at(roof.x, roof.y), roof.far
    origins = dict.fromkeys(block.data_origin for block in roof.blocks.values())
    near = [{**SOURCES[NAME].named(origin), "data_origin": origin} for origin in origins]
    beyond = () if far is None else sources_of(far.provenance, far.horizon.data_origin)
    return HorizonProfile(
        tier="rooftop",
        lat=roof.request.lat,
        lon=roof.request.lon,
        observer_z=seen.z,
        ground_z=seen.ground,
        elevation=seen.elevation,
        distance=seen.distance,
        data_origin=roof.data_origin,
        dtm_year=roof.blocks[here].year,
        dom_year=roof.blocks[here._replace(model="dom")].year,
        tile_key=None if far is None else far.horizon.tile_key,
        near=seen.near,
        sources=[*near, *(one for one in beyond if one not in near)],
        near_alone_m=NEAR_M if far is None else None,
        ends="" if far is None else ends(far.provenance),
    )


def fields_of(
    roof: Roof, seen: Seen, profile: HorizonProfile, detail: MethodDetail, compute_ms: float
) -> dict[str, Any]:
    """Return the fields of the answer."""
    return {
        "lat": profile.lat,
        "lon": profile.lon,
        "api_tier": "rooftop",
        "version": VERSION,
        "n_azimuth": N,
        "tier1_used": roof.far is not None,
        "dtm_ground_z_m": seen.ground,
        "observer_height_above_dtm_m": seen.height,
        "observer_z_masl": seen.z,
        "dom_year": profile.dom_year,
        "dtm_year": profile.dtm_year,
        "near_field_m": NEAR_M,
        "tile_key": profile.tile_key,
        "data_origin": profile.data_origin,
        "method": method_of(roof, detail),
        "sources": profile.sources,
        "warnings": sentences(warnings(roof, seen)),
        "compute_ms": round(compute_ms, 2),
        "azimuth_deg": AZIMUTHS_JSON,
        "elevation_deg": json_numbers(seen.elevation, 3),
        "near_horizon_only": json_numbers(seen.near, 3),
        "near_distance_m": json_numbers(seen.near_distance, 1),
    }


def method_of(roof: Roof, detail: MethodDetail) -> dict[str, str]:
    """Return how it was made: names and a link, or all of it in words."""
    docs = {"docs": "/docs#post_api_horizon_rooftop"}
    if detail == "short":
        far = "nothing" if roof.far is None else "level 1"
        return {"near": f"surface model of 1 m within {NEAR_M:g} m", "far": far, **docs}
    if roof.far is None:
        return {**PROSE, "far": "nothing beyond", **docs}
    return {**PROSE, "level_1": str(roof.far.provenance.get("method", "")), **docs}
