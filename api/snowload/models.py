"""What `GET /api/snowload/calc` gives, as the document declares it."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from api.error_bodies import Error
from kernels.snowload.seasons import LEAST_DAYS

Load = Annotated[float, Field(ge=0, description="kN/m2.")]
Water = Annotated[float, Field(ge=0, description="Water equivalent of the snow, mm.")]
Metres = Annotated[float | None, Field(description="Above the sea, m; null: not known.")]
Factor = Annotated[
    float | None,
    Field(ge=0, description="Value of the return period over the highest maximum; null where there never was snow."),
]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Method(_Model):
    """How it was made, in short texts."""

    reference: str
    data_source: str
    statistics: str
    disclaimer: str


class Utm33(_Model):
    """The point in UTM 33 (EPSG:25833), m."""

    x: int
    y: int


class CentreCell(_Model):
    """The cell of 1 km that holds the point."""

    x: int
    y: int
    altitude_m: Metres


class Inputs(_Model):
    """The question as it was understood, defaults included."""

    lat: float
    lon: float
    utm33: Utm33
    center_cell: CentreCell
    grid: str = Field(description="`3x3`; of cells chosen by hand their number, `7 cells`.", examples=["3x3"])
    manual_cells: bool
    variability_factor: float
    return_period_yr: Literal[20, 50, 100]
    series_start: str = Field(examples=["1976-09-01"])


class TableEntry(_Model):
    """A row of the operator's table: one of the municipalities of 1990 in today's."""

    kommune_1990: str
    sk0: float = Field(description="kN/m2, up to the height Hg.")
    Hg: float = Field(description="m.")
    dsk: float = Field(description="kN/m2 for each begun 100 m above Hg.")
    skmax: float = Field(description="kN/m2 at most.")
    sk_at_site: float | None = Field(description="kN/m2 at the plot's height; null: the height is not known.")
    above_hg: bool | None = Field(description="Whether the plot lies above Hg; null: its height is not known.")
    note: str


class Comparison(_Model):
    """The national annex' table for the municipality, where the operator has supplied it."""

    kommune: str | None
    kommunenummer: str | None = Field(examples=["0301"])
    fylke: str | None
    kommune_by: Literal["inside", "nearest"] | None = Field(
        description="Whether the point lies within the municipality's borders, or beside them (within 2 km)."
    )
    site_elevation_m: Metres
    table_entries: list[TableEntry]
    sk_kn_m2: float | None = Field(description="kN/m2 by the table; null: `reason` says why.")
    selected_entry: str | None
    rule: str
    source: str | None
    reason: str | None


class Cell(_Model):
    """One cell."""

    x: int
    y: int
    altitude_m: Metres
    n_years: int = Field(ge=20, description="Winters that count.")
    n_left_out: int = Field(
        ge=0,
        description="Winters from the start on that do not: "
        f"fewer than {LEAST_DAYS} of their days are known, or none yet.",
    )
    period: str = Field(
        description="From the autumn of the first winter to the summer after the last.", examples=["1976-2026"]
    )
    max_swe_mm: Water
    factor_gamma: Factor
    factor_gumbel: Factor
    factor_empirical: Factor
    factor_combined: Factor
    char_swe_mm: Water
    char_sd_kn_m2: Load


class CellError(_Model):
    """A cell that could not be computed, and why."""

    x: int
    y: int
    error: str


class Aggregated(_Model):
    """All cells together."""

    characteristic_snow_load_kn_m2: Load = Field(
        description="kN/m2. The result: the median of the cells times the variability factor."
    )
    median_char_sd_kn_m2: Load
    median_char_swe_mm: Water
    n_cells: int = Field(ge=1)
    sd_cv_pct: float | None = Field(
        ge=0,
        description="Spread of the cells' loads, %: standard deviation over mean; null: one cell, or all are 0.",
    )
    altitude_range_m: list[float] | None = Field(description="Lowest and highest cell, m; null: not known.")


class Snowload(_Model):
    """Characteristic snow load on the ground."""

    method: Method
    inputs: Inputs
    eurocode_comparison: Comparison
    cells: list[Cell] = Field(min_length=1)
    cell_errors: list[CellError]
    aggregate: Aggregated
    warnings: list[str]


class NoCell(Error):
    """No cell could be computed."""

    cell_errors: list[CellError]
