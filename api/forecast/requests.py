"""Queries and bodies of this group."""

import re
from dataclasses import dataclass
from functools import lru_cache
from math import nan
from typing import Annotated, Any, ClassVar, Literal, get_args
from zoneinfo import ZoneInfo

from pydantic import BaseModel, BeforeValidator, Field, ValidationInfo, WithJsonSchema

from api.core.body import distinct
from api.core.fields import Flag, Label, Number, absent
from api.core.query import Combinations, limits
from api.core.query import Flag as QueryFlag
from api.forecast import problems
from api.forecast.place import LAT, LON, PlaceQuery, PvArray
from api.forecast.rows import Layout

MAX_ARRAYS, MAX_SYSTEMS = 50, 50
PERFORMANCE_RATIO, TEMP_COEFF_PMAX = 0.85, -0.004
FormatName = Literal["json", "csv", "parquet", "arrow"]
VariableName = Literal["ghi", "dni", "dhi", "poa", "temp_air", "wind_speed", "cloud"]
_VARIABLES = get_args(VariableName)
_ZONE, _LONGEST_ZONE = re.compile(r"[A-Za-z0-9_+\-/]+"), 64


@lru_cache(maxsize=1024)
def _is_zone(name: str) -> bool:
    try:
        return _ZONE.fullmatch(name) is not None and ZoneInfo(name) is not None
    except (LookupError, ValueError, OSError):
        return False


def _zone(value: Any, info: ValidationInfo) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST_ZONE or not _is_zone(value):
        raise problems.NOT_A_ZONE(info.field_name)
    return value


def _variables(value: Any, info: ValidationInfo) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(value.split(","))) if isinstance(value, str) else ("",)
    if not set(names) <= set(_VARIABLES):
        raise problems.NOT_VARIABLES(info.field_name, choices=", ".join(_VARIABLES))
    return names


Zone = Annotated[
    str, BeforeValidator(_zone), Field(description="Whose days `days` are of, by IANA.", examples=["Europe/Oslo"])
]
Variables = Annotated[
    tuple[VariableName, ...],
    BeforeValidator(_variables),
    WithJsonSchema({"type": "string", "examples": ["dni,dhi,temp_air"]}),
    Field(
        json_schema_extra=absent,
        description=f"Adds to the hours what is asked for, of {', '.join(_VARIABLES)}: dni and dhi by the "
        "decomposition of the engine, poa on each array, cloud in the later hours of an extended forecast.",
    ),
]
_FORMAT = Field(description="A file of one table in place of JSON: hours, units in the names of columns.")
_LAYOUT = Field(description="Lists of rows as they are, or `columns`: each list is one object with an array per field.")
_MODEL = Field(description="`v23b`, or the outgoing `v1`, which is ignored from 2026-11-19 (header Sunset).")
Model = Annotated[Literal["v23b", "v1"], _MODEL]
_DAILY = Field(
    description="The series from midnight UTC on, past hours as the best earlier cycle had them; needs plan basic or "
    "higher. Where no such day is there, `data_mode` says that this is the ordinary series."
)
_PLANT = Field(
    description="A plant of the key's (`POST /api/anlegg`) in place of a position. Position, arrays and performance "
    "ratio are the plant's: given ones are ignored. It needs the header X-Anlegg-Beta too.",
)
_CALIBRATED = Field(description="With `anlegg_id`: `false` gives production as it is without calibration.")
OF_PLANT = ("latitude", "longitude", "arrays", "performance_ratio")
"""Fields of a body that a registered plant brings."""
# For the document alone: pydantic would warn whenever such a field is read.
_NOT_V23B = Field(description="Legacy: `false` is `model=v1`.", json_schema_extra={"deprecated": True})
_V1 = Field(description="Legacy: `true` is `model=v1`.", json_schema_extra={"deprecated": True})


@dataclass(slots=True)
class SeriesQuery(PlaceQuery):
    """A place, and how the answer is laid out."""

    only_with: ClassVar[Combinations] = (("layout", "format", ("json",)),)

    layout: Annotated[Layout, _LAYOUT] = "rows"
    format: Annotated[FormatName, _FORMAT] = "json"


@dataclass(slots=True)
class PlantQuery(SeriesQuery):
    """A place, and the plant that stands there; without arrays, irradiance alone."""

    only_with = (
        *((name, "arrays", (None,)) for name in ("kwp", "tilt", "azimuth")),
        *((name, "anlegg_id", (None,)) for name in ("lat", "lon", "site", "arrays", "kwp", "performance_ratio")),
    )

    kwp: Annotated[
        float | None, Field(ge=0.001, le=100_000, description="Installed power, kWp, with `tilt` and `azimuth`.")
    ] = None
    tilt: Annotated[float | None, Field(ge=0, le=90, description="0 flat, 90 wall.")] = None
    azimuth: Annotated[
        float | None, Field(ge=0, le=360, description="From NORTH: 0 north, 90 east, 180 south, 270 west.")
    ] = None
    arrays: Annotated[
        str | None,
        Field(
            description="Several arrays in place of kwp, tilt and azimuth: `kwp:tilt:azimuth,...`, azimuth from NORTH.",
            examples=["6.4:30:180,3.2:30:270"],
        ),
    ] = None
    performance_ratio: Annotated[float | None, Field(ge=0, le=1, description="As in the POST's body.")] = None
    temp_coeff_pmax: Annotated[float | None, Field(ge=-0.02, le=0, description="As in the POST's body.")] = None
    altitude_m: Annotated[float | None, Field(ge=-50, le=3000, description="As in the POST's body.")] = None
    snow: Annotated[QueryFlag, Field(description="Snow factors on production; with `site`, on the site's arrays.")] = (
        False
    )
    precise: Annotated[
        QueryFlag, Field(description="Precise production engine; with `site`, of the site's arrays.")
    ] = False
    timezone: Zone = "UTC"
    variables: Variables = ()
    anlegg_id: Annotated[str | None, _PLANT] = None
    kalibrering: Annotated[QueryFlag, _CALIBRATED] = True


@dataclass(slots=True)
class ForecastQuery(PlantQuery):
    """The parameters of `GET /api/forecast`."""

    model: Model = "v23b"
    daily: Annotated[QueryFlag, _DAILY] = False
    extended: Annotated[
        QueryFlag, Field(description="Answers as `/api/forecast/extended`, up to 10 days; needs plan basic or higher.")
    ] = False
    v23b: Annotated[QueryFlag, _NOT_V23B] = True
    corrected: Annotated[QueryFlag, _V1] = False
    fresh: Annotated[QueryFlag, _V1] = False


Arrays = Annotated[list[PvArray], Field(max_length=MAX_ARRAYS), distinct("name", reserved="total")]
PerformanceRatio = Annotated[Number, Field(ge=0, le=1, description="System efficiency.")]
TempCoeffPmax = Annotated[
    Number, Field(ge=-0.02, le=0, description="Temperature coefficient of the modules' power, per degree C.")
]


class Choice(BaseModel):
    """Choice of the series; the fields of `GET /api/forecast`."""

    model: Model = "v23b"
    daily: Annotated[Flag, _DAILY] = False
    snow: Flag = Field(
        False, description="Production is reduced by snow on the modules, where fresh factors are; `snow` says which."
    )
    v23b: Annotated[Flag, _NOT_V23B] = True
    corrected: Annotated[Flag, _V1] = False
    fresh: Annotated[Flag, _V1] = False
    layout: Annotated[Layout, _LAYOUT] = "rows"

    @property
    def asks_for_v1(self) -> bool:
        """True where V1.5 is chosen, in any of the four ways."""
        return self.model == "v1" or not self.v23b or self.corrected or self.fresh


def _coordinate(direction: str, low_high: tuple[float, float]) -> Any:
    """Return the field of a coordinate; without `anlegg_id` it is required (`place_of`)."""

    def described(schema: dict[str, Any]) -> None:
        absent(schema)
        schema.update(limits(low_high))

    return Field(nan, description=f"Degrees {direction} (WGS84).", json_schema_extra=described)


class _Plant(BaseModel):
    latitude: Number = _coordinate("north", LAT)
    longitude: Number = _coordinate("east", LON)
    arrays: Arrays = Field(
        [], description="One per roof surface or string; without any, the answer is irradiance alone."
    )
    performance_ratio: PerformanceRatio = PERFORMANCE_RATIO
    temp_coeff_pmax: TempCoeffPmax = TEMP_COEFF_PMAX
    altitude_m: Annotated[Number, Field(ge=-50, le=3000)] = Field(
        0, description="Metres above sea level; used only with `precise`."
    )
    precise: Flag = Field(False, description="Perez transposition, module and wind models, terrain horizon; slower.")
    anlegg_id: Annotated[Label | None, _PLANT] = None
    kalibrering: Annotated[Flag, _CALIBRATED] = True


_PLACES = [
    {"required": ["latitude", "longitude"]},
    {"required": ["anlegg_id"], "properties": {"anlegg_id": {"type": "string"}}},
]


# pydantic puts the fields of the last base first
class ForecastRequest(Choice, _Plant, json_schema_extra={"anyOf": _PLACES}):
    """A place, and the plant that stands there."""

    timezone: Zone = "UTC"
    variables: Variables = ()
    format: Annotated[FormatName, _FORMAT] = "json"


class System(BaseModel):
    """One plant of a bulk call."""

    precise: ClassVar[bool] = False
    altitude_m: ClassVar[float] = 0.0

    id: Label = Field(description="Key of its result; each once.")
    # No bounds: what lies outside the coverage has an error of its own, in its result.
    latitude: Number = Field(description="Degrees north (WGS84).")
    longitude: Number = Field(description="Degrees east (WGS84).")
    arrays: Arrays = Field(min_length=1, description="One per roof surface or string.")
    performance_ratio: PerformanceRatio | None = Field(None, description="In place of the call's.")
    temp_coeff_pmax: TempCoeffPmax = TEMP_COEFF_PMAX


Plant = ForecastRequest | System

EXAMPLE: dict[str, Any] = {
    "latitude": 59.958,
    "longitude": 10.69,
    "arrays": [
        {"name": "sor", "kwp": 6.4, "tilt_deg": 30, "azimuth_deg": 180},
        {"name": "vest", "kwp": 3.2, "tilt_deg": 30, "azimuth_deg": 270},
    ],
}
