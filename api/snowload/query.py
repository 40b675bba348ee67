"""What `GET /api/snowload/calc` takes, as the document declares it."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema

from api import texts
from api.query import Number, Query, Refused, between, limits, number, one_of
from kernels.snowload.seasons import LEAST_DAYS

Format = Literal["json", "csv", "png"]
Grid = Literal[1, 3, 5]
Period = Literal[20, 50, 100]

LAT, LON = (57.0, 72.0), (4.0, 32.0)
VARIABILITY = (1.0, 3.0)
ELEVATION = (-50.0, 3000.0)
MOST_CELLS = 36

_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})", re.ASCII)
_PAIR = re.compile(r"([+-]?\d{1,9})_([+-]?\d{1,9})", re.ASCII)
# `x_y` of nine digits and a sign each, and a comma.
_LONGEST = MOST_CELLS * 24


def _metres(value: Any, info: ValidationInfo) -> int:
    given = number(value)
    if given is None or not abs(given) < 1e9 or not given.is_integer():
        raise Refused(info.field_name or "", texts.SNOWLOAD_METRES)
    return int(given)


def _one_of_whole(choices: Any, text: str) -> BeforeValidator:
    """Return the validator of a parameter that takes one of the whole numbers of a `Literal`."""

    def check(value: Any, info: ValidationInfo) -> int:
        given = number(value)
        if given is None or given not in get_args(choices):
            raise Refused(info.field_name or "", text)
        return int(given)

    return BeforeValidator(check)


def _date(value: Any, info: ValidationInfo) -> date:
    match = _DATE.fullmatch(str(value))
    try:
        if match is None:
            raise ValueError
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        raise Refused(info.field_name or "", texts.SNOWLOAD_START) from None


def _cells(value: Any, info: ValidationInfo) -> tuple[tuple[int, int], ...]:
    """Return the positions of a list `x_y,x_y`, as they stand."""
    text = str(value)
    pairs = [_PAIR.fullmatch(part.strip()) for part in text.split(",")] if len(text) <= _LONGEST else []
    if not 0 < len(pairs) <= MOST_CELLS or None in pairs:
        raise Refused(info.field_name or "", texts.SNOWLOAD_CELLS.replace("{most}", str(MOST_CELLS)))
    return tuple((int(pair[1]), int(pair[2])) for pair in pairs if pair is not None)


Metres = Annotated[int, BeforeValidator(_metres)]
Day = Annotated[date, BeforeValidator(_date), WithJsonSchema({"type": "string", "pattern": r"^\d{4}-\d{1,2}-\d{1,2}$"})]
Cells = Annotated[
    tuple[tuple[int, int], ...],
    BeforeValidator(_cells),
    WithJsonSchema({"type": "string", "pattern": r"^[+-]?\d{1,9}_[+-]?\d{1,9}(,[+-]?\d{1,9}_[+-]?\d{1,9}){0,35}$"}),
]


@dataclass(slots=True, kw_only=True)
class SnowloadQuery(Query):
    """The parameters of `GET /api/snowload/calc`."""

    lat: Annotated[
        Number | None,
        Field(description="Degrees north (WGS84); not used where `x` and `y` are given.", examples=[59.91],
              json_schema_extra=limits(LAT)),
    ] = None  # fmt: skip
    lon: Annotated[
        Number | None,
        Field(description="Degrees east (WGS84).", examples=[10.75], json_schema_extra=limits(LON)),
    ] = None
    x: Annotated[Metres | None, Field(description="Easting in UTM 33 (EPSG:25833), m; with `y`.")] = None
    y: Annotated[Metres | None, Field(description="Northing in UTM 33 (EPSG:25833), m; with `x`.")] = None
    grid: Annotated[
        Grid,
        _one_of_whole(Grid, texts.SNOWLOAD_GRID),
        Field(description="So many cells of 1 km to a side around the point; the median counts."),
    ] = 3
    cells: Annotated[
        Cells | None,
        Field(
            description=f"Cells chosen by hand in place of `grid`, as `x_y,x_y,...`: centres in UTM 33, m, at most "
            f"{MOST_CELLS}. Any position in a cell means it.",
            examples=["262500_6649500,263500_6649500"],
        ),
    ] = None
    returnperiod: Annotated[Period, _one_of_whole(Period, texts.SNOWLOAD_PERIOD), Field(description="Years.")] = 50
    variability: Annotated[
        float,
        between(*VARIABILITY),
        Field(
            description="Variability factor: the median is multiplied by it, for what a mean over 1 km2 does not show; "
            "1 takes the cells as they are.",
            json_schema_extra=limits(VARIABILITY),
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
        Annotated[float, between(*ELEVATION)] | None,
        Field(
            description="Height of the plot above the sea, m, for the table of the national annex; by default that of "
            "the point's cell.",
            json_schema_extra=limits(ELEVATION),
        ),
    ] = None
    format: Annotated[
        Format,
        one_of("json", "csv", "png"),
        Field(description="`csv`: a row for each cell, totals at the bottom; `png`: a picture of the centre cell."),
    ] = "json"
