"""The problems that every endpoint group shares; `problems.toml` has the texts of all."""

from typing import Any

from pydantic import Field

from api.core.errors import CATALOGUE, Error, problem
from api.core.fields import Closed, Maybe


class Unreadable(Error):
    """The body cannot be read."""

    example: Any = Field(description="A body that works.")


class Coordinate(Closed):
    """A plant's coordinate as it is counted: rounded to 4 decimals."""

    latitude: float
    longitude: float


class PlantQuota(Closed):
    """State of the day's plants."""

    plan: str = Field(description="The key's plan; `anonymous` without key.")
    limit: int = Field(description="Plants a day.", ge=0)
    used: int = Field(ge=0)
    remaining: int = Field(ge=0)
    resets_at: str = Field(description="ISO 8601 UTC.", json_schema_extra={"format": "date-time"})
    rejected_coords: list[Coordinate] = Field(description="The new plants that the request asked for.", min_length=1)


class PlantsUsedUp(Error):
    """The request asks for more new plants than are left today."""

    quota: PlantQuota


class NearestBuilt(Closed):
    """The nearest place that is built."""

    lat: float
    lon: float
    distance_km: float = Field(ge=0)


class NotBuilt(Error):
    """The operator has not built the data of this place."""

    build: Maybe[str] = Field(None, description="The command that builds them, for the operator.")
    nearest: Maybe[NearestBuilt] = Field(None, description="Absent where nothing is built.")


# Keys, plans, quotas and rates.
INVALID_KEY = problem("core.INVALID_KEY")
API_KEY_REQUIRED = problem("core.API_KEY_REQUIRED")
BETA = problem("core.BETA")
NEEDS_EXTENDED = problem("core.NEEDS_EXTENDED")
NEEDS_RIGHT = {"daily": problem("core.NEEDS_DAILY"), "extended": NEEDS_EXTENDED}
TOO_MUCH_POWER = problem("core.TOO_MUCH_POWER")
TOO_MANY_SYSTEMS = problem("core.TOO_MANY_SYSTEMS")
ANONYMOUS_REQUESTS_USED = problem("core.ANONYMOUS_REQUESTS_USED")
PLAN_REQUESTS_USED = problem("core.PLAN_REQUESTS_USED")
TMY_REQUESTS_USED = problem("core.TMY_REQUESTS_USED")
PLANTS_USED = problem("core.PLANTS_USED", PlantsUsedUp)
ANONYMOUS_PLANTS_USED = problem("core.ANONYMOUS_PLANTS_USED", PlantsUsedUp)
NO_COUNTING = problem("core.NO_COUNTING")
TOO_MANY = problem("core.TOO_MANY")
NO_RATES = problem("core.NO_RATES")
NOT_FOR_YOU = problem("core.NOT_FOR_YOU")


# Query parameters.


REPEATED = problem("core.REPEATED")
MISSING = problem("core.MISSING")
NOT_A_NUMBER = problem("core.NOT_A_NUMBER")
NOT_A_FLAG = problem("core.NOT_A_FLAG")
NOT_A_CHOICE = problem("core.NOT_A_CHOICE")
NOT_BETWEEN = problem("core.NOT_BETWEEN")
NOT_WHOLE_BETWEEN = problem("core.NOT_WHOLE_BETWEEN")
INVALID_VALUE = problem("core.INVALID_VALUE")
POINT = problem("core.POINT")

# Request bodies.
INVALID_JSON = problem("core.INVALID_JSON", Unreadable)
INVALID_FORM = problem("core.INVALID_FORM")
NOT_AN_ADDRESS = problem("core.NOT_AN_ADDRESS")


FIELD_INVALID = problem("core.FIELD_INVALID")
# By pydantic's types of errors; what is not here is FIELD_INVALID.
FIELDS = {kind: problem(f"field.{kinds}") for kinds in CATALOGUE["field"] for kind in kinds.split()}

# HTTP itself.
UNKNOWN_PATH = problem("core.UNKNOWN_PATH")
WRONG_METHOD = problem("core.WRONG_METHOD")
BODY_TOO_SLOW = problem("core.BODY_TOO_SLOW")
TOO_SLOW = problem("core.TOO_SLOW")
BODY_TOO_LARGE = problem("core.BODY_TOO_LARGE")
ADDRESS_TOO_LONG = problem("core.ADDRESS_TOO_LONG")
WRONG_MEDIA = problem("core.WRONG_MEDIA")
ENCODED_BODY = problem("core.ENCODED_BODY")
HEAD_TOO_LARGE = problem("core.HEAD_TOO_LARGE")
MALFORMED = problem("core.MALFORMED")
NOT_EXPECTED = problem("core.NOT_EXPECTED")
OVERDUE = problem("core.OVERDUE")
STOPPING = problem("core.STOPPING")
INTERNAL = problem("core.INTERNAL")

# Data and machines.
BUSY = problem("core.BUSY")
NO_PICTURE = problem("core.NO_PICTURE")
QUEUE_FULL = problem("core.QUEUE_FULL")
NO_JOBS = problem("core.NO_JOBS")
JOB_FAILED = problem("core.JOB_FAILED")
JOB_CANCELLED = problem("core.JOB_CANCELLED")
MAIL_REFUSED = problem("core.MAIL_REFUSED")


DAMAGED = problem("core.DAMAGED")
DAMAGED_AVOIDABLE = problem("core.DAMAGED_AVOIDABLE")
NOT_PUBLISHED = problem("core.NOT_PUBLISHED", NotBuilt)
NOT_BUILT_HERE = problem("core.NOT_BUILT_HERE", NotBuilt)
