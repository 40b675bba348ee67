"""What a plant's production is multiplied by, and what the answer says of it."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from api.forecast.requests import Plant, System
from api.forecast.snow.current import Absent, Current
from api.forecast.snow.factors import MOUNTING, Floats, Geometry, Moments
from tiles.clock import iso

NOT_REQUESTED = {"snow_applied": False, "reason": "not_requested"}
NOTE = (
    "A date is the day from its 06 UTC to 06 UTC of the next. Each hour's power is multiplied by its day's factor; "
    "hours of days that are not in dates are not reduced."
)


class OnPlant(NamedTuple):
    """What snow does to a plant.

    Parameters
    ----------
    fields : dict
        The answer's `snow`, but for what depends on the moment.
    factors : float64 (m, n) or None
        Of each array in each hour, 1 where none is known; None where snow is not applied.
    data_origin : str
        `live` or `simulated`; `live` where it is not applied.
    """

    fields: dict[str, Any]
    factors: Floats | None = None
    data_origin: str = "live"


def on_plant(current: Current | Absent, plant: Plant, starts: Moments, now: datetime) -> OnPlant:
    """Return what snow does to a plant.

    Parameters
    ----------
    current : Current or Absent
        From `SnowFactors.current`.
    plant : ForecastRequest or System
        With m arrays.
    starts : int64 (n,)
        Starts of the hours, unix seconds.
    now : datetime
        Of the answer.
    """
    issued = current.issued_at if isinstance(current, Absent) else current.factors.entry.issued_at
    age = {} if issued is None else {"age_hours": round((now - issued).total_seconds() / 36) / 100}
    if isinstance(current, Absent):
        return OnPlant({**fields_of(current), **age})
    local = _local(current, plant, starts)
    return local._replace(fields={**local.fields, **fields_of(current), **age})


def fields_of(current: Current | Absent) -> dict[str, Any]:
    """Return what is said of the factors, wherever the plant stands."""
    if isinstance(current, Absent):
        issued = {} if current.issued_at is None else {"issued_utc": iso(current.issued_at)}
        return {"snow_applied": False, "reason": current.reason, **issued}
    factors = current.factors
    return {
        "source": factors.source,
        "issued_utc": iso(factors.entry.issued_at),
        "data_origin": factors.entry.data_origin,
        "geometry_note": _geometry_note(factors.geometries),
        "note": NOTE,
    }


def origin_with(origin: str, current: Current | Absent, places: Sequence[tuple[float, float]]) -> str:
    """Return `live` or `simulated` of an answer for some places that would be of an origin without snow."""
    if origin != "live" or isinstance(current, Absent) or current.factors.entry.data_origin == "live":
        return origin
    applied = any(current.near(*place).within_reach for place in places)
    return current.factors.entry.data_origin if applied else origin


def on_systems(
    current: Current | Absent, systems: Sequence[System], starts: Moments
) -> tuple[dict[str, Any], dict[str, OnPlant]]:
    """Return what snow does to the systems of a bulk call that have an answer; nothing in it depends on the moment.

    Parameters
    ----------
    current : Current or Absent
        From `SnowFactors.current`.
    systems : sequence of System
    starts : int64 (n,)
        Starts of the hours, unix seconds.

    Returns
    -------
    dict
        The answer's `snow`.
    dict of str to OnPlant
        By the system's id.
    """
    if isinstance(current, Absent):
        return fields_of(current), {}
    plants = {system.id: _local(current, system, starts) for system in systems}
    reasons = [plant.fields["reason"] for plant in plants.values() if plant.factors is None]
    said: dict[str, Any] = {"snow_applied": len(reasons) < len(plants)}
    if not said["snow_applied"]:
        said["reason"] = reasons[0] if reasons else "no_production"
    return {**said, **fields_of(current), "systems": {name: plant.fields for name, plant in plants.items()}}, plants


def _local(current: Current, plant: Plant, starts: Moments) -> OnPlant:
    factors, near = current.factors, current.near(plant.latitude, plant.longitude)
    one = factors.municipalities[near.row]
    kommune = {
        "kommune": one.name,
        "kommune_number": f"{one.number:04d}",
        "kommune_by": near.by,
        "kommune_distance_km": round(near.km, 1),
    }
    if not near.within_reach:
        return OnPlant({"snow_applied": False, "reason": "no_kommune_near", **kommune})
    geometries = factors.geometries_of(np.array([(array.tilt_deg, array.azimuth_deg) for array in plant.arrays]))
    by_day, day, known = factors.table[near.row, geometries], factors.day_of(starts), factors.known[near.row]
    there = np.zeros_like(known)
    there[day] = True
    days = np.flatnonzero(there & known)
    if not days.size:
        return OnPlant({"snow_applied": False, "reason": "snow_data_missing", **kommune})
    of_days = by_day[:, days].round(4).tolist()
    planes = (factors.geometries[one]._asdict() for one in geometries.tolist())
    fields = {
        "snow_applied": True,
        **kommune,
        "dates": [factors.dates[one] for one in days.tolist()],
        "hours_not_reduced": day.size - int(np.count_nonzero(known[day])),
        "arrays": [
            {"name": array.name, "reference_geometry": {**plane, "mounting": MOUNTING}, "factors": of_array}
            for array, plane, of_array in zip(plant.arrays, planes, of_days, strict=True)
        ],
    }
    return OnPlant(fields, by_day[:, day], factors.entry.data_origin)


@lru_cache(maxsize=2)
def _geometry_note(geometries: tuple[Geometry, ...]) -> str:
    tilts, azimuths = (
        ", ".join(f"{angle:g}" for angle in sorted(set(angles))) for angles in zip(*geometries, strict=True)
    )
    return (
        f"Factors are of planes of reference on a {MOUNTING}: tilts {tilts}, azimuths {azimuths} degrees. An array "
        "takes those of the plane nearest in tilt, then in azimuth; how it is mounted is not asked. "
        "They are means over up to nine cells of the municipality's low land: in the plant's own cell, of which "
        "/api/snow/outlook tells, snow may lie longer or shorter."
    )
