"""The parameters of `GET /api/pv/calc`: a plant at a place, and the year that is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import BeforeValidator, Field, PlainValidator, ValidationInfo, WithJsonSchema

from api.core import problems
from api.core.errors import Problem, problem
from api.core.query import MethodDetail, number
from api.data import surfaces
from api.data.surfaces import KWP, Angle, Aspect, Mounting, Surface
from api.data.typical_year import PointQuery

Technology = Literal["crystSi", "CIS", "CdTe"]
Optimize = Literal["none", "slope", "both"]
Confidence = Literal["p50", "p75", "p90", "p95"]
SnowMounting = Literal["roof", "rack", "flat"]
Format = Literal["json", "csv", "parquet", "arrow", "png"]
Switch = Literal["0", "1"]

CONFIDENCES: tuple[Confidence, ...] = get_args(Confidence)
TECHNOLOGY: Technology = "crystSi"
MOUNTING: Mounting = "free"
# How modules stand for snow, where only it is given whether air cools them.
SNOW_MOUNTING: dict[Mounting, SnowMounting] = {"building": "roof", "free": "rack"}
LOSS = (0.0, 60.0)
TILE: Literal["tile"] = "tile"
_PATTERN = "[^:,]+:[^:,]+:[^:,]+"
_ARRAYS = {
    "type": "string",
    "pattern": f"^{_PATTERN}(,{_PATTERN}){{0,{surfaces.MOST - 1}}}$",
    "examples": ["5:35:-90,3:20:90"],
}

OPTIMIZE_ARRAYS = problem("pv.OPTIMIZE_ARRAYS")
ALIAS = problem("pv.ALIAS")
ALBEDO = problem("pv.ALBEDO")
PROBLEMS = (
    problems.NOT_BETWEEN,
    surfaces.ASPECT_NOT_BETWEEN,
    problems.NOT_A_CHOICE,
    *surfaces.PROBLEMS,
    OPTIMIZE_ARRAYS,
    ALIAS,
    ALBEDO,
)

_NOT_REPEATED = ("tech", "mounting", "format", "method")


def _albedo(value: Any, info: ValidationInfo) -> float | str:
    given = number(value)
    if value != TILE and (given is None or not 0 <= given <= 1):
        raise ALBEDO(info.field_name)
    return TILE if given is None else given


@dataclass(slots=True, kw_only=True)
class PvQuery(PointQuery):
    """The parameters of `GET /api/pv/calc`."""

    guidance: ClassVar[Mapping[str, Problem]] = {**PointQuery.guidance, "aspect": surfaces.ASPECT_NOT_BETWEEN}
    only_with = (
        *((name, "arrays", (None,)) for name in ("peakpower", "angle", "aspect")),
        ("angle", "optimize", ("none",)),
        ("aspect", "optimize", ("none", "slope")),
        ("snowmounting", "snowloss", ("1",)),
    )

    peakpower: Annotated[float, Field(ge=KWP[0], le=KWP[1], description="kWp of one surface.")] = 1.0
    angle: Angle = 35.0
    aspect: Aspect = 0.0
    arrays: Annotated[
        tuple[Surface, ...] | None,
        PlainValidator(surfaces.read_surfaces),
        WithJsonSchema(_ARRAYS),
        Field(
            description="1 to 4 surfaces in place of peakpower, angle and aspect: `kwp:angle:azimuth`, comma "
            "separated, in their ranges, azimuth from south. Not together with `optimize`."
        ),
    ] = None
    loss: Annotated[float, Field(ge=LOSS[0], le=LOSS[1], description="System loss, %.")] = 14.0
    pvtechchoice: Annotated[
        Technology | None, Field(description="Of the modules.", json_schema_extra={"default": TECHNOLOGY})
    ] = None
    tech: Annotated[
        Technology | None, Field(description="Another name of `pvtechchoice`; where both are given they must agree.")
    ] = None
    mountingplace: Annotated[
        Mounting | None,
        Field(
            description="Whether air cools the modules from behind (`free`), or a building is there. Not the "
            "`mounting` of the snow endpoints (`roof`, `rack`, `flat`; default `roof`), which is `snowmounting` here.",
            json_schema_extra={"default": MOUNTING},
        ),
    ] = None
    mounting: Annotated[
        Mounting | None, Field(description="Another name of `mountingplace`; where both are given they must agree.")
    ] = None
    optimize: Annotated[
        Optimize,
        Field(
            description="`slope`: the tilt that brings most in the year replaces `angle`; `both`: `aspect` too. With "
            "the horizon, the limit and the year that are asked for; with `snowloss=1` with the snow."
        ),
    ] = "none"
    confidence: Annotated[
        Confidence, Field(description="Solar year: `p90` is the one that is exceeded in 90 % of the years, by GHI.")
    ] = "p50"
    maxpower: Annotated[
        float | None,
        Field(ge=KWP[0], le=KWP[1], description="Limit of the plant's AC power, kW; all surfaces share it."),
    ] = None
    horizon: Annotated[Switch, Field(description="`0`: leave out what terrain hides of sun and sky.")] = "1"
    albedo: Annotated[
        float | Literal["tile"],
        BeforeValidator(_albedo),
        Field(
            description="Of the ground: `tile` is that of the place by month, with snow (0.2 where none is built); or "
            "a number for all months.",
            json_schema_extra={"examples": ["tile", 0.2]},
        ),
    ] = TILE
    snowloss: Annotated[
        Switch,
        Field(
            description="`1`: the production is less by local snow and soiling, as `/api/snowsoiling/calc` has it for "
            "each surface. A cell whose snow is not published is fetched from the snow authority."
        ),
    ] = "0"
    snowmounting: Annotated[
        SnowMounting | None,
        Field(
            description="How the modules stand, for the loss by snow; by default `roof` on a building "
            "(`mountingplace`) and else `rack`. `flat` is on racks 300 mm above a flat roof."
        ),
    ] = None
    format: Annotated[
        Format, Field(description="`csv`, `parquet`, `arrow` are one table; `png` is a chart of the months.")
    ] = "json"
    method: MethodDetail = "short"

    def __post_init__(self) -> None:
        """Refuse parameters that contradict each other.

        Raises
        ------
        ApiError
            `OPTIMIZE_ARRAYS`, `ALIAS`.
        """
        if self.arrays is not None and self.optimize != "none":
            raise OPTIMIZE_ARRAYS("optimize", value=self.optimize)
        for name, alias in (("mountingplace", "mounting"), ("pvtechchoice", "tech")):
            values = {getattr(self, one) for one in (name, alias)} - {None}
            if len(values) > 1:
                raise ALIAS(name, alias=alias)

    @property
    def surfaces(self) -> tuple[Surface, ...]:
        """The surfaces; one where it is to be optimised."""
        return self.arrays or (Surface(self.peakpower, self.angle, self.aspect),)

    @property
    def technology(self) -> Technology:
        """Technology of the modules, under either name."""
        return self.pvtechchoice or self.tech or TECHNOLOGY

    @property
    def placement(self) -> Mounting:
        """Return whether air cools the modules, under either name."""
        return self.mountingplace or self.mounting or MOUNTING

    @property
    def snow_mounting(self) -> SnowMounting:
        """Return the mounting for snow: as given, or by `placement`."""
        return self.snowmounting or SNOW_MOUNTING[self.placement]

    def inputs(self) -> dict[str, Any]:
        """Return the parameters as the answer repeats them, defaults filled in."""
        inputs = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in _NOT_REPEATED}
        if self.arrays is not None:
            written = ",".join(one.written() for one in self.arrays)
            inputs |= {"peakpower": None, "angle": None, "aspect": None, "arrays": written}
        return inputs | {
            "pvtechchoice": self.technology,
            "mountingplace": self.placement,
            "horizon": int(self.horizon),
            "snowloss": int(self.snowloss),
            "snowmounting": self.snow_mounting if self.snowloss == "1" else self.snowmounting,
            "azimuth_convention": surfaces.CONVENTION,
            "format": self.format,
        }
