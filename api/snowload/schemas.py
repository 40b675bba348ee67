"""The parameters and the answer of `GET /api/snowload/calc`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from api.core.errors import Problem
from api.core.fields import Closed
from api.core.query import MethodDetail, Query, latitude, longitude
from api.snowload import problems
from api.snowload.municipality import By
from api.snowload.problems import MOST_CELLS, CellError
from kernels.snowload.seasons import LEAST_DAYS

Format = Literal["json", "csv", "png"]
Grid = Literal[1, 3, 5]
Period = Literal[20, 50, 100]

LAT, LON = (57.0, 72.0), (4.0, 32.0)

_DATE = r"(\d{4})-(\d{1,2})-(\d{1,2})"
_PAIR = r"[+-]?\d{1,9}_[+-]?\d{1,9}"


def _date(text: str) -> date:
    match = re.fullmatch(_DATE, text, re.ASCII)
    if match is None:
        raise ValueError(text)
    return date(*map(int, match.groups()))


def _cells(text: str) -> tuple[tuple[int, int], ...]:
    """Return the positions of a list `x_y,x_y`."""
    parts = [part.strip() for part in text.split(",", MOST_CELLS)]
    if len(parts) > MOST_CELLS or not all(re.fullmatch(_PAIR, part, re.ASCII) for part in parts):
        raise ValueError(text)
    return tuple((int(x), int(y)) for x, _, y in (part.partition("_") for part in parts))


Coordinate = Annotated[int, Field(ge=-999_999_999, le=999_999_999)]
Day = Annotated[date, BeforeValidator(_date), WithJsonSchema({"type": "string", "pattern": f"^{_DATE}$"})]
Cells = Annotated[
    tuple[tuple[int, int], ...],
    BeforeValidator(_cells),
    WithJsonSchema({"type": "string", "pattern": f"^{_PAIR}(,{_PAIR}){{0,{MOST_CELLS - 1}}}$"}),
]


@dataclass(slots=True, kw_only=True)
class SnowloadQuery(Query):
    """The parameters of `GET /api/snowload/calc`."""

    guidance: ClassVar[Mapping[str, Problem]] = {
        **dict.fromkeys(("x", "y"), problems.METRES),
        "grid": problems.GRID,
        "cells": problems.CELLS,
        "returnperiod": problems.PERIOD,
        "start": problems.START,
    }
    only_with = (("grid", "cells", (None,)), ("lat", "x", (None,)), ("lon", "x", (None,)))

    lat: Annotated[float | None, latitude(LAT)] = None
    lon: Annotated[float | None, longitude(LON)] = None
    x: Annotated[
        Coordinate | None, Field(description="Easting in UTM 33 (EPSG:25833), m; with `y`, in place of lat and lon.")
    ] = None
    y: Annotated[Coordinate | None, Field(description="Northing in UTM 33 (EPSG:25833), m; with `x`.")] = None
    grid: Annotated[Grid, Field(description="So many cells of 1 km to a side around the point; the median counts.")] = 3
    cells: Annotated[
        Cells | None,
        Field(
            description=f"Cells chosen by hand in place of `grid`, as `x_y,x_y,...`: centres in UTM 33, m, at most "
            f"{MOST_CELLS}. Any position in a cell means it.",
            examples=["262500_6649500,263500_6649500"],
        ),
    ] = None
    returnperiod: Annotated[Period, Field(description="Years.")] = 50
    variability: Annotated[
        float,
        Field(
            ge=1.0,
            le=3.0,
            description="Variability factor: the median is multiplied by it, for what a mean over 1 km2 does not show; "
            "1 takes the cells as they are.",
        ),
    ] = 1.5
    start: Annotated[
        Day | None,
        Field(
            description="Start of the series, `YYYY-M-D`; data exist from 1957-09-01. By default the 1 September 50 "
            "years before the last one: 50 winters. A winter (September to August) counts where "
            f"{LEAST_DAYS} of its days do.",
            examples=["1991-9-1"],
        ),
    ] = None
    elev: Annotated[
        float | None,
        Field(
            ge=-50.0,
            le=3000.0,
            description="Height of the plot above the sea, m, for the table of the national annex; by default that of "
            "the point's cell.",
        ),
    ] = None
    format: Annotated[
        Format,
        Field(description="`csv`: a row for each cell, totals at the bottom; `png`: a picture of the centre cell."),
    ] = "json"
    method: MethodDetail = "short"


Load = Annotated[float, Field(ge=0, description="kN/m2.")]
Water = Annotated[float, Field(ge=0, description="Water equivalent of the snow, mm.")]
Altitude = Annotated[float | None, Field(description="Above the sea, m; null: not known.")]
Factor = Annotated[
    float | None,
    Field(ge=0, description="Value of the return period over the highest maximum; null where there never was snow."),
]


class Method(Closed):
    """Method, in short texts."""

    reference: str
    data_source: str
    statistics: str
    disclaimer: str
    docs: str = Field(description="Where the rest is said.")


class Utm33(Closed):
    """The point in UTM 33 (EPSG:25833), m."""

    x: int
    y: int


class CentreCell(Utm33):
    """The cell of 1 km that holds the point."""

    altitude_m: Altitude


class Inputs(Closed):
    """The question as it was understood, defaults included."""

    lat: float
    lon: float
    utm33: Utm33
    center_cell: CentreCell
    grid: str = Field(description="`3x3`; of cells chosen by hand their number, `7 cells`.", examples=["3x3"])
    manual_cells: bool
    variability_factor: float
    return_period_yr: Period
    series_start: str = Field(examples=["1976-09-01"])


class TableEntry(Closed):
    """A row of the operator's table: one of the municipalities of 1990 in today's."""

    kommune_1990: str
    sk0: float = Field(description="kN/m2, up to the height Hg.")
    Hg: float = Field(description="m.")
    dsk: float = Field(description="kN/m2 for each begun 100 m above Hg.")
    skmax: float = Field(description="kN/m2 at most.")
    sk_at_site: float | None = Field(description="kN/m2 at the plot's height; null: the height is not known.")
    above_hg: bool | None = Field(description="Whether the plot lies above Hg; null: its height is not known.")
    note: str


class Comparison(Closed):
    """The national annex' table for the municipality, where the operator has supplied it."""

    kommune: str | None
    kommunenummer: str | None = Field(examples=["0301"])
    fylke: str | None
    kommune_by: By | None = Field(
        description="Whether the point lies within the municipality's borders, or beside them (within 2 km)."
    )
    site_elevation_m: Altitude
    table_entries: list[TableEntry]
    sk_kn_m2: float | None = Field(description="kN/m2 by the table; null: `reason` says why.")
    selected_entry: str | None
    rule: str
    source: str | None
    reason: str | None


class Cell(CentreCell):
    """One cell."""

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


class Aggregated(Closed):
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


class Snowload(Closed):
    """Characteristic snow load on the ground."""

    method: Method
    inputs: Inputs
    eurocode_comparison: Comparison
    cells: list[Cell] = Field(min_length=1)
    cell_errors: list[CellError]
    aggregate: Aggregated
    warnings: list[str]
