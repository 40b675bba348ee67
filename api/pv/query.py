"""What `GET /api/pv/calc` takes, as the document declares it, and what is meant by it."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import BeforeValidator, Field, PlainValidator, ValidationInfo, WithJsonSchema

from api import texts
from api.errors import BadRequest
from api.pv import surfaces
from api.pv.surfaces import ANGLE, ASPECT, KWP, Surface
from api.query import Refused, between, limits, number, one_of
from api.tmy.models import PointQuery

Technology = Literal["crystSi", "CIS", "CdTe"]
Mounting = Literal["free", "building"]
Optimize = Literal["none", "slope", "both"]
Confidence = Literal["p50", "p75", "p90", "p95"]
SnowMounting = Literal["roof", "rack", "flat"]
Format = Literal["json", "csv", "png"]
Switch = Literal["0", "1"]

CONFIDENCES: tuple[Confidence, ...] = get_args(Confidence)
TECHNOLOGY: Technology = "crystSi"
MOUNTING: Mounting = "free"
# How modules stand for snow, where a question says only whether air cools them.
SNOW_MOUNTING: dict[Mounting, SnowMounting] = {"building": "roof", "free": "rack"}
LOSS = (0.0, 60.0)

_PATTERN = "[^:,]+:[^:,]+:[^:,]+"
_ARRAYS = {
    "type": "string",
    "pattern": f"^{_PATTERN}(,{_PATTERN}){{0,{surfaces.MOST - 1}}}$",
    "examples": ["5:35:-90,3:20:90"],
}

TILE: Literal["tile"] = "tile"
ALBEDO = (0.0, 1.0)

T = TypeVar("T")


def _albedo(value: Any, info: ValidationInfo) -> float | str:
    found = number(value)
    if value != TILE and (found is None or not ALBEDO[0] <= found <= ALBEDO[1]):
        raise Refused(info.field_name or "", texts.PV_ALBEDO)
    return TILE if found is None else found


def _word(declared: Any) -> BeforeValidator:
    return one_of(*get_args(declared))


@dataclass(slots=True, kw_only=True)
class PvQuery(PointQuery):
    """The parameters of `GET /api/pv/calc`."""

    peakpower: Annotated[
        float, between(*KWP), Field(description="kWp of one surface.", json_schema_extra=limits(KWP))
    ] = 1.0
    angle: Annotated[
        float,
        between(*ANGLE),
        Field(description="Tilt, degrees: 0 is flat, 90 a wall.", json_schema_extra=limits(ANGLE)),
    ] = 35.0
    aspect: Annotated[
        float,
        between(*ASPECT, texts.AZIMUTH_FROM_SOUTH),
        Field(description=f"Azimuth, degrees: {surfaces.CONVENTION}.", json_schema_extra=limits(ASPECT)),
    ] = 0.0
    arrays: Annotated[
        tuple[Surface, ...] | None,
        PlainValidator(surfaces.read),
        WithJsonSchema(_ARRAYS),
        Field(
            description="1 to 4 surfaces in place of peakpower, angle and aspect: `kwp:angle:azimuth`, comma "
            "separated, in their ranges. Not together with `optimize`. What of those three is given beside it must be "
            "valid all the same."
        ),
    ] = None
    loss: Annotated[float, between(*LOSS), Field(description="System loss, %.", json_schema_extra=limits(LOSS))] = 14.0
    pvtechchoice: Annotated[
        Annotated[Technology, _word(Technology)] | None,
        Field(description="Of the modules.", json_schema_extra={"default": TECHNOLOGY}),
    ] = None
    tech: Annotated[
        Annotated[Technology, _word(Technology)] | None,
        Field(description="Another name of `pvtechchoice`; where both are given they must agree."),
    ] = None
    mountingplace: Annotated[
        Annotated[Mounting, _word(Mounting)] | None,
        Field(
            description="Whether air cools the modules from behind, or a building is there.",
            json_schema_extra={"default": MOUNTING},
        ),
    ] = None
    mounting: Annotated[
        Annotated[Mounting, _word(Mounting)] | None,
        Field(description="Another name of `mountingplace`; where both are given they must agree."),
    ] = None
    optimize: Annotated[
        Optimize,
        _word(Optimize),
        Field(
            description="`slope`: the tilt that brings most in the year replaces `angle`; `both`: `aspect` too. With "
            "the horizon, the limit and the year that are asked for, without snow."
        ),
    ] = "none"
    confidence: Annotated[
        Confidence,
        _word(Confidence),
        Field(description="Solar year: `p90` is the one that is exceeded in 90 % of the years, by GHI."),
    ] = "p50"
    maxpower: Annotated[
        Annotated[float, between(*KWP)] | None,
        Field(description="Limit of the plant's AC power, kW; all surfaces share it.", json_schema_extra=limits(KWP)),
    ] = None
    horizon: Annotated[
        Switch, _word(Switch), Field(description="`0`: leave out what terrain hides of sun and sky.")
    ] = "1"
    albedo: Annotated[
        float | Literal["tile"],
        BeforeValidator(_albedo),
        Field(
            description="Of the ground: `tile` is that of the place by month, with snow (0.2 where none is "
            "built); or a number for all months.",
            json_schema_extra={"examples": ["tile", 0.2]},
        ),
    ] = TILE
    snowloss: Annotated[
        Switch,
        _word(Switch),
        Field(
            description="`1`: the production is less by local snow and soiling, as `/api/snowsoiling/calc` has it for "
            "each surface. A cell whose snow is not published is fetched from the snow authority."
        ),
    ] = "0"
    snowmounting: Annotated[
        Annotated[SnowMounting, _word(SnowMounting)] | None,
        Field(
            description="How the modules stand, for the loss by snow; by default `roof` on a building "
            "(`mountingplace`) and else `rack`. `flat` is on racks 300 mm above a flat roof."
        ),
    ] = None
    format: Annotated[Format, _word(Format), Field(description="`png` is a chart of the months.")] = "json"


@dataclass(frozen=True, slots=True)
class Asked:
    """What is meant by a query, defaults filled in.

    Parameters
    ----------
    lat, lon : float
    surfaces : tuple of Surface
        One where it is to be optimised.
    listed : bool
        Whether the surfaces were given as `arrays`.
    loss : float
        %.
    technology, mounting, optimize, confidence
    maxpower : float or None
        kW.
    horizon, snowloss : bool
    snowmounting : str or None
        Never None with `snowloss`.
    format : str
    ignored : tuple of str
        Names of parameters that there are none of.
    assumed_snowmounting : bool
        Whether `snowmounting` was not given.
    albedo : float or "tile"
    """

    lat: float
    lon: float
    surfaces: tuple[Surface, ...]
    listed: bool
    loss: float
    technology: Technology
    mounting: Mounting
    optimize: Optimize
    confidence: Confidence
    maxpower: float | None
    horizon: bool
    snowloss: bool
    snowmounting: SnowMounting | None
    format: Format
    ignored: tuple[str, ...] = ()
    assumed_snowmounting: bool = False
    albedo: float | Literal["tile"] = TILE

    def inputs(self) -> dict[str, Any]:
        """Return it under the parameters' names, as the answer repeats it."""
        kwp, angle, aspect = (None, None, None) if self.listed else self.surfaces[0]
        return {
            "lat": self.lat,
            "lon": self.lon,
            "peakpower": kwp,
            "angle": angle,
            "aspect": aspect,
            "arrays": ",".join(one.written() for one in self.surfaces) if self.listed else None,
            "loss": self.loss,
            "pvtechchoice": self.technology,
            "mountingplace": self.mounting,
            "optimize": self.optimize,
            "confidence": self.confidence,
            "maxpower": self.maxpower,
            "horizon": int(self.horizon),
            "albedo": self.albedo,
            "snowloss": int(self.snowloss),
            "snowmounting": self.snowmounting,
            "format": self.format,
            "azimuth_convention": surfaces.CONVENTION,
        }


def understood(query: PvQuery, ignored: tuple[str, ...] = ()) -> Asked:
    """Return what a query means.

    Parameters
    ----------
    query : PvQuery
    ignored : tuple of str
        Names that stood beside it and mean nothing.

    Raises
    ------
    BadRequest
        Two of its parameters contradict each other.
    """
    if query.arrays is not None and query.optimize != "none":
        raise BadRequest(texts.PV_OPTIMIZE_ARRAYS.format(optimize=query.optimize))
    mounting: Mounting = _same("mountingplace", query.mountingplace, "mounting", query.mounting) or MOUNTING
    snowloss = query.snowloss == "1"
    return Asked(
        lat=query.lat,
        lon=query.lon,
        surfaces=query.arrays or (Surface(query.peakpower, query.angle, query.aspect),),
        listed=query.arrays is not None,
        loss=query.loss,
        technology=_same("pvtechchoice", query.pvtechchoice, "tech", query.tech) or TECHNOLOGY,
        mounting=mounting,
        optimize=query.optimize,
        confidence=query.confidence,
        maxpower=query.maxpower,
        horizon=query.horizon == "1",
        snowloss=snowloss,
        snowmounting=query.snowmounting or (SNOW_MOUNTING[mounting] if snowloss else None),
        format=query.format,
        ignored=ignored,
        assumed_snowmounting=snowloss and query.snowmounting is None,
        albedo=query.albedo,
    )


def _same(name: str, given: T | None, alias: str, by_alias: T | None) -> T | None:
    if given is not None and by_alias is not None and given != by_alias:
        raise BadRequest(texts.PV_ALIAS.format(name=name, alias=alias))
    return by_alias if given is None else given
