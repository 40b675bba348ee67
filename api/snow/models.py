"""What the routes of this group give, as the document declares it."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from api.snow.query import DAYS, LossMode, Mounting

Percent = Annotated[float | None, Field(ge=0, le=100, description="%; null: no year to say it of.")]
Irradiation = Annotated[float, Field(ge=0, description="kWh/m2.")]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SnowCell(_Model):
    """The cell that answers."""

    id: str = Field(description="Of the typical year.", examples=["N3-066-112"])
    distance_km: float = Field(ge=0, description="From the position to the centre of the cell.")
    altitude_m: float | None = Field(description="Of the snow authority's cell, above the sea; null: not known.")
    snow_cell_offset_m: float = Field(ge=0, description="From the centre of the cell to that of the snow cell.")


class Inputs(_Model):
    """The question as it was understood, defaults included."""

    lat: float
    lon: float
    cell: SnowCell
    angle_deg: float
    aspect_deg: float
    mounting: Mounting
    system_height_mm: float
    n_strings: int
    loss_mode: LossMode
    series_start: int
    soiling_floor_pct: float


class SoilingMethod(_Model):
    """How it was made, in short texts."""

    model: str
    reference: str
    data: str
    note: str


class SoilingMonth(_Model):
    """One month, of all years."""

    month: int = Field(ge=1, le=12)
    n_years: int = Field(ge=0, description="Years in the series in which at least 90 % of the month's days are known.")
    snow_loss_pct_mean: Percent
    snow_loss_pct_median: Percent
    snow_loss_pct_p10: Percent
    snow_loss_pct_p90: Percent = Field(description="Exceeded in 10 % of the years.")
    loss_pct_incl_soiling: Percent = Field(
        description="Snow, and soiling where none lies: what production calculations multiply with, by (1 - it / 100)."
    )
    ns3031_style_pct: float | None = Field(ge=0, le=100, description="The same, rounded up to steps of 5 %.")
    covered_days_mean: float | None = Field(ge=0, le=31, description="Days with snow on more than 10 % of the modules.")
    poa_month_kwh_m2: Irradiation


class SoilingYear(_Model):
    """The year: months weighted by irradiation."""

    loss_pct_incl_soiling: Percent
    lost_kwh_m2: float | None = Field(ge=0, description="kWh/m2.")
    poa_kwh_m2: Irradiation


class Soiling(_Model):
    """Loss by snow and soiling on a plane."""

    method: SoilingMethod
    inputs: Inputs
    monthly: list[SoilingMonth] = Field(min_length=12, max_length=12)
    annual: SoilingYear
    warnings: list[str]


class Query(_Model):
    """The position as it was asked for."""

    lat: float
    lon: float
    cell_distance_km: float = Field(ge=0, description="To the cell's centre.")


class System(_Model):
    """The plane, defaults included."""

    angle_deg: float
    aspect_deg: float
    mounting: Mounting
    height_mm: float
    burial_mm: float | None
    loss_mode: LossMode


class OutlookDay(_Model):
    """One day, from 06 UTC of its date to 06 UTC of the next."""

    date: str = Field(examples=["2026-11-23"])
    is_forecast: bool
    coverage: float = Field(ge=0, le=1, description="Part of the modules under snow.")
    loss_pct: float = Field(ge=0, le=100, description="Of the day's possible production; 0 where there is none.")
    snow_depth_mm: float | None = Field(ge=0, description="On the ground, at the day's end; null: missing.")
    new_snow_mm: float | None = Field(ge=0, description="Of the day, as water; null: missing.")
    temp_c: float | None = Field(description="Mean of the day; null: missing.")
    data_missing: bool = Field(description="Something is missing: `coverage` is that of the day before.")


class Summary(_Model):
    """The listed days in short."""

    snow_on_panel_today: bool = Field(description="Whether the modules are covered at all on the day that runs now.")
    days_with_snow: int = Field(ge=0, description="Of the listed days, those with anything on the modules.")
    max_loss_pct: float = Field(ge=0, le=100, description="Of the listed days.")
    clears_on: str | None = Field(
        description="First listed date from the day that runs now on with an empty panel: that day itself where it is "
        "empty; null where it stays covered. Days without data are no such date.",
        examples=["2026-11-25"],
    )


class OutlookMethod(_Model):
    """How it was made, in short texts."""

    model: str
    data: str
    horizon: str
    caveat: str


class Outlook(_Model):
    """Snow on modules in the days ahead; no production."""

    cell_id: str = Field(examples=["N3-066-112"])
    lat: float = Field(description="Of the cell's centre.")
    lon: float
    elevation_m: float | None = Field(description="Of the snow authority's cell, above the sea; null: not known.")
    query: Query
    system: System
    issued_utc: str = Field(examples=["2026-11-23T06:00:00Z"])
    snow_year_start: str = Field(description="From when on the model runs, without snow.", examples=["2026-09-01"])
    spinup_days: int = Field(ge=0, description="Days of the season before the first listed one.")
    forecast_days_available: int = Field(
        ge=0, le=9, description="Forecast days from the day that runs now on that are not missing."
    )
    days: list[OutlookDay] = Field(min_length=1, max_length=DAYS[1])
    summary: Summary
    method: OutlookMethod
    warnings: list[str]
