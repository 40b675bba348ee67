"""The type of the building at a point, from the register; in a process beside the API, where outlines may be files."""

from typing import Any

import numpy as np

from api.core.settings import Settings
from api.roof.ring import distance
from catalog.sources import bygninger, bygningspunkt
from catalog.sources.errors import SourceError
from kernels import utm

_AROUND_M, _NEAR_M, _SECONDS = 80.0, 15.0, 8.0


def look_up(settings: Settings, lat: float, lon: float) -> dict[str, Any]:
    """Return the fields of `answers.BuildingType`.

    The building is the register point within the outline that holds the place; without an outline the nearest point
    within 15 m.

    Raises
    ------
    SourceError
        The register does not answer.
    """
    x, y = map(float, utm.forward(lat, lon))
    bounds = x - _AROUND_M, y - _AROUND_M, x + _AROUND_M, y + _AROUND_M
    how: dict[str, Any] = {"user_agent": settings.user_agent, "seconds": _SECONDS}
    points = bygningspunkt.points(settings.address(bygningspunkt.NAME), bounds, **how)
    try:
        buildings = bygninger.outlines(settings.address(bygninger.NAME), bounds, **how).buildings
    except SourceError:
        buildings = ()
    rings = [one.rings[0][:-1] for one in buildings if distance(one.rings[0][:-1], x, y) == 0]
    within = [one for one in points.buildings if any(distance(ring, one.x, one.y) == 0 for ring in rings)]
    near = [] if rings else [one for one in points.buildings if np.hypot(one.x - x, one.y - y) <= _NEAR_M]
    found = min(within or near, key=lambda one: np.hypot(one.x - x, one.y - y), default=None)
    code = found.code if found else None
    return {
        "lat": lat,
        "lon": lon,
        "bygningstype": bygningspunkt.kind_of(code),
        "kode": code,
        "navn": bygningspunkt.type_name(code) or None,
        "bygningsnummer": found.number if found else None,
        "kilde": "Kartverket, Matrikkelen - Bygningspunkt",
        "data_origin": points.data_origin,
    }
