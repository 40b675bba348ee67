"""What `/api/forecast/nowcast` takes and gives, as the document declares it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from pydantic.json_schema import SkipJsonSchema

from api.fields import absent
from api.forecast.models import GridIndex

SATELLITE = "v7_satellite_nowcast"
FALLBACK = "v23b_fallback"

_TIME: dict[str, JsonValue] = {"format": "date-time"}


class NowcastHour(BaseModel):
    """One hour."""

    model_config = ConfigDict(extra="forbid")

    time: str = Field(description="Start of the hour, ISO 8601 UTC.", json_schema_extra=_TIME)
    ghi_wm2: float = Field(description="Global horizontal irradiance, mean over the hour, W/m2.", ge=0)
    v23b_ghi_wm2: float = Field(description="The same by the forecast v2.3b alone, W/m2.", ge=0)
    kt: float | SkipJsonSchema[None] = Field(
        None,
        json_schema_extra=absent,
        ge=0,
        description="With satellite: clearness index, the share of the irradiance outside the atmosphere; 0 at night.",
    )
    clearsky_wm2: float | SkipJsonSchema[None] = Field(
        None, json_schema_extra=absent, ge=0, description="With satellite: irradiance under a cloudless sky, W/m2."
    )


class NowcastColumns(BaseModel):
    """`layout=columns`: one array per field of the rows."""

    model_config = ConfigDict(extra="forbid")

    time: list[str]
    ghi_wm2: list[float]
    v23b_ghi_wm2: list[float]
    kt: list[float] | SkipJsonSchema[None] = Field(None, json_schema_extra=absent)
    clearsky_wm2: list[float] | SkipJsonSchema[None] = Field(None, json_schema_extra=absent)


class Nowcast(BaseModel):
    """The next four hours at a point."""

    model_config = ConfigDict(extra="forbid")

    latitude: float = Field(description="As queried, degrees north.")
    longitude: float = Field(description="As queried, degrees east.")
    grid_index: GridIndex
    source: Literal["v7_satellite_nowcast", "v23b_fallback"] = Field(description="What the hours are made of.")
    fallback_reason: Literal["no_recent_image", "point_not_covered"] | SkipJsonSchema[None] = Field(
        None,
        json_schema_extra=absent,
        description=(
            "With `v23b_fallback`: no image is young enough (late, missing, broken, or it is night), or the newest "
            "says nothing of this point (edge of the disc, low sun, missing pixels)."
        ),
    )
    satellite_time: str | SkipJsonSchema[None] = Field(
        None,
        json_schema_extra=absent,
        description="Nominal time of the image, ISO 8601 UTC; absent where none is young enough.",
    )
    satellite_lag_min: float | SkipJsonSchema[None] = Field(
        None, json_schema_extra=absent, ge=0, description="Age of the image, minutes; as `satellite_time`."
    )
    sat_covered: bool | SkipJsonSchema[None] = Field(
        None, json_schema_extra=absent, description="Whether it covers the point; as `satellite_time`."
    )
    cycle_time: str = Field(description="Of the v2.3b cycle, ISO 8601 UTC.", json_schema_extra=_TIME)
    time_convention: str = Field(description="What the times mean.")
    data_origin: Literal["live", "simulated"] = Field(description="Whether images and weather are real.")
    hours: list[NowcastHour] | NowcastColumns = Field(description="Four hours from the current one.")
