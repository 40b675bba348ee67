"""What is counted: plain values that gate, ledger and settlement hand to each other."""

from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

from api.access.plans import Plan
from tiles.clock import iso

_PER_DEGREE = 10_000
# A coordinate as one integer: rows of more columns than there are steps of longitude.
_LAT_OFFSET, _LON_OFFSET, _COLUMNS = 90 * _PER_DEGREE, 180 * _PER_DEGREE, 1000 * _PER_DEGREE


def point_of(lat: float, lon: float) -> int:
    """Return the plant that a coordinate is: the coordinate rounded to 4 decimals, as one integer."""
    return (round(lat * _PER_DEGREE) + _LAT_OFFSET) * _COLUMNS + round(lon * _PER_DEGREE) + _LON_OFFSET


def coordinate_of(point: int) -> tuple[float, float]:
    """Return the rounded coordinate of a plant."""
    row, column = divmod(point, _COLUMNS)
    return (row - _LAT_OFFSET) / _PER_DEGREE, (column - _LON_OFFSET) / _PER_DEGREE


class Allowance(NamedTuple):
    """What somebody may use in a day.

    Parameters
    ----------
    plan : str
        The plan's name in answers; empty for callers without key.
    requests : int
    plants : int or None
        None where plants are not counted.
    """

    plan: str
    requests: int
    plants: int | None


def allowance_of(name: str, plan: Plan) -> Allowance:
    """Return what a plan allows of forecasts in a day; `name` is empty for callers without key."""
    return Allowance(name, plan.requests_per_day, plan.plants_per_day)


class Charge(NamedTuple):
    """What a request asks to be charged.

    Parameters
    ----------
    request_id : str
    key : bytes or None
        Digest of the caller's key, which must be active.
    payer : str or None
        Who pays, by `allowance`; None is the key's account, by the plan that it has then.
    allowance : Allowance
    points : tuple of int
        From `point_of`; a point that was charged today costs nothing more.
    """

    request_id: str
    key: bytes | None
    payer: str | None
    allowance: Allowance
    points: tuple[int, ...]


class Account(NamedTuple):
    """Whose key it is.

    Parameters
    ----------
    id : int
    plan : str
    """

    id: int
    plan: str


class Quota(NamedTuple):
    """What somebody has used of a day.

    Parameters
    ----------
    allowance : Allowance
    requests, plants : int
        Used.
    day : date
        UTC.
    """

    allowance: Allowance
    requests: int
    plants: int
    day: date

    @property
    def resets_at(self) -> datetime:
        """When counting begins anew."""
        return _end_of(self.day)

    def headers(self) -> dict[str, str]:
        """Return the headers of every answer that is counted; the reset is in seconds since 1970."""
        limit = self.allowance.requests
        headers = {
            "X-Quota-Limit": str(limit),
            "X-Quota-Remaining": str(max(0, limit - self.requests)),
            "X-Quota-Reset": _reset_of(self.day),
        }
        if self.allowance.plants is not None:
            headers["X-Quota-Plants-Limit"] = str(self.allowance.plants)
            headers["X-Quota-Plants-Remaining"] = str(max(0, self.allowance.plants - self.plants))
        return headers


def _end_of(day: date) -> datetime:
    return datetime.combine(day + timedelta(days=1), time(), UTC)


@lru_cache(8)
def _reset_of(day: date) -> str:
    return str(int(_end_of(day).timestamp()))


class UsedUp(NamedTuple):
    """Too little is left today: nothing was charged.

    Parameters
    ----------
    quota : Quota
    rejected : tuple of int
        The new plants, which are more than are left; empty where no request is left.
    """

    quota: Quota
    rejected: tuple[int, ...] = ()

    def body(self) -> dict[str, Any]:
        """Return the `quota` of the answer's body."""
        quota = self.quota
        limit = quota.allowance.plants or 0
        rejected = (coordinate_of(point) for point in self.rejected)
        return {
            "plan": quota.allowance.plan or "anonymous",
            "limit": limit,
            "used": quota.plants,
            "remaining": max(0, limit - quota.plants),
            "resets_at": iso(quota.resets_at),
            "rejected_coords": [{"latitude": lat, "longitude": lon} for lat, lon in rejected],
        }


Settled = Quota | UsedUp | None
"""The outcome of a charge; None: the key is unknown or deactivated, or its account has a plan that no file has."""
