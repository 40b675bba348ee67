"""Snow in answers, as the document declares it."""

from typing import Annotated, Literal

from pydantic import Field

from api.core.fields import Closed, Maybe

AbsentReason = Literal["snow_blob_unavailable", "snow_data_stale"]
LocalReason = Literal["no_kommune_near", "snow_data_missing"]
_ABSENT = "`snow_blob_unavailable`: no factors are published; `snow_data_stale`: the newest are older than 36 hours"
_LOCAL = (
    "`no_kommune_near`: the position lies in no municipality that has factors, and the nearest is farther than 60 km; "
    "`snow_data_missing`: the municipality has no factor of these days"
)
Moment = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
_Age = Annotated[float, Field(ge=0, description="Hours since then; beyond 36 they are not applied.")]


class ReferenceGeometry(Closed):
    """The plane of reference whose factors an array takes."""

    tilt_deg: float
    azimuth_deg: float = Field(description="Compass: 0 north, 90 east, 180 south, 270 west.")
    mounting: Literal["roof"]


class SnowArray(Closed):
    """One array."""

    name: str
    reference_geometry: ReferenceGeometry
    factors: list[Annotated[float, Field(ge=0, le=1)]] = Field(
        description="What snow leaves of the power on each of `dates`."
    )


class _Municipality(Closed):
    kommune: str = Field(description="The municipality that the plant lies in, or the nearest.")
    kommune_number: str = Field(description="Its number (kommunenummer).", pattern=r"^\d{4}$")
    kommune_by: Literal["borders", "nearest"] = Field(
        description="`borders`: the plant's cell of 3 km, or the nearest on land within 6 km, lies in it. `nearest`: "
        "its position is the nearest; so where no borders are published, none is near, or there are no factors of the "
        "municipality that the plant lies in."
    )
    kommune_distance_km: float = Field(
        ge=0,
        description="From the plant to the municipality's position, km; of factors that are applied at most 60 where "
        "`kommune_by` is `nearest`.",
    )


class SnowOfSystem(_Municipality):
    """Snow on the modules of one system."""

    snow_applied: Literal[True] = Field(description="The production is less for it, or would be if snow lay.")
    dates: list[str] = Field(
        description="Days of the series that factors are of: each from 06 UTC of its date to 06 UTC of the next."
    )
    hours_not_reduced: int = Field(ge=0, description="Hours of the series on other days.")
    arrays: list[SnowArray]


class NoSnowOfSystem(_Municipality):
    """Why snow is not applied to one system."""

    snow_applied: Literal[False]
    reason: LocalReason = Field(description=f"{_LOCAL}.")


class _Factors(Closed):
    source: Maybe[str] = Field(None, description="Who is to be named for the snow data.")
    issued_utc: Maybe[Moment] = Field(None, description="When the factors were made, ISO 8601 UTC.")
    data_origin: Maybe[Literal["live", "simulated"]] = Field(
        None, description="Of the factors; the answer's `data_origin` too."
    )
    geometry_note: Maybe[str] = Field(
        None, description="Which planes there are, how one is chosen, and which cells factors are means of."
    )
    note: Maybe[str] = Field(None, description="What a date is, and which hours are not reduced.")


class Snow(SnowOfSystem, _Factors):
    """Snow on the modules, where it is applied."""

    age_hours: _Age


class SnowNotApplied(NoSnowOfSystem, _Factors):
    """Snow on the modules, where the municipality's factors are not applied."""

    age_hours: _Age


class SnowAbsent(_Factors):
    """Snow on the modules, where there are no factors."""

    snow_applied: Literal[False]
    reason: AbsentReason = Field(description=f"{_ABSENT}.")
    age_hours: Maybe[_Age] = None


class BulkSnow(_Factors):
    """Snow on the modules of a bulk call's systems."""

    snow_applied: bool = Field(description="Whether it is applied to any of them.")
    reason: Maybe[Literal["not_requested", "no_production"] | AbsentReason | LocalReason] = Field(
        None,
        description=f"Why to none: `not_requested`; `no_production`: no system has a result; {_ABSENT}; {_LOCAL}.",
    )
    systems: Maybe[dict[str, SnowOfSystem | NoSnowOfSystem]] = Field(
        None, description="By `id`, of each system that has a result."
    )
