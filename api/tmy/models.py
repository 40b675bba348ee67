"""What `GET /api/tmy*` takes and gives, as the document declares it."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, ValidationInfo

from api import texts
from api.query import Number, Query, Refused, limits, one_of
from api.tmy.choice import PERIOD, SOURCE, Confidence, Period, ProductName, Source
from api.tmy.formats.registry import FORMATS, NAMES, format_of
from api.tmy.place import LAT, LON


def _format(value: Any, info: ValidationInfo) -> str:
    """Return the value that a value or an alias means."""
    if value not in NAMES:
        raise Refused(info.field_name or "", texts.NOT_A_CHOICE.replace("{choices}", ", ".join(NAMES)))
    return format_of(value).value


def _word(declared: Any) -> BeforeValidator:
    return one_of(*get_args(declared))


_FORMATS: dict[str, JsonValue] = {"enum": list(NAMES)}


@dataclass(slots=True, kw_only=True)
class PointQuery(Query):
    """A position."""

    guidance: ClassVar[dict[str, str]] = dict.fromkeys(("lat", "lon"), texts.TMY_POINT)

    lat: Annotated[Number, Field(description="Degrees north (WGS84).", examples=[59.91], json_schema_extra=limits(LAT))]
    lon: Annotated[Number, Field(description="Degrees east (WGS84).", examples=[10.75], json_schema_extra=limits(LON))]


@dataclass(slots=True, kw_only=True)
class TmyQuery(PointQuery):
    """The parameters of `GET /api/tmy`."""

    format: Annotated[
        str,
        BeforeValidator(_format),
        Field(description="The file's format; names of tools are aliases.", json_schema_extra=_FORMATS),
    ] = "epw"
    source: Annotated[
        Annotated[Source, _word(Source)] | None,
        Field(description="Of what the year is made.", json_schema_extra={"default": SOURCE}),
    ] = None
    period: Annotated[
        Annotated[Period, _word(Period)] | None,
        Field(
            description="`30`: 1991-2020; `18`: 2008-2025, of the reanalysis only.",
            json_schema_extra={"default": PERIOD},
        ),
    ] = None
    product: Annotated[
        Annotated[ProductName, _word(ProductName)] | None,
        Field(description="In place of source and period; beside them it must agree with them."),
    ] = None
    confidence: Annotated[
        Confidence,
        _word(Confidence),
        Field(
            description="`tmy`: the selected months, unscaled. `mean` and `pXX`: all irradiance times one factor, so "
            "that the year's GHI is the long-term mean, or what is exceeded in XX % of the years."
        ),
    ] = "tmy"
    tz: Annotated[
        Literal["utc", "local"],
        one_of("utc", "local"),
        Field(description="Of stamps in JSON and CSV; `local` is UTC+1 all year. Other formats have their own."),
    ] = "utc"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


Months = Annotated[list[float], Field(min_length=12, max_length=12)]
Years = Annotated[list[int], Field(min_length=12, max_length=12, description="Calendar year of each month.")]
FirstLast = Annotated[list[int], Field(min_length=2, max_length=2, description="First and last year.")]


class Annual(_Model):
    """Annual GHI, kWh/m2; `pXX` is exceeded in XX % of the years. Null where it is not known."""

    tmy: float | None = Field(description="Sum of the selected months.")
    mean: float | None = Field(description="Mean over all years.")
    p50: float | None
    p75: float | None
    p90: float | None
    p95: float | None


class Weights(_Model):
    """Of the ensemble in this cell; north of 65 degrees, where the satellite does not see, 1 and 0.

    Beside the hours of a product of one model: 1 of that model, 0 of the other.
    """

    reanalysis: float = Field(ge=0, le=1)
    solarmodel: float = Field(ge=0, le=1)


class TmyMeta(BaseModel):
    """Where the hours come from."""

    model_config = ConfigDict(extra="allow")

    cell_id: str
    lat: float = Field(description="Of the cell's centre, degrees north.")
    lon: float = Field(description="Of the cell's centre, degrees east.")
    elevation_m: float = Field(description="Of the model's ground there.")
    product: ProductName
    product_years: FirstLast
    selected_years: Years
    confidence: Confidence
    scale_factor: float = Field(description="What irradiance was multiplied by; 1 for `tmy`.", gt=0)
    annual_ghi_kwh_m2: Annual
    annual_dni_kwh_m2_tmy: float | None
    bias_correction_wm2: Months = Field(
        description="What was added to the product's monthly mean, W/m2; all but the ensemble are as they were, 0."
    )
    n_stations_bias: int = Field(ge=0, description="Pyranometers behind the correction; 0 where there is none.")
    ensemble_weights: Weights
    time_convention: str
    sources: list[Any]
    method: str
    license: str
    license_version: str
    license_expired: bool = Field(description="Whether the licence's last day has passed.")
    generator: str
    data_origin: Literal["live", "simulated"]


Hours = Annotated[list[float], Field(min_length=8760, max_length=8760)]


class TmyHours(_Model):
    """8760 hours; irradiance is the mean over [t, t+1h), the others are instantaneous at t."""

    time: Annotated[list[str], Field(min_length=8760, max_length=8760)] = Field(
        description="Start of the hour, ISO 8601; the year 2001 is a placeholder."
    )
    ghi: Hours
    dni: Hours
    dhi: Hours
    temp_air: Hours
    rel_hum: Hours
    wind_speed: Hours
    mslp: Hours


class Tmy(BaseModel):
    """A typical year as JSON."""

    meta: TmyMeta
    hourly: TmyHours
    units: dict[str, str]


class AskedFor(_Model):
    """The position as queried."""

    lat: float
    lon: float
    cell_distance_km: float = Field(description="To the cell's centre.", ge=0)


class ProductStats(_Model):
    """Of one product."""

    years: FirstLast
    selected_years: Years
    annual_ghi_kwh_m2: Annual
    annual_ghi_std_kwh_m2: float | None = Field(description="Standard deviation between years.")
    annual_dni_kwh_m2_tmy: float | None


class MonthlyGhi(_Model):
    """GHI of each month, kWh/m2."""

    p50: Months
    p90: Months


class BiasCorrection(_Model):
    """What pyranometers say of the ensemble here; products of one model are not corrected."""

    applied_wm2_per_month: Months = Field(description="What was added to the ensemble's monthly mean, W/m2.")
    n_stations: int = Field(ge=0)
    mean_abs_wm2: float = Field(ge=0)


class Count(_Model):
    """Years of each model that the ensemble rests on."""

    reanalysis: int
    solarmodel: int


class Stats(_Model):
    """What is known of a cell."""

    cell_id: str
    lat: float = Field(description="Of the cell's centre, degrees north.")
    lon: float = Field(description="Of the cell's centre, degrees east.")
    elevation_m: float
    query: AskedFor
    products: dict[str, ProductStats] = Field(description="Those that exist in the cell; the others are absent.")
    monthly_ghi_kwh_m2: dict[str, MonthlyGhi]
    bias_correction: BiasCorrection
    ensemble_weights: Weights
    n_years: Count
    exceedance_definition: str


class ProductSource(_Model):
    """Of one product."""

    source: str
    period: str
    selected_year_per_month: Years


class Sources(_Model):
    """Where a cell's typical years come from."""

    products: dict[str, ProductSource] = Field(description="Those that exist in the cell; the others are absent.")
    bias_correction_wm2_per_month: Months = Field(
        description="What was added to the ensemble's monthly mean, W/m2; products of one model are not corrected."
    )
    n_stations_bias: int = Field(ge=0)
    method: str


def formats_told() -> str:
    """Return what the document says of the formats, one sentence or two of each."""
    told = []
    for one in FORMATS.values():
        names = ", ".join(f"`{name}`" for name in (one.value, *one.aliases))
        text = f"{names} ({one.extension}): {one.tool + '; ' if one.tool else ''}{one.convention}"
        if one.lacks:
            text += f"; cannot carry {', '.join(one.lacks)}"
        told.append(f"{text}. Unverified: {one.unverified.rstrip('.')}." if one.unverified else f"{text}.")
    return " ".join(told)
