"""The problems of the plant endpoints."""

from pydantic import Field

from api.core.errors import Error, problem
from api.core.fields import Closed, Maybe

MAX_VALUES = 20_000
"""Measurements in one call."""

MAX_FILE_BYTES = 10_000_000
"""Of an uploaded file."""

MAX_PLANTS = 1000
"""Of an account."""

WITHIN_S = 75.0
"""For the answer to an upload; its job goes on after it."""


class MeasurementProblem(Closed):
    """What is wrong with a measurement, or with all of them."""

    tekst: str = Field(description="Norwegian.")
    tid: Maybe[str] = Field(None, description="Start of the hour (UTC), or the time as it was sent.")
    verdi_kwh: Maybe[float] = Field(None, description="Energy of the hour, kWh.")
    kode: Maybe[str] = Field(None, description="That of the finding, as in `kontroll.funn[]`.")


class FailedChecks(Error):
    """Measurements cannot be true; nothing is stored."""

    problemer: list[MeasurementProblem] = Field(min_length=1)


class Late(Error):
    """The file is still being read."""

    opplasting_id: str = Field(description="For `GET /api/anlegg/{id}/produksjon/{opplasting}`, when it is read.")


CONSENT_REQUIRED = problem("plants.CONSENT_REQUIRED")
COORDINATES = problem("plants.COORDINATES")
ARRAYS = problem("plants.ARRAYS")
ZONE = problem("plants.ZONE")
TOO_MANY_PLANTS = problem("plants.TOO_MANY_PLANTS", most=MAX_PLANTS)
NOT_FOUND = problem("plants.NOT_FOUND")
UPLOAD_NOT_FOUND = problem("plants.UPLOAD_NOT_FOUND")
UPLOAD_FAILED_CHECKS = problem("plants.UPLOAD_FAILED_CHECKS")
NOT_WAITING = problem("plants.NOT_WAITING")
TOO_MANY_VALUES = problem("plants.TOO_MANY_VALUES", most=MAX_VALUES)
FILE_TOO_LARGE = problem("plants.FILE_TOO_LARGE", megabytes=MAX_FILE_BYTES // 1_000_000)
NO_FILE = problem("plants.NO_FILE")
UNREADABLE = problem("plants.UNREADABLE")
NOT_INTERPRETED = problem("plants.NOT_INTERPRETED")
FAILED_CHECKS = problem("plants.FAILED_CHECKS", FailedChecks)
TIMEOUT = problem("plants.TIMEOUT", Late, seconds=f"{WITHIN_S:g}")
NO_DATABASE = problem("plants.NO_DATABASE")
