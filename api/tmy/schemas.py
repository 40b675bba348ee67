"""Parameters and answers of `GET /api/tmy*`."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from api.core.fields import Closed, Warnings
from api.core.file_formats import value_of
from api.data.tmy_products import Confidence, ProductName
from api.data.typical_year import PointQuery
from api.tmy.formats.registry import FORMATS, NAMES

Source = Literal["ensemble", "reanalysis", "solarmodel"]
Period = Literal["30", "18"]
SOURCE: Source = "ensemble"
PERIOD: Period = "30"
PRODUCT_OF: dict[tuple[str, str], ProductName] = {
    ("ensemble", "30"): "ens_tmy30",
    ("reanalysis", "30"): "reanalysis_tmy30",
    ("reanalysis", "18"): "reanalysis_tmy18",
    ("solarmodel", "30"): "solarmodel_tmy30",
}
"""By source and period."""


@dataclass(slots=True, kw_only=True)
class TmyQuery(PointQuery):
    """The parameters of `GET /api/tmy`."""

    only_with = (("tz", "format", ("json", "csv")),)

    format: Annotated[str, *value_of(NAMES), Field(description="The file's format; names of tools are aliases.")] = (
        "epw"
    )
    source: Annotated[
        Source | None, Field(description="Of what the year is made.", json_schema_extra={"default": SOURCE})
    ] = None
    period: Annotated[
        Period | None,
        Field(
            description="`30`: 1991-2020; `18`: 2008-2025, of the reanalysis only.",
            json_schema_extra={"default": PERIOD},
        ),
    ] = None
    product: Annotated[
        ProductName | None, Field(description="In place of source and period; beside them it must agree with them.")
    ] = None
    confidence: Annotated[
        Confidence,
        Field(
            description="`tmy`: the selected months, unscaled. `mean` and `pXX`: all irradiance times one factor, so "
            "that the year's GHI is the long-term mean, or what is exceeded in XX % of the years."
        ),
    ] = "tmy"
    tz: Annotated[
        Literal["utc", "local"],
        Field(
            description="Of JSON and CSV: `local` is UTC+1 all year, the calendar year 2001 from its first hour there. "
            "Other formats have their own."
        ),
    ] = "utc"


Months = Annotated[list[float], Field(min_length=12, max_length=12)]
Years = Annotated[list[int], Field(min_length=12, max_length=12, description="Calendar year of each month.")]
FirstLast = Annotated[list[int], Field(min_length=2, max_length=2, description="First and last year.")]


class Annual(Closed):
    """Annual GHI, kWh/m2; `pXX` is exceeded in XX % of the years. Null where it is not known."""

    tmy: float | None = Field(description="Sum of the selected months.")
    mean: float | None = Field(description="Mean over all years.")
    p50: float | None
    p75: float | None
    p90: float | None
    p95: float | None


class Weights(Closed):
    """Of the ensemble in this cell; north of 65 degrees, where the satellite does not see, 1 and 0.

    Beside the hours of a product of one model: 1 of that model, 0 of the other.
    """

    reanalysis: float = Field(ge=0, le=1)
    solarmodel: float = Field(ge=0, le=1)


class ClimateCell(BaseModel):
    """The cell that answers."""

    cell_id: str
    lat: float = Field(description="Of the cell's centre, degrees north.")
    lon: float = Field(description="Of the cell's centre, degrees east.")
    elevation_m: float = Field(
        description="Ground of the weather model that temperature and pressure are of; the snow model's cell of 1 km "
        "has its own, and so has a plant."
    )


class TmyMeta(ClimateCell, extra="allow"):
    """Provenance of the hours."""

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
    license: str | None = Field(description="What it allows; null, as are the next two, where there is none.")
    license_version: str | None
    license_expired: bool | None = Field(description="Whether the licence's last day has passed.")
    generator: str
    data_origin: Literal["live", "simulated"]


Hours = Annotated[list[float], Field(min_length=8760, max_length=8760)]


class TmyHours(Closed):
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
    warnings: Warnings = None


class AskedFor(Closed):
    """The position as queried."""

    lat: float
    lon: float
    cell_distance_km: float = Field(description="To the cell's centre.", ge=0)


class ProductStats(Closed):
    """Of one product."""

    years: FirstLast
    selected_years: Years
    annual_ghi_kwh_m2: Annual
    annual_ghi_std_kwh_m2: float | None = Field(description="Standard deviation between years.")
    annual_dni_kwh_m2_tmy: float | None


class MonthlyGhi(Closed):
    """GHI of each month, kWh/m2."""

    p50: Months
    p90: Months


class BiasCorrection(Closed):
    """What pyranometers say of the ensemble here; products of one model are not corrected."""

    applied_wm2_per_month: Months = Field(description="What was added to the ensemble's monthly mean, W/m2.")
    n_stations: int = Field(ge=0)
    mean_abs_wm2: float = Field(ge=0)


class Count(Closed):
    """Years of each model that the ensemble rests on."""

    reanalysis: int
    solarmodel: int


class Stats(ClimateCell, Closed):
    """What is known of a cell."""

    query: AskedFor
    products: dict[str, ProductStats] = Field(description="Those that exist in the cell; the others are absent.")
    monthly_ghi_kwh_m2: dict[str, MonthlyGhi]
    bias_correction: BiasCorrection
    ensemble_weights: Weights
    n_years: Count
    exceedance_definition: str
    warnings: Warnings = None


class ProductSource(Closed):
    """Of one product."""

    source: str
    period: str
    selected_year_per_month: Years


class Sources(Closed):
    """Where a cell's typical years come from."""

    products: dict[str, ProductSource] = Field(description="Those that exist in the cell; the others are absent.")
    bias_correction_wm2_per_month: Months = Field(
        description="What was added to the ensemble's monthly mean, W/m2; products of one model are not corrected."
    )
    n_stations_bias: int = Field(ge=0)
    method: str
    warnings: Warnings = None


def formats_in_words() -> str:
    """Return what the document says of the formats, one sentence or two of each."""
    sentences = []
    for one in FORMATS.values():
        names = ", ".join(f"`{name}`" for name in (one.value, *one.aliases))
        text = f"{names} ({one.extension}): {one.tool + '; ' if one.tool else ''}{one.convention}"
        if one.lacks:
            text += f"; cannot carry {', '.join(one.lacks)}"
        sentences.append(f"{text}. Unverified: {one.unverified.rstrip('.')}." if one.unverified else f"{text}.")
    return " ".join(sentences)
