"""What the routes of this group take, as the document declares it, and what is meant by it."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, ValidationInfo

from api import texts
from api.pv.surfaces import ANGLE, ASPECT, CONVENTION, Surface
from api.query import Refused, between, limits, number, one_of
from api.tmy.models import PointQuery

Mounting = Literal["roof", "rack", "flat"]
LossMode = Literal["linear", "strings"]
Format = Literal["json", "csv"]

HEIGHT_MM = (0.0, 5000.0)
BURIAL_MM = (0.0, 10_000.0)
STRINGS = (1, 6)
START = (1957, 2015)
SOILING = (0.0, 5.0)
DAYS = (1, 10)


def _word(declared: Any) -> BeforeValidator:
    return one_of(*get_args(declared))


def _whole(low: int, high: int) -> BeforeValidator:
    """Return the validator of a parameter that takes a whole number from one to another."""
    text = texts.NOT_WHOLE_BETWEEN.replace("{low}", str(low)).replace("{high}", str(high))

    def check(value: Any, info: ValidationInfo) -> int:
        given = number(value)
        if given is None or not low <= given <= high or not given.is_integer():
            raise Refused(info.field_name or "", text)
        return int(given)

    return BeforeValidator(check)


@dataclass(slots=True, kw_only=True)
class PlaneQuery(PointQuery):
    """A plane of modules at a position."""

    angle: Annotated[
        float,
        between(*ANGLE),
        Field(description="Tilt, degrees: 0 is flat, 90 a wall.", json_schema_extra=limits(ANGLE)),
    ] = 30.0
    aspect: Annotated[
        float,
        between(*ASPECT, texts.AZIMUTH_FROM_SOUTH),
        Field(description=f"Azimuth, degrees: {CONVENTION}.", json_schema_extra=limits(ASPECT)),
    ] = 0.0
    mounting: Annotated[
        Mounting,
        _word(Mounting),
        Field(
            description="`roof`: on a pitched roof; `rack`: free, with room below for what slides off; `flat`: on "
            "racks that stand on a flat roof."
        ),
    ] = "roof"
    height_mm: Annotated[
        float,
        between(*HEIGHT_MM),
        Field(
            description="Underside of the modules above what they stand on; counts for `mounting=flat` alone.",
            json_schema_extra=limits(HEIGHT_MM),
        ),
    ] = 300.0
    lossmode: Annotated[
        LossMode,
        _word(LossMode),
        Field(description="`linear`: the covered part is lost; `strings`: a string that is partly covered is lost."),
    ] = "linear"

    @property
    def azimuth(self) -> float:
        """From true north, degrees clockwise."""
        return Surface(1.0, self.angle, self.aspect).azimuth


@dataclass(slots=True, kw_only=True)
class SoilingQuery(PlaneQuery):
    """The parameters of `GET /api/snowsoiling/calc`."""

    strings: Annotated[
        int,
        _whole(*STRINGS),
        Field(description="One above the other, for `lossmode=strings`.", json_schema_extra=limits(STRINGS)),
    ] = 3
    start: Annotated[
        int, _whole(*START), Field(description="First year of the snow series.", json_schema_extra=limits(START))
    ] = 1991
    soiling: Annotated[
        float,
        between(*SOILING),
        Field(description="What soiling takes where no snow lies, %.", json_schema_extra=limits(SOILING)),
    ] = 1.0
    format: Annotated[
        Format, _word(Format), Field(description="`csv`: one table, a row for each month, the year at the bottom.")
    ] = "json"

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
        Annotated[float, between(*BURIAL_MM)] | None,
        Field(
            description="Height of the modules' top edge above the ground: deeper snow covers them wholly.",
            json_schema_extra=limits(BURIAL_MM),
        ),
    ] = None
    days: Annotated[
        int,
        _whole(*DAYS),
        Field(
            description="How many are listed: from the day that runs now, and where fewer lie ahead, the last ones "
            "before it too.",
            json_schema_extra=limits(DAYS),
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
        }
