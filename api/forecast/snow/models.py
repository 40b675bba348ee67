"""What an answer says of snow, as the document declares it."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from api.fields import absent

_ISSUED = Annotated[
    str, Field(description="When the factors were made, ISO 8601 UTC.", json_schema_extra={"format": "date-time"})
]
_AGE = Annotated[float, Field(ge=0, description="Hours since then; beyond 36 they are not applied.")]
_SOURCE = Annotated[str, Field(description="Who is to be named for the snow data.")]
_ORIGIN = Annotated[Literal["live", "simulated"], Field(description="Of the factors; the answer's `data_origin` too.")]
_KOMMUNE = Annotated[str, Field(description="The municipality whose factors these are.")]
_NUMBER = Annotated[str, Field(description="Its number (kommunenummer).", pattern=r"^\d{4}$")]
_BY = Annotated[
    Literal["borders", "nearest"],
    Field(
        description=(
            "`borders`: the plant's cell of 3 km, or the nearest on land within 6 km, lies in it. `nearest`: its "
            "position is the nearest; so where no borders are published, none is near, or there are no factors of the "
            "municipality that the plant lies in."
        )
    ),
]
_DISTANCE = Annotated[
    float,
    Field(
        ge=0,
        description="From the plant to the municipality's position, km; at most 60 where `kommune_by` is `nearest`.",
    ),
]
_WHICH = "The one that the plant lies in, or the nearest."
_NOTE = Annotated[str, Field(description="What a date is, and which hours are not reduced.")]
_GEOMETRY_NOTE = Annotated[
    str, Field(description="Which planes there are, how one is chosen, and which cells factors are means of.")
]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ReferenceGeometry(_Model):
    """The plane of reference whose factors an array takes."""

    tilt_deg: float
    azimuth_deg: float = Field(description="Compass: 0 north, 90 east, 180 south, 270 west.")
    mounting: Literal["roof"]


class SnowArray(_Model):
    """One array."""

    name: str
    reference_geometry: ReferenceGeometry
    factors: list[Annotated[float, Field(ge=0, le=1)]] = Field(
        description="What snow leaves of the power on each of `dates`."
    )


class _Local(_Model):
    snow_applied: Literal[True] = Field(description="The production is less for it, or would be if snow lay.")
    kommune: _KOMMUNE
    kommune_number: _NUMBER
    kommune_by: _BY
    kommune_distance_km: _DISTANCE
    dates: list[str] = Field(
        description="Days of the series that factors are of: each from 06 UTC of its date to 06 UTC of the next."
    )
    hours_not_reduced: int = Field(ge=0, description="Hours of the series on other days.")
    arrays: list[SnowArray]


class Snow(_Local):
    """Snow on the modules, where it is applied."""

    source: _SOURCE
    issued_utc: _ISSUED
    age_hours: _AGE
    data_origin: _ORIGIN
    geometry_note: _GEOMETRY_NOTE
    note: _NOTE


LocalReason = Literal["no_kommune_near", "snow_data_missing"]
REASON = (
    "`snow_blob_unavailable`: no factors are published; `snow_data_stale`: the newest are older than 36 hours; "
    "`no_kommune_near`: the position lies in no municipality that has factors, and the nearest is farther than "
    "60 km; `snow_data_missing`: the municipality has no factor of these days"
)


class SnowNotApplied(_Model):
    """Snow on the modules, where it is not applied."""

    snow_applied: Literal[False]
    reason: Literal["snow_blob_unavailable", "snow_data_stale"] | LocalReason = Field(description=f"{REASON}.")
    source: _SOURCE | SkipJsonSchema[None] = Field(None, json_schema_extra=absent)
    issued_utc: _ISSUED | SkipJsonSchema[None] = Field(None, json_schema_extra=absent)
    age_hours: Annotated[float, Field(ge=0)] | SkipJsonSchema[None] = Field(None, json_schema_extra=absent)
    data_origin: _ORIGIN | SkipJsonSchema[None] = Field(None, json_schema_extra=absent)
    kommune: str | SkipJsonSchema[None] = Field(None, json_schema_extra=absent, description=_WHICH)
    kommune_number: _NUMBER | SkipJsonSchema[None] = Field(None, json_schema_extra=absent)
    kommune_by: _BY | SkipJsonSchema[None] = Field(None, json_schema_extra=absent)
    kommune_distance_km: Annotated[float, Field(ge=0)] | SkipJsonSchema[None] = Field(None, json_schema_extra=absent)
    geometry_note: _GEOMETRY_NOTE | SkipJsonSchema[None] = Field(None, json_schema_extra=absent)
    note: _NOTE | SkipJsonSchema[None] = Field(None, json_schema_extra=absent)


class SnowOfSystem(_Local):
    """Snow on the modules of one system."""


class NoSnowOfSystem(_Model):
    """Why snow is not applied to one system."""

    snow_applied: Literal[False]
    reason: LocalReason
    kommune: str = Field(description=_WHICH)
    kommune_number: _NUMBER
    kommune_by: _BY
    kommune_distance_km: Annotated[float, Field(ge=0)]


class BulkSnow(_Model):
    """Snow on the modules of a bulk call's systems."""

    snow_applied: bool = Field(description="Whether it is applied to any of them.")
    reason: (
        Literal["not_requested", "snow_blob_unavailable", "snow_data_stale", "no_production"]
        | LocalReason
        | SkipJsonSchema[None]
    ) = Field(
        None,
        json_schema_extra=absent,
        description=f"Why to none: `not_requested`; `no_production`: no system has a result; {REASON}.",
    )
    source: _SOURCE | SkipJsonSchema[None] = Field(None, json_schema_extra=absent)
    issued_utc: _ISSUED | SkipJsonSchema[None] = Field(None, json_schema_extra=absent)
    data_origin: _ORIGIN | SkipJsonSchema[None] = Field(None, json_schema_extra=absent)
    geometry_note: _GEOMETRY_NOTE | SkipJsonSchema[None] = Field(None, json_schema_extra=absent)
    note: _NOTE | SkipJsonSchema[None] = Field(None, json_schema_extra=absent)
    systems: dict[str, SnowOfSystem | NoSnowOfSystem] | SkipJsonSchema[None] = Field(
        None, json_schema_extra=absent, description="By `id`, of each system that has a result."
    )
