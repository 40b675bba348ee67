"""What a bulk call takes and gives, as the document declares it."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from api.error_bodies import Error
from api.fields import Label, Number
from api.forecast.models import Hour, HourColumns
from api.forecast.production.models import (
    EXAMPLE,
    PERFORMANCE_RATIO,
    TEMP_COEFF_PMAX,
    Arrays,
    Choice,
    PerformanceRatio,
    PvColumns,
    PvHour,
    PvSums,
    TempCoeffPmax,
    composed,
)
from api.forecast.snow.models import BulkSnow

MAX_SYSTEMS = 50


class System(BaseModel):
    """One plant of a bulk call."""

    id: Label = Field(description="Key of its result; each once.")
    # No bounds: what lies outside the coverage has an error of its own, in its result.
    latitude: Number = Field(description="Degrees north (WGS84).")
    longitude: Number = Field(description="Degrees east (WGS84).")
    arrays: Arrays = Field(min_length=1, description="One per roof surface or string.")
    performance_ratio: PerformanceRatio | None = Field(None, description="In place of the call's.")
    temp_coeff_pmax: TempCoeffPmax = TEMP_COEFF_PMAX


def _distinct(systems: Sequence[System]) -> Sequence[System]:
    taken: set[str] = set()
    for index, system in enumerate(systems):
        identity = composed(system.id)
        if identity in taken:
            raise PydanticCustomError("id_taken", "id", {"index": index})
        taken.add(identity)
    return systems


class BulkRequest(Choice):
    """Several plants."""

    performance_ratio: PerformanceRatio = PERFORMANCE_RATIO
    systems: Annotated[
        list[System],
        Field(min_length=1, max_length=MAX_SYSTEMS, description="The plants; fewer by plan."),
        AfterValidator(_distinct),
    ]


class BulkResult(BaseModel):
    """The series of one plant."""

    model_config = ConfigDict(extra="forbid")

    latitude: float = Field(description="As given, degrees north.")
    longitude: float = Field(description="As given, degrees east.")
    ghi_timeseries: list[Hour] | HourColumns
    pv_timeseries: list[PvHour] | PvColumns
    pv_system: PvSums


class Bulk(BaseModel):
    """The series of several plants, all of one cycle."""

    model_config = ConfigDict(extra="forbid")

    cycle_time: str = Field(
        description="When the forecast was run, ISO 8601 UTC.", json_schema_extra={"format": "date-time"}
    )
    data_mode: Literal["v23b", "v23b_daily", "v1"] = Field(description="The mode used, after any fallback.")
    data_origin: Literal["live", "simulated"] = Field(
        description="Whether the weather is real, and the snow if applied."
    )
    snow: BulkSnow
    results: dict[str, BulkResult | Error] = Field(
        description="By `id`; one that cannot be answered has `error` in place of all else."
    )


_ARRAYS: list[Any] = EXAMPLE["arrays"]
BULK_EXAMPLE: dict[str, Any] = {
    "performance_ratio": 0.85,
    "systems": [{"id": "jegerveien", "latitude": 59.958, "longitude": 10.69, "arrays": _ARRAYS}],
}
