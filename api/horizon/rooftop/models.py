"""What a roof's horizon is asked with, and its answer, as the document declares them."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.json_schema import WithJsonSchema

from api import texts
from api.fields import Flag, Number
from api.horizon.formats.registry import names
from api.horizon.profile import N
from api.horizon.terrain.models import Source
from api.query import Query, Refused, one_of

MAX_BYTES = 10_000
LAT, LON = (57, 72), (4, 32)
HEIGHT, Z = (0, 50), (-50, 3000)

CHOICES = names("rooftop")


def _not_binary(value: Any) -> Any:
    if value == "binary":
        raise Refused("format", texts.ROOFTOP_BINARY.format(choices=", ".join(CHOICES)))
    return value


Format = Annotated[
    str,
    one_of(*CHOICES),
    BeforeValidator(_not_binary),  # the last one is asked first
    WithJsonSchema({"type": "string", "enum": list(CHOICES)}),
]


@dataclass
class RooftopQuery(Query):
    """What the answer looks like."""

    guidance: ClassVar[dict[str, str]] = {}

    format: Annotated[
        Format,
        Field(
            description=(
                "`export_a` to `export_e` are for PVsyst, PV*SOL, HelioScope, PVGIS and SAM, whose names are aliases; "
                "`png` is a chart."
            )
        ),
    ] = "json"


class RooftopRequest(BaseModel):
    """Where the observer is: a module on a roof."""

    # No more than their names is looked at, for `warnings`.
    model_config = ConfigDict(extra="allow")

    lat: Annotated[Number, Field(ge=LAT[0], le=LAT[1], description="Degrees north (WGS84).")]
    lon: Annotated[Number, Field(ge=LON[0], le=LON[1], description="Degrees east (WGS84).")]
    observer_height_m: Annotated[Number, Field(ge=HEIGHT[0], le=HEIGHT[1])] = Field(
        3.0, description="Height above the terrain (not above the roof), m."
    )
    observer_z_masl: Annotated[Number | None, Field(ge=Z[0], le=Z[1])] = Field(
        None, description="Height above the sea, m; overrides `observer_height_m`."
    )
    include_tier1: Flag = Field(
        True,
        description="Fill in the far horizon from level 1, beyond the near field; else the near field alone.",
    )


Degrees = Annotated[list[float], Field(min_length=N, max_length=N)]


class Rooftop(BaseModel):
    """The horizon of a roof in 720 directions, clockwise from true north."""

    model_config = ConfigDict(extra="forbid")

    lat: float
    lon: float
    api_tier: Literal["rooftop"]
    version: str = Field(description="Of the horizon answers.")
    n_azimuth: Literal[720]
    azimuth_deg: Degrees = Field(description="0, 0.5 .. 359.5; 0 is north.")
    elevation_deg: Degrees = Field(
        description="Height of the horizon above the horizontal plane, degrees; below 0 where the land falls away."
    )
    tier1_used: bool = Field(description="Whether the far horizon is filled in from level 1.")
    near_horizon_only: Degrees = Field(
        description="The near field alone: what buildings, trees and the nearest ground hide, degrees."
    )
    near_distance_m: list[float | None] = Field(
        min_length=N, max_length=N, description="To what makes the near horizon, m; null where nothing is known."
    )
    dtm_ground_z_m: float | None = Field(description="Of the terrain at the point, m above sea; null where unknown.")
    observer_height_above_dtm_m: float | None = Field(description="Of the observer above that, m.")
    observer_z_masl: float = Field(description="Of the observer above sea, m.")
    dom_year: int | None = Field(description="Of the surface model at the point; null where its source does not say.")
    dtm_year: int | None = Field(description="Of the terrain model at the point, likewise.")
    near_field_m: float = Field(description="How far the surface model is looked at, m.")
    tile_key: str | None = Field(description="Of the level 1 tile that was used.")
    data_origin: Literal["live", "simulated"]
    method: str = Field(description="How the horizon was made.")
    sources: list[Source]
    warnings: list[str]
    compute_ms: float = Field(description="What the calculation took, without waiting for heights, ms.")


EXAMPLE: dict[str, Any] = {"lat": 59.9139, "lon": 10.7522, "observer_height_m": 12.0}
