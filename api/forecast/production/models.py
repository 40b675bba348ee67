"""What production takes and gives, as the document declares it."""

import unicodedata
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from api.fields import Flag, Label, Number, absent
from api.forecast.models import LAT, LON, Forecast, PvArray, bounds
from api.forecast.rows import LAYOUT, Layout
from api.forecast.snow.models import Snow, SnowNotApplied

MAX_ARRAYS = 50
PERFORMANCE_RATIO = 0.85
TEMP_COEFF_PMAX = -0.004
# For the document alone: pydantic would warn whenever such a field is read.
_OLD: dict[str, JsonValue] = {"deprecated": True}
# The field prefix of the sum.
RESERVED = "total"


def composed(name: str) -> str:
    """Return a name as a reader has it that composes characters."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def _distinct(arrays: Sequence[PvArray]) -> Sequence[PvArray]:
    """Refuse names that would be one field, in this answer or in a reader that composes characters."""
    taken = {RESERVED}
    for index, array in enumerate(arrays):
        name = composed(array.name)
        if name in taken:
            kind = "name_reserved" if name == RESERVED else "name_taken"
            raise PydanticCustomError(kind, "name", {"index": index})
        taken.add(name)
    return arrays


Arrays = Annotated[
    list[PvArray],
    Field(max_length=MAX_ARRAYS),
    AfterValidator(_distinct),
]
PerformanceRatio = Annotated[Number, Field(ge=0, le=1, description="System efficiency.")]
TempCoeffPmax = Annotated[
    Number,
    Field(ge=-0.02, le=0, description="Temperature coefficient of the modules' power, per degree C."),
]
Latitude = Annotated[Number, Field(description="Degrees north (WGS84).", json_schema_extra=bounds(LAT))]
Longitude = Annotated[Number, Field(description="Degrees east (WGS84).", json_schema_extra=bounds(LON))]


class Choice(BaseModel):
    """Which series is wanted; the fields of `GET /api/forecast`."""

    model: Literal["v23b", "v1"] = Field(
        "v23b", description="`v23b`, or the outgoing `v1`, which is ignored from 2026-11-19 (header Sunset)."
    )
    daily: Flag = Field(False, description="The series from midnight UTC on; needs plan basic or higher.")
    snow: Flag = Field(
        False, description="Production is reduced by snow on the modules, where fresh factors are; `snow` says which."
    )
    v23b: Flag = Field(True, description="Legacy: `false` is `model=v1`; same sunset.", json_schema_extra=_OLD)
    corrected: Flag = Field(False, description="Legacy: `true` is `model=v1`; same sunset.", json_schema_extra=_OLD)
    fresh: Flag = Field(False, description="Legacy: `true` is `model=v1`; same sunset.", json_schema_extra=_OLD)
    layout: Layout = Field("rows", description=LAYOUT)


class _Plant(BaseModel):
    latitude: Latitude
    longitude: Longitude
    arrays: Arrays = Field(
        [], description="One per roof surface or string; without any, the answer is irradiance alone."
    )
    performance_ratio: PerformanceRatio = PERFORMANCE_RATIO
    temp_coeff_pmax: TempCoeffPmax = TEMP_COEFF_PMAX
    altitude_m: Annotated[Number, Field(ge=-50, le=3000)] = Field(
        0, description="Metres above sea level; used only with `precise`."
    )
    precise: Flag = Field(False, description="Perez transposition, module and wind models, terrain horizon; slower.")
    anlegg_id: Label | None = Field(None, description="A registered plant. None can be registered yet: 404.")


class ForecastRequest(Choice, _Plant):  # pydantic puts the fields of the last base first
    """A place, and the plant that stands there."""


class PvHour(BaseModel):
    """Production in one hour; beside these fields one `<name>_W` per array, W."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[
        str, Annotated[float, Field(ge=0, description="`<name>_W`: power of that array, mean over the hour, W.")]
    ]

    hour: int = Field(description="Index from 0; not the clock.")
    timestamp: str = Field(description="Start of the hour, ISO 8601 UTC.", json_schema_extra={"format": "date-time"})
    ghi_wm2: float = Field(description="Global horizontal irradiance, mean over the hour, W/m2.", ge=0)
    total_W: float = Field(description="Sum of the arrays' power, mean over the hour, W.", ge=0)  # noqa: N815
    total_kWh: float = Field(description="Energy in the hour, kWh.", ge=0)  # noqa: N815


class PvColumns(BaseModel):
    """`layout=columns`: one array per field of the rows."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, list[float]]

    hour: list[int]
    timestamp: list[str]
    ghi_wm2: list[float]
    total_W: list[float]  # noqa: N815
    total_kWh: list[float]  # noqa: N815


class PvSums(BaseModel):
    """The plant over the whole series."""

    model_config = ConfigDict(extra="forbid")

    total_kwp: float = Field(description="Sum over the arrays, kWp.", ge=0)
    peak_power_w: float = Field(description="Highest hourly power, W.", ge=0)
    total_production_kwh: float = Field(
        description="Sum over the series (with `daily` from midnight UTC on), kWh.", ge=0
    )


class AppliedHorizon(BaseModel):
    """Which horizon cut off the sun: what `GET /api/horizon/terrain` answers for the same position."""

    model_config = ConfigDict(extra="forbid")

    version: str = Field(description="The hour at which its tiles' build began.")
    tile_key: str
    dtm_year: int | None = Field(description="Year of the terrain data; null: not known.")
    data_origin: Literal["live", "simulated"]


class PvSystem(PvSums):
    """The plant that was calculated, and its sums over the whole series."""

    arrays: list[PvArray] = Field(description="As given.")
    performance_ratio: float = Field(description="As used.")
    engine: Literal["simplified_haydavies_v1", "perez_huld_v1"] = Field(description="What calculated it.")
    horizon_applied: bool = Field(
        description="Whether the terrain's horizon cut off the sun: with `precise`, where it is known."
    )
    horizon: AppliedHorizon | SkipJsonSchema[None] = Field(
        None, json_schema_extra=absent, description="Where one is applied."
    )
    no_horizon: str | SkipJsonSchema[None] = Field(
        None, json_schema_extra=absent, description="Why none is applied, with `precise`."
    )


class Production(Forecast):
    """The forecast of a point; with arrays, production too."""

    pv_system: PvSystem | SkipJsonSchema[None] = Field(None, json_schema_extra=absent, description="With arrays.")
    pv_timeseries: list[PvHour] | PvColumns | SkipJsonSchema[None] = Field(
        None, json_schema_extra=absent, description="With arrays."
    )
    snow: Snow | SnowNotApplied | SkipJsonSchema[None] = Field(
        None, json_schema_extra=absent, description="With arrays and `snow`."
    )


EXAMPLE: dict[str, Any] = {
    "latitude": 59.958,
    "longitude": 10.69,
    "arrays": [
        {"name": "sor", "kwp": 6.4, "tilt_deg": 30, "azimuth_deg": 180},
        {"name": "vest", "kwp": 3.2, "tilt_deg": 30, "azimuth_deg": 270},
    ],
}
