"""`geojson`: where on the map the horizon is: the line of the far points, and the observer (RFC 7946)."""

from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from api.horizon.formats.common import FileFormat
from api.horizon.profile import AZIMUTHS, VERSION, HorizonProfile, N
from kernels.horizon import earth


def write(profile: HorizonProfile) -> bytes:
    """Return the file; what the line's properties list is by point, piece after piece."""
    lat, lon = earth.destination(profile.lat, profile.lon, AZIMUTHS, profile.distance)
    pieces = _pieces(np.isfinite(profile.distance))
    seen = np.concatenate([np.empty(0, int), *pieces])
    coordinates = [[[round(float(lon[i]), 5), round(float(lat[i]), 5)] for i in piece] for piece in pieces]
    line = {
        "name": "horizon",
        "azimuth_deg": AZIMUTHS[seen].tolist(),
        "elevation_deg": np.round(profile.elevation[seen], 3).tolist(),
        "distance_m": np.round(profile.distance[seen], 1).tolist(),
    }
    observer = {
        "name": "observer",
        "api_tier": profile.tier,
        "version": VERSION,
        "tile_key": profile.tile_key,
        "ground_z_m": profile.ground_z,
        "observer_z_masl": profile.observer_z,
        "dtm_year": profile.dtm_year,
        "dom_year": profile.dom_year,
        "data_origin": profile.data_origin,
        "sources": profile.credits,
    }
    point = {"type": "Point", "coordinates": [round(profile.lon, 6), round(profile.lat, 6)]}
    features = [
        {"type": "Feature", "geometry": geometry, "properties": properties}
        for geometry, properties in ((_line(coordinates), line), (point, observer))
    ]
    return orjson.dumps({"type": "FeatureCollection", "features": features})


def _line(pieces: list[list[list[float]]]) -> dict[str, Any] | None:
    if len(pieces) > 1:
        return {"type": "MultiLineString", "coordinates": pieces}
    return {"type": "LineString", "coordinates": pieces[0]} if pieces else None


def _pieces(known: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Return what follows each other without a gap, round through north; a point alone is no line.

    Where all are known, the line ends where it begins.
    """
    first = int(np.argmin(known))  # one that is not known, if there is any: no piece goes through it
    order = (first + np.arange(N + 1)) % N
    seen = np.flatnonzero(known[order])
    runs = np.split(order[seen], np.flatnonzero(np.diff(seen) > 1) + 1)
    return [run for run in runs if len(run) > 1]


FORMAT = FileFormat(value="geojson", extension=".geojson", media_type="application/geo+json", write=write)
