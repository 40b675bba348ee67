"""Answers of level 3 that tests make up, and the surface around their roof."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from api.horizon.precise.report.relief import Relief
from kernels import utm
from kernels.horizon import earth

Floats = NDArray[np.float64]

OSLO, NORTH_CAPE, VADSO = (59.9139, 10.7522), (71.1, 25.78), (70.074, 29.749)
_AZIMUTH = np.arange(720) / 2
# azimuth, width, distance, height above the module, kind, loss, loss with bare crowns
_OBJECTS: tuple[tuple[Any, ...], ...] = (
    (142.5, 23.5, 34.2, 6.13, "vegetasjon", 2.13, 1.37),
    (205.0, 18.0, 21.8, 5.4, "bygning", 1.84, None),
    (231.5, 9.0, 58.6, 9.72, "vegetasjon", 0.92, 0.58),
    (97.0, 31.5, 46.0, 7.08, "bygning", 0.71, None),
    (268.0, 12.5, 112.4, 14.6, "vegetasjon", 0.33, 0.21),
    (178.5, 4.0, 240.7, 18.25, "ukjent", 0.17, None),
    (301.0, 27.0, 402.3, 31.9, "terreng", 0.08, None),
)
_OPEN = (27.41, 54.83, 96.27, 124.6, 151.92, 156.38, 153.05, 129.77, 94.18, 58.46, 31.9, 19.63)
_LOSS = (21.46, 14.32, 8.71, 5.12, 4.03, 3.88, 3.95, 4.76, 7.64, 12.5, 19.87, 26.34)
_TERRAIN = (7.12, 2.05, 0.61, 0.34, 0.21, 0.18, 0.2, 0.29, 0.48, 1.66, 6.35, 11.28)
_DAYLIGHT = (213.4, 262.8, 365.2, 433.1, 531.6, 563.9, 558.3, 480.7, 384.5, 316.2, 229.7, 187.6)


def objects(count: int = len(_OBJECTS)) -> list[dict[str, Any]]:
    """Return objects near by, the costliest first; from the eighth on the same again, elsewhere and cheaper."""
    return [_object(*divmod(i, len(_OBJECTS))) for i in range(count)]


def _object(turn: int, i: int) -> dict[str, Any]:
    azimuth, width, distance, height, kind, loss, bare = _OBJECTS[i]
    far = distance * (1 + 0.3 * turn)
    part = 0.03**turn if turn < 2 else 0.0
    middle = (azimuth + 13.5 * turn) % 360
    return {
        "azimuth_deg": middle, "azimuth_width_deg": width, "highest_azimuth_deg": round(2 * middle + width / 2) / 2,
        "elevation_deg": round(float(np.degrees(np.arctan2(height, far))), 3), "distance_m": round(far, 1),
        "height_above_module_m": height, "kind": kind, "shading_impact_score": round(loss * part / 7.98, 4),
        "yield_loss_pct": round(loss * part, 3),
        "yield_loss_bare_crowns_pct": None if bare is None else round(bare * part, 3),
    }  # fmt: skip


def near(found: list[dict[str, Any]]) -> Floats:
    """The near horizon of objects, over ground that falls away."""
    horizon = -1.2 - 0.8 * np.cos(np.radians(_AZIMUTH - 20))
    for one in found:
        off = np.abs((_AZIMUTH - one["azimuth_deg"] + 180) % 360 - 180) / (one["azimuth_width_deg"] / 2)
        shape = np.sqrt(np.maximum(1 - off**2, 0)) if one["kind"] == "vegetasjon" else np.where(off <= 1, 1.0, 0.0)
        horizon = np.maximum(horizon, np.where(off <= 1, one["elevation_deg"] * shape, horizon))
    return np.round(horizon, 3) + 0.0


def far() -> Floats:
    """The horizon of hills around, highest in the north-west."""
    hills = 2.4 + 1.9 * np.cos(np.radians(_AZIMUTH - 310)) + 0.7 * np.sin(np.radians(5 * _AZIMUTH + 40))
    return np.round(hills + 0.25 * np.sin(np.radians(23 * _AZIMUTH)), 3) + 0.0


def months(scale: float = 1.0) -> list[dict[str, Any]]:
    """Twelve months, their losses `scale` times those of a shaded roof in Oslo."""
    found = []
    for i, (poa, loss, terrain, day) in enumerate(zip(_OPEN, _LOSS, _TERRAIN, _DAYLIGHT, strict=True)):
        found.append({
            "month": i + 1, "poa_open_kwh_m2": poa, "poa_kwh_m2": round(poa * (1 - scale * loss / 100), 2),
            "yield_reduction_pct": round(scale * loss, 2), "terrain_loss_pct": round(scale * terrain, 2),
            "near_field_loss_pct": round(scale * (loss - terrain), 2),
            "shade_hours": round(scale * day * loss / 55, 1), "daylight_hours": day,
        })  # fmt: skip
    return found


def _source(name: str, licence: str, attribution: str) -> dict[str, str]:
    return {"name": name, "licence": licence, "attribution": attribution, "data_origin": "live"}


def result(scale: float = 1.0, count: int = len(_OBJECTS), **changes: Any) -> dict[str, Any]:
    """An answer of level 3, as it is parsed from JSON.

    Parameters
    ----------
    scale : float
        Times the losses of a shaded roof in Oslo.
    count : int
        How many objects stand near by.
    **changes
        Fields to replace.
    """
    found, monthly = objects(count), months(scale)
    poa_open, poa, shade, day = (
        round(sum(m[name] for m in monthly), 2)
        for name in ("poa_open_kwh_m2", "poa_kwh_m2", "shade_hours", "daylight_hours")
    )
    loss = round(100 * (1 - poa / poa_open), 2)
    terrain = round(loss * 0.16, 2)
    horizon, own = np.maximum(far(), near(found)), near(found)
    return {
        "lat": OSLO[0], "lon": OSLO[1], "api_tier": "precise", "version": "v3.1", "n_azimuth": 720,
        "tier1_used": True, "dtm_ground_z_m": 28.45, "observer_height_above_dtm_m": 12.05, "observer_z_masl": 40.5,
        "dom_year": 2022, "dtm_year": 2019, "near_field_m": 500.0, "tile_key": "H33-029-054", "data_origin": "live",
        "method": {"near": "surface model of 1 m within 500 m", "far": "level 1",
                   "docs": "/docs#post_api_horizon_precise"},
        "sources": [
            _source("kartverket_wcs", "CC BY 4.0", "Kartverket, Nasjonal høydemodell"),
            _source("era5", "Licence to use Copernicus Products",
                    "ECMWF, ERA5 hourly data on single levels (Copernicus Climate Change Service)"),
        ],
        "warnings": {"decisive": [], "others": ["Overflatemodellen er fra flere år: 2018, 2022."]},
        "compute_ms": 812.37,
        "azimuth_deg": _AZIMUTH.tolist(), "elevation_deg": horizon.tolist(), "near_horizon_only": own.tolist(),
        "near_distance_m": [None if e < 0 else 61.5 for e in own.tolist()],
        "panel_az_deg": 195.0, "panel_tilt_deg": 35.0,
        "typical_year": {"kind": "typical", "product": "tmy_era5", "cell_id": "N3-0412-0187", "cell_distance_km": 1.27,
                         "data_origin": "live", "version": "2026-02-01"},
        "annual_yield_reduction_pct": loss, "terrain_loss_pct": terrain,
        "near_field_loss_pct": round(loss - terrain, 2), "annual_poa_open_kwh_m2": poa_open,
        "annual_poa_kwh_m2": poa, "shaded_daylight_hours_pct": round(100 * shade / day, 2),
        "annual_shade_hours": shade, "annual_daylight_hours": day, "bare_crown_transmission": 0.5,
        "near_field_loss_bare_crowns_pct": round(0.78 * (loss - terrain), 2), "monthly": monthly,
        "near_field_objects": found, "code_version": "0.1.0+g4f1c2ab", "issued_at": "2026-11-26T10:42:07Z",
        "job_id": "5f0c1a9d3b7e2468ace013",
        **changes,
    }  # fmt: skip


def relief(lat: float = OSLO[0], lon: float = OSLO[1]) -> Relief:
    """A slope with the roof in the middle, houses, and the objects where their azimuth and distance say."""
    x, y = map(float, utm.forward(lat, lon))
    east, north = np.meshgrid(np.arange(-150.0, 151), np.arange(-150.0, 151))
    z = 28 + 0.03 * north - 0.02 * east + 0.25 * np.sin(east / 7) * np.cos(north / 11)
    turn = np.radians(float(earth.convergence(x, y)))
    z = _house(z, east, north, 0.0, 12.0, 0.0)
    for i in range(9):  # a row of houses along a street
        z = _house(z, east, north, 36.0 * (i - 4) + 11, 8.0, -70.0 + 4 * i)
    for one in objects():
        a = np.radians(one["azimuth_deg"]) - turn
        at = one["distance_m"] * np.sin(a), one["distance_m"] * np.cos(a)
        top = 40.5 + one["height_above_module_m"]
        if one["kind"] == "vegetasjon":
            for k in range(-2, 3):
                z = np.maximum(z, top - 0.8 * np.hypot(east - at[0] - 7 * k, north - at[1] + 3 * k) ** 1.3)
        elif one["kind"] == "bygning":
            z = _house(z, east, north, at[0], top - 28, at[1])
    return Relief(z.astype(np.float32), 1.0, x, y)


def _house(z: Floats, east: Floats, north: Floats, x: float, height: float, y: float) -> Floats:
    along, across = np.abs(east - x), np.abs(north - y)
    roof = 28 + height - 0.7 * across
    house: Floats = np.where((along < 8) & (across < 6), np.maximum(z, roof), z)
    return house
