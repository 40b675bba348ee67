"""What a plant's production is multiplied by, and what the answer says of it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from api.forecast.models import PvArray
from api.forecast.snow.current import Absent, Current
from api.forecast.snow.factors import MOUNTING, Factors, Floats, Geometry, Moments, Near
from tiles.clock import iso

NOT_ASKED = {"snow_applied": False, "reason": "not_requested"}
NOTE = (
    "A date is the day from its 06 UTC to 06 UTC of the next. Each hour's power is multiplied by its day's factor; "
    "hours of days that are not in dates are not reduced."
)


class OnPlant(NamedTuple):
    """What snow does to a plant.

    Parameters
    ----------
    told : dict
        The answer's `snow`, but for what depends on the moment.
    factors : float64 (m, n) or None
        Of each array in each hour, 1 where none is known; None where snow is not applied.
    data_origin : str
        `live` or `simulated`; `live` where it is not applied.
    """

    told: dict[str, Any]
    factors: Floats | None = None
    data_origin: str = "live"

    @property
    def applied(self) -> bool:
        """Whether the production is less for it."""
        return self.factors is not None


class OnSystems(NamedTuple):
    """What snow does to the systems of a bulk call.

    Parameters
    ----------
    told : dict
        The answer's `snow`.
    plants : mapping of str to OnPlant
        By the system's id.
    """

    told: dict[str, Any]
    plants: Mapping[str, OnPlant]


def on_plant(
    current: Current | Absent, lat: float, lon: float, arrays: Sequence[PvArray], starts: Moments, now: datetime
) -> OnPlant:
    """Return what snow does to a plant.

    Parameters
    ----------
    current : Current or Absent
        From `SnowFactors.current`.
    lat, lon : float
        Degrees north and east.
    arrays : sequence of PvArray
        m of them.
    starts : int64 (n,)
        Starts of the hours, unix seconds.
    now : datetime
        Of the answer.
    """
    issued = current.issued_at if isinstance(current, Absent) else current.factors.entry.issued_at
    age = {} if issued is None else {"age_hours": round((now - issued).total_seconds() / 36) / 100}
    if isinstance(current, Absent):
        return OnPlant({**told_of(current), **age})
    local = _local(current, lat, lon, arrays, starts)
    return local._replace(told=_in_order({**told_of(current), **age, **local.told}))


def told_of(current: Current | Absent) -> dict[str, Any]:
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


def key_of(current: Current | Absent) -> bytes:
    """Return what names the factors and the borders, or the absence of factors, in keys of caches."""
    return repr(current).encode() if isinstance(current, Absent) else current.name.encode()


def origin_with(origin: str, current: Current | Absent, places: Sequence[tuple[float, float]]) -> str:
    """Return `live` or `simulated` of an answer for some places that would be of an origin without snow."""
    if origin != "live" or isinstance(current, Absent) or current.factors.entry.data_origin == "live":
        return origin
    applied = any(current.near(*place).within_reach for place in places)
    return current.factors.entry.data_origin if applied else origin


def on_systems(
    current: Current | Absent, systems: Mapping[str, tuple[float, float, Sequence[PvArray]]], starts: Moments
) -> OnSystems:
    """Return what snow does to the systems of a bulk call that have an answer; nothing in it depends on the moment.

    Parameters
    ----------
    current : Current or Absent
        From `SnowFactors.current`.
    systems : mapping of str to (lat, lon, arrays)
        By id.
    starts : int64 (n,)
        Starts of the hours, unix seconds.
    """
    if isinstance(current, Absent):
        return OnSystems(told_of(current), {})
    plants = {name: _local(current, *system, starts) for name, system in systems.items()}
    reasons = [plant.told["reason"] for plant in plants.values() if not plant.applied]
    if len(reasons) < len(plants):
        said: dict[str, Any] = {"snow_applied": True}
    else:
        said = {"snow_applied": False, "reason": reasons[0] if reasons else "no_production"}
    told = {**said, **told_of(current), "systems": {name: _in_order(plant.told) for name, plant in plants.items()}}
    return OnSystems(told, plants)


def _local(current: Current, lat: float, lon: float, arrays: Sequence[PvArray], starts: Moments) -> OnPlant:
    factors, near = current.factors, current.near(lat, lon)
    kommune = _kommune(factors, near)
    if not near.within_reach:
        return OnPlant({"snow_applied": False, "reason": "no_kommune_near", **kommune})
    geometries = factors.geometries_of(np.array([(array.tilt_deg, array.azimuth_deg) for array in arrays], np.float64))
    by_day, day, known = factors.table[near.row, geometries], factors.day_of(starts), factors.known[near.row]
    there = np.zeros_like(known)
    there[day] = True
    days = np.flatnonzero(there & known)
    if not days.size:
        return OnPlant({"snow_applied": False, "reason": "snow_data_missing", **kommune})
    of_days = by_day[:, days].round(4).tolist()
    told = {
        "snow_applied": True,
        **kommune,
        "dates": [factors.dates[one] for one in days.tolist()],
        "hours_not_reduced": day.size - int(np.count_nonzero(known[day])),
        "arrays": [
            {"name": array.name, "reference_geometry": _plane(factors, geometry), "factors": of_array}
            for array, geometry, of_array in zip(arrays, geometries.tolist(), of_days, strict=True)
        ],
    }
    return OnPlant(told, by_day[:, day], factors.entry.data_origin)


def _kommune(factors: Factors, near: Near) -> dict[str, Any]:
    one = factors.municipalities[near.row]
    return {
        "kommune": one.name,
        "kommune_number": f"{one.number:04d}",
        "kommune_by": near.by,
        "kommune_distance_km": round(near.km, 1),
    }


def _plane(factors: Factors, geometry: int) -> dict[str, Any]:
    plane = factors.geometries[geometry]
    return {"tilt_deg": plane.tilt, "azimuth_deg": plane.azimuth, "mounting": MOUNTING}


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


_ORDER = (
    "snow_applied", "reason", "source", "issued_utc", "age_hours", "data_origin", "kommune", "kommune_number",
    "kommune_by", "kommune_distance_km", "dates", "hours_not_reduced", "geometry_note", "note", "arrays",
)  # fmt: skip


def _in_order(told: Mapping[str, Any]) -> dict[str, Any]:
    return {name: told[name] for name in _ORDER if name in told}
