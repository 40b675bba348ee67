"""`geojson`: where on the map the horizon is: the line of the far points, and the observer (RFC 7946)."""

from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from api.horizon.formats.declaration import Format
from api.horizon.profile import AZIMUTHS, VERSION, Floats, HorizonProfile, N
from kernels import utm
from kernels.horizon import earth


def far_points(profile: HorizonProfile) -> tuple[Floats, Floats]:
    """Return latitude and longitude of what makes the horizon, degrees, NaN where the distance is.

    A line of sight is straight in UTM 33, as it was when the horizon was computed, and as much longer there than on the
    ground as the map is at the observer.
    """
    x, y = utm.forward(profile.lat, profile.lon)
    away = profile.distance * earth.scale(x, y)
    on_map = np.radians(AZIMUTHS - utm.grid_convergence(profile.lat, profile.lon))
    return utm.inverse(x + away * np.sin(on_map), y + away * np.cos(on_map))


def write(profile: HorizonProfile) -> bytes:
    """Return the file; what the line's properties list is by point, piece after piece."""
    lat, lon = far_points(profile)
    pieces = _pieces(np.isfinite(profile.distance))
    seen = np.concatenate(pieces) if pieces else np.empty(0, int)
    coordinates = [[[round(float(lon[i]), 5), round(float(lat[i]), 5)] for i in piece] for piece in pieces]
    line = {
        "name": "horizon",
        "azimuth_deg": AZIMUTHS[seen].tolist(),
        "elevation_deg": np.round(profile.elevation[seen], 3).tolist(),
        "distance_m": np.round(profile.distance[seen], 1).tolist(),
    }
    point = {"type": "Point", "coordinates": [round(profile.lon, 6), round(profile.lat, 6)]}
    features = [_feature(_line(coordinates), line), _feature(point, {"name": "observer", **_about(profile)})]
    return orjson.dumps({"type": "FeatureCollection", "features": features})


def _about(profile: HorizonProfile) -> dict[str, Any]:
    return {
        "api_tier": profile.tier,
        "version": VERSION,
        "tile_key": profile.tile_key,
        "ground_z_m": profile.ground_z,
        "observer_z_masl": profile.observer_z,
        "dtm_year": profile.dtm_year,
        "dom_year": profile.dom_year,
        "data_origin": profile.data_origin,
        "sources": list(profile.sources),
    }


def _feature(geometry: dict[str, Any] | None, properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def _line(pieces: list[list[list[float]]]) -> dict[str, Any] | None:
    if not pieces:
        return None
    if len(pieces) == 1:
        return {"type": "LineString", "coordinates": pieces[0]}
    return {"type": "MultiLineString", "coordinates": pieces}


def _pieces(known: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Return what follows each other without a gap, round through north; a point alone is no line.

    Where all are known, the line ends where it begins.
    """
    if known.all():
        return [np.append(np.arange(N), 0)]
    first = int(np.argmin(known))  # one that is not known: no piece goes through it
    order = (first + np.arange(N)) % N
    seen = np.flatnonzero(known[order])
    runs = np.split(order[seen], np.flatnonzero(np.diff(seen) > 1) + 1)
    return [run for run in runs if len(run) > 1]


FORMAT = Format(value="geojson", extension=".geojson", media_type="application/geo+json", write=write)
