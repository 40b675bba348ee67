"""The parameters and the answers of the snow endpoints."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from api.core import problems
from api.core.errors import Problem
from api.core.fields import Closed
from api.core.query import MethodDetail
from api.data import surfaces
from api.data.surfaces import Angle, Aspect, Surface
from api.data.typical_year import PointQuery
from kernels.snow.panel import Panel

Mounting = Literal["roof", "rack", "flat"]
LossMode = Literal["linear", "strings"]
Format = Literal["json", "csv", "parquet", "arrow"]

MOST_DAYS = 10
PROBLEMS = (problems.NOT_BETWEEN, surfaces.ASPECT_NOT_BETWEEN, problems.NOT_WHOLE_BETWEEN, problems.NOT_A_CHOICE)


@dataclass(slots=True, kw_only=True)
class PlaneQuery(PointQuery):
    """A plane of modules at a position."""

    guidance: ClassVar[Mapping[str, Problem]] = {**PointQuery.guidance, "aspect": surfaces.ASPECT_NOT_BETWEEN}
    only_with = (("height_mm", "mounting", ("flat",)), ("strings", "lossmode", ("strings",)))

    angle: Angle = 30.0
    aspect: Aspect = 0.0
    mounting: Annotated[
        Mounting,
        Field(
            description="`roof`: on a pitched roof; `rack`: free, with room below for what slides off; `flat`: on "
            "racks that stand on a flat roof. In `/api/pv/calc` it is `snowmounting`, whose default is `rack`, "
            "on a building `roof`; `mounting` is another parameter there."
        ),
    ] = "roof"
    height_mm: Annotated[
        float,
        Field(
            ge=0.0,
            le=5000.0,
            description="Underside of the modules above what they stand on; counts for `mounting=flat` alone.",
        ),
    ] = 300.0
    lossmode: Annotated[
        LossMode,
        Field(description="`linear`: the covered part is lost; `strings`: a string that is partly covered is lost."),
    ] = "linear"
    strings: Annotated[int, Field(ge=1, le=6, description="One above the other, for `lossmode=strings`.")] = 3
    format: Annotated[
        Format,
        Field(description="`csv`, `parquet`, `arrow`: one table, a row for each month and the year, or for each day."),
    ] = "json"
    method: MethodDetail = "short"

    @property
    def azimuth(self) -> float:
        """From true north, degrees clockwise."""
        return Surface(1.0, self.angle, self.aspect).azimuth

    @property
    def panel(self) -> Panel:
        """The modules as the model takes them."""
        return Panel(self.angle, self.mounting, self.height_mm, self.strings, self.lossmode)


@dataclass(slots=True, kw_only=True)
class SoilingQuery(PlaneQuery):
    """The parameters of `GET /api/snowsoiling/calc`."""

    start: Annotated[int, Field(ge=1957, le=2015, description="First year of the snow series.")] = 1991
    soiling: Annotated[float, Field(ge=0.0, le=5.0, description="What soiling takes where no snow lies, %.")] = 1.0

    def inputs(self) -> dict[str, Any]:
        """Return the plane under the names that the answer repeats it with."""
        return {
            "angle_deg": self.angle,
            "aspect_deg": self.aspect,
            "mounting": self.mounting,
            "system_height_mm": self.height_mm,
            "n_strings": self.strings,
            "loss_mode": self.lossmode,
            "series_start": self.start,
            "soiling_floor_pct": self.soiling,
        }


@dataclass(slots=True, kw_only=True)
class OutlookQuery(PlaneQuery):
    """The parameters of `GET /api/snow/outlook`."""

    burial_mm: Annotated[
        Annotated[float, Field(ge=0.0, le=10_000.0)] | None,
        Field(description="Height of the modules' top edge above the ground: deeper snow covers them wholly."),
    ] = None
    days: Annotated[
        int,
        Field(
            ge=1,
            le=MOST_DAYS,
            description="How many are listed, from the day that runs now; fewer where the authority's forecast ends.",
        ),
    ] = 10

    def system(self) -> dict[str, Any]:
        """Return the plane under the names that the answer repeats it with."""
        return {
            "angle_deg": self.angle,
            "aspect_deg": self.aspect,
            "mounting": self.mounting,
            "height_mm": self.height_mm,
            "burial_mm": self.burial_mm,
            "loss_mode": self.lossmode,
            "n_strings": self.strings,
        }


Percent = Annotated[float | None, Field(ge=0, le=100, description="%; null: no year to say it of.")]
Irradiation = Annotated[float, Field(ge=0, description="kWh/m2.")]


class SnowCell(Closed):
    """The cell that answers."""

    id: str = Field(description="Of the typical year.", examples=["N3-066-112"])
    distance_km: float = Field(ge=0, description="From the position to the centre of the cell.")
    altitude_m: float | None = Field(description="Of the snow authority's cell, above the sea; null: not known.")
    snow_cell_offset_m: float = Field(ge=0, description="From the centre of the cell to that of the snow cell.")


class Inputs(Closed):
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


class SoilingMethod(Closed):
    """Method, in short texts."""

    model: str
    reference: str
    data: str
    note: str
    docs: str = Field(description="Where the rest is said.")


class SoilingMonth(Closed):
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


class SoilingYear(Closed):
    """The year: months weighted by irradiation."""

    loss_pct_incl_soiling: Percent
    lost_kwh_m2: float | None = Field(ge=0, description="kWh/m2.")
    poa_kwh_m2: Irradiation


class Soiling(Closed):
    """Loss by snow and soiling on a plane."""

    method: SoilingMethod
    inputs: Inputs
    monthly: list[SoilingMonth] = Field(min_length=12, max_length=12)
    annual: SoilingYear
    warnings: list[str]


class Query(Closed):
    """The position as it was asked for."""

    lat: float
    lon: float
    cell_distance_km: float = Field(ge=0, description="To the cell's centre.")


class System(Closed):
    """The plane, defaults included."""

    angle_deg: float
    aspect_deg: float
    mounting: Mounting
    height_mm: float
    burial_mm: float | None
    loss_mode: LossMode
    n_strings: int


class OutlookDay(Closed):
    """One day, from 06 UTC of its date to 06 UTC of the next."""

    date: str = Field(examples=["2026-11-23"])
    is_forecast: bool
    coverage: float = Field(ge=0, le=1, description="Part of the modules under snow.")
    loss_pct: float | None = Field(
        ge=0, le=100, description="Of the day's possible production; null on days without light."
    )
    snow_depth_mm: float | None = Field(ge=0, description="On the ground, at the day's end; null: missing.")
    new_snow_mm: float | None = Field(ge=0, description="Of the day, as water; null: missing.")
    temp_c: float | None = Field(description="Mean of the day; null: missing.")
    data_missing: bool = Field(description="Something is missing: `coverage` is that of the day before.")


class Summary(Closed):
    """The listed days in short."""

    snow_on_panel_today: bool = Field(description="Whether the modules are covered at all on the day that runs now.")
    days_with_snow: int = Field(ge=0, description="Of the listed days, those with anything on the modules.")
    max_loss_pct: float | None = Field(ge=0, le=100, description="Of the listed days; null: no sun on any.")
    clears_on: str | None = Field(
        description="First listed date with an empty panel and data; null where it stays covered, or a later "
        "listed day has snow.",
        examples=["2026-11-25"],
    )


class OutlookMethod(Closed):
    """Method, in short texts."""

    model: str
    data: str
    horizon: str
    caveat: str
    docs: str = Field(description="Where the rest is said.")


class Outlook(Closed):
    """Snow on modules in the days ahead; no production."""

    cell_id: str = Field(examples=["N3-066-112"])
    lat: float = Field(description="Of the cell's centre.")
    lon: float
    elevation_m: float | None = Field(
        description="Of the snow authority's cell of 1 km, above the sea (that of TMY is the climate model's ground of "
        "3 km); null: not known."
    )
    query: Query
    system: System
    issued_utc: str = Field(examples=["2026-11-23T06:00:00Z"])
    snow_year_start: str = Field(description="From when on the model runs, without snow.", examples=["2026-09-01"])
    spinup_days: int = Field(ge=0, description="Days of the season before the first listed one.")
    forecast_days_available: int = Field(
        ge=0, le=9, description="Forecast days from the day that runs now on that are not missing."
    )
    days: list[OutlookDay] = Field(min_length=1, max_length=MOST_DAYS)
    summary: Summary
    method: OutlookMethod
    warnings: list[str]
