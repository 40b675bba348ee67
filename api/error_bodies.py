"""The bodies of answers that are no success, as the document declares them."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Error(BaseModel):
    """Something is wrong."""

    model_config = ConfigDict(extra="forbid")

    error: str = Field(description="What is wrong; Norwegian unless quoted.")


class Unreadable(Error):
    """The body cannot be read."""

    example: Any = Field(description="A body that works.")


class CodedError(Error):
    """Something is wrong, and programs can tell what."""

    code: str = Field(description="What programs call it.", examples=["INVALID_INPUT"])


class CodedUnreadable(Unreadable, CodedError):
    """The body cannot be read, and programs can tell so."""


class Coordinate(BaseModel):
    """A plant's coordinate as it counts: rounded to 4 decimals."""

    model_config = ConfigDict(extra="forbid")

    latitude: float
    longitude: float


class PlantQuota(BaseModel):
    """How things stand with the day's plants."""

    model_config = ConfigDict(extra="forbid")

    plan: str = Field(description="The key's plan; `anonymous` without key.")
    limit: int = Field(description="Plants a day.", ge=0)
    used: int = Field(ge=0)
    remaining: int = Field(ge=0)
    resets_at: str = Field(description="ISO 8601 UTC.", json_schema_extra={"format": "date-time"})
    rejected_coords: list[Coordinate] = Field(description="The new plants that the request asked for.", min_length=1)


class PlantsUsedUp(Error):
    """The request asks for more new plants than are left today."""

    quota: PlantQuota
