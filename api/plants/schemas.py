"""Bodies and queries of the plant endpoints. Names are Norwegian, as the contract's are."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    Field,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from api.core import fields
from api.core.body import distinct
from api.core.query import Flag, Query, parameters_of
from api.data.surfaces import KWP
from api.plants import problems
from api.plants.problems import MAX_VALUES

LAT, LON = (57.0, 72.0), (4.0, 32.0)
MAX_ARRAYS = 50
MAX_TEXT = 200
MAX_MEASUREMENT_BYTES = 4_000_000
DEFAULT_NAME = "Mitt anlegg"
EXAMPLE: dict[str, Any] = {
    "latitude": 59.9139,
    "longitude": 10.7522,
    "flater": [{"name": "tak", "kwp": 8.2, "tilt_deg": 35, "azimuth_deg": 180}],
    "samtykke": True,
    "privat": True,
}
MEASUREMENTS_EXAMPLE: dict[str, Any] = {
    "verdier": [{"tid": "2026-06-01T10:00:00Z", "verdi": 4.2}, ["2026-06-01T11:00:00Z", 4.4]],
    "enhet": "kWh",
}

Unit = Literal["W", "kW", "MW", "Wh", "kWh", "MWh"]
Stamp = Literal["start", "slutt"]

_ZONE = r"^(UTC|Europe/Oslo|[+-](0\d|1[0-4]):[0-5]\d)$"
_UNIT = "Of the values."
_STAMP = "Whether the time is the start or the end of the interval."


def _plus(value: Any) -> Any:
    """Return a zone whose plus sign came as a blank, as it does in a query that is not percent-encoded."""
    return f"+{value[1:]}" if isinstance(value, str) and value.startswith(" ") else value


Zone = Annotated[str, StringConstraints(pattern=_ZONE)]


class PlantArray(BaseModel):
    """A surface with modules."""

    name: fields.Label
    kwp: fields.Number = Field(gt=0, le=KWP[1], description="Installed power, kWp.")
    tilt_deg: fields.Number = Field(ge=0, le=90, description="0 is flat, 90 a wall.")
    azimuth_deg: fields.Number = Field(ge=0, le=360, description="Compass: 0 north, 90 east, 180 south, 270 west.")


class Registration(BaseModel):
    """A plant to register."""

    latitude: fields.Number = Field(
        ge=LAT[0],
        le=LAT[1],
        validation_alias=AliasChoices("latitude", "lat"),
        description="Degrees north (WGS84); `lat` is accepted.",
    )
    longitude: fields.Number = Field(
        ge=LON[0],
        le=LON[1],
        validation_alias=AliasChoices("longitude", "lon"),
        description="Degrees east (WGS84); `lon` is accepted.",
    )
    flater: Annotated[list[PlantArray], distinct("name", "total")] = Field(
        min_length=1,
        max_length=MAX_ARRAYS,
        validation_alias=AliasChoices("flater", "arrays"),
        description="One per roof surface or string; `arrays` is accepted.",
    )
    samtykke: Literal[True] = Field(description="Consent to the storing of production data; must be `true`.")
    navn: fields.Label = DEFAULT_NAME
    ytelsesfaktor: fields.Number = Field(0.85, ge=0.5, le=1, description="System efficiency.")
    privat: fields.Flag = Field(False, description="Whether the plant is on a home.")
    samtykke_datatolkning: fields.Flag = Field(
        False,
        description="Consent that headings and masked rows of files are sent to a language model, where the operator "
        "has set one up.",
    )

    @model_validator(mode="before")
    @classmethod
    def _present(cls, given: Any) -> Any:
        """Refuse what lacks the consent, coordinates or surfaces, in this order and with codes of their own."""
        if not isinstance(given, dict):
            return given
        if given.get("samtykke") is not True:
            raise problems.CONSENT_REQUIRED("samtykke")
        for name, alias in (("latitude", "lat"), ("longitude", "lon")):
            if given.get(name) is None and given.get(alias) is None:
                raise problems.COORDINATES(name)
        if not (given.get("flater") or given.get("arrays")):
            raise problems.ARRAYS("flater")
        return given


def _moment(value: Any) -> datetime:
    if isinstance(value, datetime):
        return value
    try:
        if len(value) <= _DATE_ALONE:  # a value for a day is none for its first hour
            raise ValueError
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise PydanticCustomError("moment_invalid", "moment") from None


def _pair(value: Any) -> Any:
    """Return time and value of a measurement in any of its three forms."""
    if isinstance(value, dict):
        for names in (("tid", "verdi"), ("time", "value")):
            if names[0] in value:
                if names[1] not in value:
                    raise PydanticCustomError("missing", "missing", {"within": (names[1],)})
                return value[names[0]], value[names[1]]
        raise PydanticCustomError("missing", "missing", {"within": ("tid",)})
    return value


def _few(values: Any) -> Any:
    if isinstance(values, Sequence) and len(values) > MAX_VALUES:
        raise problems.TOO_MANY_VALUES("verdier")
    return values


_DATE_ALONE = len("2026-06-01")
_TIME_SCHEMA = {"type": "string", "examples": ["2026-06-01T10:00:00Z"]}
_VALUE_SCHEMA = {"type": "number"}


def _object_schema(time: str, value: str) -> dict[str, Any]:
    return {"type": "object", "properties": {time: _TIME_SCHEMA, value: _VALUE_SCHEMA}, "required": [time, value]}


_PAIR_SCHEMA = {
    "anyOf": [
        _object_schema("tid", "verdi"),
        _object_schema("time", "value"),
        {"type": "array", "prefixItems": [_TIME_SCHEMA, _VALUE_SCHEMA], "minItems": 2, "maxItems": 2},
    ]
}
Measurement = Annotated[
    tuple[Annotated[datetime, BeforeValidator(_moment)], fields.Number],
    BeforeValidator(_pair),
    WithJsonSchema(_PAIR_SCHEMA),
]


class Measurements(BaseModel):
    """Measured production in a fixed format; nothing is interpreted."""

    verdier: Annotated[list[Measurement], BeforeValidator(_few)] = Field(
        min_length=1,
        description=f"At most {MAX_VALUES}: `{{tid, verdi}}`, `{{time, value}}` or `[tid, verdi]`. Times are ISO 8601; "
        "a zone of their own counts before `tidssone`. Of a time that comes twice the later value counts.",
    )
    enhet: Unit = Field("kWh", description=_UNIT)
    storrelse: Literal["energi", "effekt"] | None = Field(
        None, description="Energy in the interval, or mean power; by default what the unit is."
    )
    intervall_min: int = Field(
        60,
        strict=True,
        ge=1,
        le=60,
        json_schema_extra={"enum": [n for n in range(1, 61) if 60 % n == 0]},
        description="Length of the interval, minutes: a whole part of an hour.",
    )
    stempel: Stamp = Field("start", description=_STAMP)
    tidssone: str = Field(
        "UTC", max_length=20, description="Of times without zone: `UTC`, `Europe/Oslo` or an offset: `+01:00`."
    )

    @model_validator(mode="after")
    def _fits(self) -> "Measurements":
        if 60 % self.intervall_min:
            raise PydanticCustomError("interval_invalid", "interval", {"within": ("intervall_min",)})
        if not re.match(_ZONE, self.tidssone):
            raise PydanticCustomError("zone_invalid", "zone", {"within": ("tidssone",)})
        if self.storrelse not in (None, "energi" if self.is_energy_unit else "effekt"):
            raise PydanticCustomError("quantity_invalid", "quantity", {"within": ("storrelse",)})
        if not all(math.isfinite(value) for _, value in self.verdier):
            raise PydanticCustomError("finite_number", "number", {"within": ("verdier",)})
        return self

    @property
    def is_energy_unit(self) -> bool:
        """Whether the values are energy, else power."""
        return self.enhet.endswith("h")


@dataclass
class UploadQuery(Query):
    """How a file is taken, and answers to questions of an earlier upload of it."""

    guidance: ClassVar = {"tidssone": problems.ZONE}

    filnavn: Annotated[str, Field(max_length=MAX_TEXT, description="Name of the file, where no form says it.")] = ""
    bekreft: Annotated[Flag, Field(description="Confirm at once, unless the check finds an error.")] = False
    korriger: Annotated[Flag, Field(description="Whether the check may make corrections (`endringer[]`).")] = True
    enhet: Annotated[Unit | None, Field(description=_UNIT)] = None
    tidssone: Annotated[
        Annotated[str, BeforeValidator(_plus), StringConstraints(pattern=_ZONE)] | None,
        Field(description="Of times without zone: `UTC`, `Europe/Oslo` or an offset: `+01:00`."),
    ] = None
    stempel: Annotated[Stamp | None, Field(description=_STAMP)] = None
    kolonne: Annotated[
        str | None,
        Field(max_length=MAX_TEXT, description="Column to read: its heading, or its number from 1; `3+4` adds two."),
    ] = None
    dato: Annotated[
        Literal["dmy", "mdy", "ymd"] | None, Field(description="Order of day, month and year in dates.")
    ] = None


FORM_FIELDS = tuple(sorted(parameters_of(UploadQuery)))
"""Also a form may hold them, beside the file."""


@dataclass(slots=True)
class ViewQuery(Query):
    """How an upload is shown."""

    format: Annotated[
        Literal["json", "png"],
        Field(description="`png`: measured against clear sky by day, and a heat map of hours, in which a shift shows."),
    ] = "json"
