"""Queries and bodies of this group, and the one request that both become."""

import re
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, get_args
from zoneinfo import ZoneInfo

from pydantic import BaseModel, BeforeValidator, Field, ValidationInfo, WithJsonSchema

from api.core import problems as shared
from api.core.body import distinct
from api.core.fields import Flag, Label, Number, absent
from api.core.query import Combinations, limits
from api.core.query import Flag as QueryFlag
from api.core.query import number as number_of
from api.forecast import problems
from api.forecast.place import BODY_NAMES, LAT, LON, Place, PlaceQuery, PvArray, Sites, locate, place_at
from api.forecast.rows import Layout

MAX_ARRAYS, MAX_SYSTEMS = 50, 50
PERFORMANCE_RATIO, TEMP_COEFF_PMAX = 0.85, -0.004
FormatName = Literal["json", "csv", "parquet", "arrow"]
VariableName = Literal["ghi", "dni", "dhi", "poa", "temp_air", "wind_speed", "cloud"]
_VARIABLES = get_args(VariableName)
_OF_ARRAY = ("kwp", "tilt_deg", "azimuth_deg")
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

    only_with = tuple((name, "arrays", (None,)) for name in ("kwp", "tilt", "azimuth"))

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


@dataclass(slots=True)
class ForecastQuery(PlantQuery):
    """The parameters of `GET /api/forecast`."""

    anlegg_id: Annotated[
        str | None, Field(description="A registered plant, in place of a point. None can be registered yet: 404.")
    ] = None
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


class _Plant(BaseModel):
    latitude: Annotated[Number, Field(description="Degrees north (WGS84).", json_schema_extra=limits(LAT))]
    longitude: Annotated[Number, Field(description="Degrees east (WGS84).", json_schema_extra=limits(LON))]
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


def arrays_of(query: PlantQuery) -> list[PvArray]:
    """Return the arrays that a query gives, named `array_1` and so on.

    Raises
    ------
    ApiError
        They are not whole.
    """
    one = {"kwp": query.kwp, "tilt": query.tilt, "azimuth": query.azimuth}
    listed = [] if query.arrays is None else query.arrays.split(",")
    given = [[number_of(part) for part in text.split(":")] for text in listed]
    if not listed and set(one.values()) != {None}:
        for name, value in one.items():
            if value is None:
                raise shared.MISSING(name)
        given = [list(one.values())]
    try:
        if len(listed) > MAX_ARRAYS:
            raise ValueError
        return [
            PvArray.model_validate({"name": f"array_{number}", **dict(zip(_OF_ARRAY, values, strict=True))})
            for number, values in enumerate(given, 1)
        ]
    except ValueError:  # pydantic's is one
        raise problems.NOT_ARRAYS("arrays", most=MAX_ARRAYS) from None


def place_of(plant: ForecastRequest) -> Place:
    """Return the place of a body.

    Raises
    ------
    ApiError
        It names a plant, or lies outside the coverage.
    """
    if plant.anlegg_id is not None:
        raise problems.NO_PLANT("anlegg_id")
    return place_at(plant.latitude, plant.longitude, BODY_NAMES)


def request_of(query: PlantQuery, sites: Sites) -> tuple[Place, ForecastRequest]:
    """Return the place of a query, and the request that its body would be: the fields that are given.

    With `precise` or `snow` a site has its own arrays and height.

    Raises
    ------
    ApiError
        As `locate` and `arrays_of`.
    """
    place, arrays = locate(query, sites), arrays_of(query)
    names = ForecastRequest.model_fields.keys() - {"arrays"}
    given = {
        field.name: value
        for field in fields(query)
        if field.name in names and (value := getattr(query, field.name)) != field.default
    }
    if query.site is not None:
        site = sites.root[query.site]
        if query.precise:
            given.setdefault("altitude_m", site.altitude_m)
        if not arrays and (query.precise or query.snow):
            arrays = list(site.arrays)
    if arrays:
        given["arrays"] = arrays
    return place, ForecastRequest.model_construct(latitude=place.lat, longitude=place.lon, **given)
