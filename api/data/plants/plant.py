"""Types of a registered plant."""

import secrets
import string
from datetime import datetime
from typing import Any, NamedTuple

_CHARACTERS = string.ascii_letters + string.digits
_RANDOM = 22


class Array(NamedTuple):
    """A surface with modules; the azimuth is clockwise from north."""

    name: str
    kwp: float
    tilt_deg: float
    azimuth_deg: float


class Plant(NamedTuple):
    """A registered plant.

    Parameters
    ----------
    id : str
    account : int
        Whose it is; 0 where the service is open to everybody.
    name : str
    lat, lon : float
    arrays : tuple of Array
    performance_ratio : float
    is_home : bool
    consent_at : datetime
    consent_version : str
        Of the text that was consented to.
    interpreter_consent : bool
        Whether headings and masked rows of files may be sent to a language model.
    created_at : datetime
    used_at : datetime
        Last forecast, upload or measurement, give or take a day.
    data_at : datetime or None
        When measurements were stored last.
    calibration : dict or None
        JSON; None before the first calibration.
    calibrated_at : datetime or None
    """

    id: str
    account: int
    name: str
    lat: float
    lon: float
    arrays: tuple[Array, ...]
    performance_ratio: float
    is_home: bool
    consent_at: datetime
    consent_version: str
    interpreter_consent: bool
    created_at: datetime
    used_at: datetime
    data_at: datetime | None = None
    calibration: dict[str, Any] | None = None
    calibrated_at: datetime | None = None

    @property
    def kwp(self) -> float:
        """Power of all surfaces, kWp."""
        return sum(array.kwp for array in self.arrays)


def new_id(prefix: str) -> str:
    """Return a new id: `anl_` or `opp_` and 131 random bits."""
    return prefix + "".join(secrets.choice(_CHARACTERS) for _ in range(_RANDOM))


def is_id(text: str, prefix: str) -> bool:
    """Return whether a text could be an id; others are not looked up, and PostgreSQL takes no NUL."""
    own = text.removeprefix(prefix)
    return len(text) == len(prefix) + _RANDOM and len(own) == _RANDOM and own.isascii() and own.isalnum()
