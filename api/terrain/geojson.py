"""The answer as GeoJSON (RFC 7946): the site, and the sectors as wedges to 10 km."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import orjson

from kernels.horizon.earth import destination
from kernels.terrain.polar import REACH_M, SECTOR_DEG

_ALONG_ARC = 6
_DIGITS = 6


def geojson(answer: Mapping[str, Any]) -> bytes:
    """Return the answer's sectors as features, with properties that are no objects."""
    about = ("lat", "lon", "terreng_moh", "hoyde_m", "v_b0_ms", "standard", "status", "prosjekt", "prosjekterende")
    site = {"type": "Point", "coordinates": [answer["lon"], answer["lat"]]}
    properties = {**{name: answer[name] for name in about}, **answer["resultat"]}
    counts = properties.pop("kategorier")
    properties |= {f"sektorer_{name}": count for name, count in counts.items()}
    features = [{"type": "Feature", "id": 0, "geometry": site, "properties": properties}]
    features += [_sector(one, answer["lat"], answer["lon"]) for one in answer["sektorer"]]
    members = {name: answer[name] for name in ("data_origin", "advarsler", "kilder")}
    return orjson.dumps({"type": "FeatureCollection", "features": features, **members})


def _sector(one: Mapping[str, Any], lat: float, lon: float) -> dict[str, Any]:
    half = SECTOR_DEG / 2
    # counterclockwise, as an exterior ring is
    azimuth = one["retning_deg"] + np.linspace(half, -half, _ALONG_ARC)
    lats, lons = destination(lat, lon, azimuth, np.full(_ALONG_ARC, REACH_M))
    ring = [[lon, lat], *np.column_stack([lons, lats]).round(_DIGITS).tolist(), [lon, lat]]
    own = ("sektor", "retning_deg", "kategori", "kategori_beregnet", "kategori_begrunnelse", "bekreftet", "z0_m",
           "z_min_m", "k_r", "terrengform_begrunnelse")  # fmt: skip
    properties = {name: one[name] for name in own} | {"sikker": one["sikkerhet"]["sikker"]}
    properties |= one["terrengform"] | (one["vind"] or {})
    polygon = {"type": "Polygon", "coordinates": [ring]}
    return {"type": "Feature", "id": one["sektor"], "geometry": polygon, "properties": properties}
