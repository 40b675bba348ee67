"""What the forecast endpoints take and give, as the document declares it."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, RootModel

from api import texts
from api.fields import Label
from api.fields import Number as JsonNumber
from api.forecast.rows import LayoutChoice
from api.query import Flag, ModelChoice, Number, Query

LAT = (57.0, 72.0)
LON = (4.0, 32.0)


def bounds(limits: tuple[float, float]) -> dict[str, JsonValue]:
    """Return limits for the document alone: what lies beyond is refused in words of its own."""
    return {"minimum": limits[0], "maximum": limits[1]}


@dataclass(slots=True)
class PlaceQuery(Query):
    """Where; every query of this group begins so, and `place.locate` reads it."""

    guidance: ClassVar[dict[str, str]] = dict.fromkeys(("lat", "lon", "site"), texts.GET_POINT)

    lat: Annotated[
        Number | None,
        Field(description="Degrees north (WGS84).", examples=[59.91], json_schema_extra=bounds(LAT)),
    ] = None
    lon: Annotated[
        Number | None,
        Field(description="Degrees east (WGS84).", examples=[10.75], json_schema_extra=bounds(LON)),
    ] = None
    site: Annotated[
        str | None,
        Field(description="A site of `/api/sites`, in place of lat and lon.", examples=["jegerveien"]),
    ] = None


@dataclass(slots=True)
class SeriesQuery(PlaceQuery):
    """A place, and how the answer is laid out."""

    layout: LayoutChoice = "rows"


@dataclass(slots=True)
class ForecastQuery(PlaceQuery):
    """The parameters of `GET /api/forecast`."""

    anlegg_id: Annotated[
        str | None, Field(description="A registered plant, in place of a point. None can be registered yet: 404.")
    ] = None
    model: Annotated[
        ModelChoice,
        Field(description="`v23b`, or the outgoing `v1`, which is ignored from 2026-11-19 (header Sunset)."),
    ] = "v23b"
    daily: Annotated[
        Flag,
        Field(
            description="The series from midnight UTC on, past hours as the best earlier cycle had them; needs plan "
            "basic or higher. Where no such day is there, `data_mode` says that this is the ordinary series."
        ),
    ] = False
    extended: Annotated[
        Flag, Field(description="Answers as `/api/forecast/extended`, up to 10 days; needs plan basic or higher.")
    ] = False
    snow: Annotated[Flag, Field(description="Snow factors on production; no effect on irradiance alone.")] = False
    precise: Annotated[Flag, Field(description="Precise production engine; no effect on irradiance alone.")] = False
    layout: LayoutChoice = "rows"
    v23b: Annotated[Flag, Field(description="Legacy: `false` is `model=v1`; same sunset.", deprecated=True)] = True
    corrected: Annotated[Flag, Field(description="Legacy: `true` is `model=v1`; same sunset.", deprecated=True)] = False
    fresh: Annotated[Flag, Field(description="Legacy: `true` is `model=v1`; same sunset.", deprecated=True)] = False


class GridIndex(BaseModel):
    """The grid cell used."""

    i_lat: int = Field(description="Row, counted from the south.")
    i_lon: int = Field(description="Column, counted from the west.")


class Hour(BaseModel):
    """One hour."""

    hour: int = Field(description="Index from 0; not the clock.")
    timestamp: str = Field(description="Start of the hour, ISO 8601 UTC.", json_schema_extra={"format": "date-time"})
    ghi_wm2: float = Field(description="Global horizontal irradiance, mean over the hour, W/m2.", ge=0)


class HourColumns(BaseModel):
    """`layout=columns`: one array per field of the rows."""

    model_config = ConfigDict(extra="forbid")

    hour: list[int]
    timestamp: list[str]
    ghi_wm2: list[Annotated[float, Field(ge=0)]]


class Forecast(BaseModel):
    """Hourly global horizontal irradiance at a point."""

    model_config = ConfigDict(extra="forbid")

    site: str = Field(description="The queried point, or the site's id.")
    latitude: float = Field(description="As queried, degrees north.")
    longitude: float = Field(description="As queried, degrees east.")
    grid_index: GridIndex
    cycle_time: str = Field(
        description="When the forecast was run, ISO 8601 UTC.", json_schema_extra={"format": "date-time"}
    )
    model: Literal["production_v2_3b", "production_v1"] = Field(description="The model used.")
    data_mode: Literal["v23b", "v23b_daily", "v1"] = Field(description="The mode used, after any fallback.")
    peak_ghi_wm2: float = Field(description="Highest hourly value of the series, W/m2.", ge=0)
    daily_ghi_kwh_m2: float = Field(description="Sum over the whole series, not only the first day, kWh/m2.", ge=0)
    time_convention: str = Field(description="What the timestamps mean.")
    cycle_age_hours: float = Field(description="Hours since cycle_time when this was answered.", ge=0)
    data_origin: Literal["live", "simulated"] = Field(description="Whether the weather is real.")
    ghi_timeseries: list[Hour] | HourColumns = Field(description="The series: 59 to 67 hours; with `daily` up to 90.")


class Latest(BaseModel):
    """The latest cycle of the V1.5 grid."""

    model_config = ConfigDict(extra="forbid")

    cycle_time: str = Field(description="ISO 8601 UTC.", json_schema_extra={"format": "date-time"})
    model: Literal["production_v1"]
    n_times: int
    n_lat: int
    n_lon: int
    ghi_max: float = Field(description="Highest value anywhere in the cycle, W/m2.")
    timestamps: list[str] = Field(description="Starts of the hours, ISO 8601 UTC with milliseconds.")


class PvArray(BaseModel):
    """One roof surface or string."""

    name: Label = Field(description="Field prefix in answers: `<name>_W`; each once, and not `total`.")
    kwp: JsonNumber = Field(gt=0, le=100_000, description="Installed power, kWp.")
    tilt_deg: JsonNumber = Field(ge=0, le=90, description="0 flat, 90 wall.")
    azimuth_deg: JsonNumber = Field(ge=0, le=360, description="Compass: 0 north, 90 east, 180 south, 270 west.")


class SiteArray(PvArray):
    """One roof surface or string of a site."""

    model_config = ConfigDict(extra="forbid")


class Site(BaseModel):
    """A named site."""

    model_config = ConfigDict(extra="forbid")

    name: str
    lat: float = Field(ge=LAT[0], le=LAT[1])
    lon: float = Field(ge=LON[0], le=LON[1])
    altitude_m: float
    arrays: list[SiteArray]


class Sites(RootModel[dict[str, Site]]):
    """Sites by id."""
