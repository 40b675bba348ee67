"""Queries, bodies and answers of the horizon endpoints."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, Field, ValidationInfo

from api.core import fields
from api.core import problems as shared
from api.core.errors import Problem
from api.core.file_formats import value_of
from api.core.query import MethodDetail, Query, latitude, longitude
from api.horizon import problems
from api.horizon.formats.registry import JSON, names
from api.horizon.profile import N

LAT, LON = (57.0, 72.0), (4.0, 32.0)
EXAMPLE: dict[str, Any] = {"lat": 59.9139, "lon": 10.7522, "observer_height_m": 19.0}
MAX_BYTES = 10_000

_TOOLS = "`export_a` to `export_e` are for PVsyst, PV*SOL, HelioScope, PVGIS and SAM, whose names are aliases"


def _of_level_1(name: Any, info: ValidationInfo) -> Any:
    if name in names("terrain") and name not in (here := names("rooftop")):
        raise problems.LEVEL_1_ONLY(info.field_name, value=name, choices=", ".join(here))
    return name


_ONLY_WITH = (("method", "format", (JSON,)),)
TerrainFormat = Annotated[str, *value_of(names("terrain"))]
RooftopFormat = Annotated[str, *value_of(names("rooftop")), BeforeValidator(_of_level_1)]


@dataclass(slots=True, kw_only=True)
class TerrainQuery(Query):
    """The parameters of `GET /api/horizon/terrain`."""

    guidance: ClassVar[Mapping[str, Problem]] = dict.fromkeys(("lat", "lon"), shared.POINT)
    only_with = _ONLY_WITH

    lat: Annotated[float, latitude(LAT)]
    lon: Annotated[float, longitude(LON)]
    format: Annotated[TerrainFormat, Field(description=f"The answer's format; {_TOOLS}.")] = JSON
    method: MethodDetail = "short"


@dataclass
class RooftopQuery(Query):
    """The parameters of `POST /api/horizon/rooftop`."""

    only_with = _ONLY_WITH
    format: Annotated[RooftopFormat, Field(description=f"The answer's format; {_TOOLS}; `png` is a chart.")] = JSON
    method: MethodDetail = "short"


class RooftopRequest(BaseModel):
    """Position of the observer: a module on a roof."""

    lat: fields.Number = Field(ge=LAT[0], le=LAT[1], description="Degrees north (WGS84).")
    lon: fields.Number = Field(ge=LON[0], le=LON[1], description="Degrees east (WGS84).")
    observer_height_m: fields.Number = Field(
        3.0, ge=0, le=50, description="Height above the terrain (not above the roof), m."
    )
    observer_z_masl: fields.Number | None = Field(
        None, ge=-50, le=3000, description="Height above the sea, m; overrides `observer_height_m`."
    )
    include_tier1: fields.Flag = Field(
        True, description="Fill in the far horizon from level 1, beyond the near field; else the near field alone."
    )


class Position(fields.Closed):
    """The position of the request."""

    lat: float
    lon: float
    cell_distance_m: float = Field(ge=0, description="From there to the observer, m: at most half a cell's diagonal.")


class Source(fields.Closed):
    """Source of the heights."""

    name: str
    licence: str
    attribution: str
    data_origin: Literal["live", "simulated"]


Degrees = Annotated[list[float], Field(min_length=N, max_length=N)]
Metres = Annotated[list[float | None], Field(min_length=N, max_length=N)]


class _Horizon(fields.Closed):
    """Fields of both levels."""

    lat: float = Field(description="Where the observer stands; of level 1 the centre of the cell of 100 m.")
    lon: float
    version: str = Field(description="Of the horizon answers.", examples=["v3.1"])
    n_azimuth: Literal[720]
    dtm_ground_z_m: float | None = Field(description="Of the terrain there, m above sea; null: not known.")
    dtm_year: int | None = Field(description="Of the terrain data there; null: not known.")
    data_origin: Literal["live", "simulated"]
    method: dict[str, str] = Field(description="How it was made; `docs` links to the rest.")
    sources: list[Source]
    warnings: list[str]
    azimuth_deg: Degrees = Field(description="0 to 359.5, clockwise from true north.")
    elevation_deg: Degrees = Field(
        description="Of the horizon above the horizontal plane, with the earth's curvature and refraction; below 0 "
        "where the land falls away."
    )


class Terrain(_Horizon):
    """Terrain horizon of a place, in 720 directions."""

    query: Position
    tile_key: str = Field(description="Of the tile of 6.4 km: row and column in UTM 33.", examples=["H33-029-054"])
    api_tier: Literal["terrain"]
    observer_height_m: float = Field(description="Of the eye above the ground, m.")
    horizon_version: str = Field(description="Of the tiles: the hour at which their build began.")
    distance_m: Metres = Field(description="To what makes the horizon, m, within 1 %; null: no land is known that way.")


class Rooftop(_Horizon):
    """The horizon of a roof in 720 directions, clockwise from true north."""

    api_tier: Literal["rooftop"]
    tier1_used: bool = Field(description="Whether the far horizon is filled in from level 1.")
    observer_height_above_dtm_m: float | None = Field(description="Of the observer above the terrain, m.")
    observer_z_masl: float = Field(description="Of the observer above sea, m.")
    dom_year: int | None = Field(description="Of the surface model at the point; null where its source does not say.")
    near_field_m: float = Field(description="How far the surface model is looked at, m.")
    tile_key: str | None = Field(description="Of the level 1 tile that was used.")
    compute_ms: float = Field(description="What the calculation took, without waiting for heights, ms.")
    near_horizon_only: Degrees = Field(
        description="The near field alone: what buildings, trees and the nearest ground hide, degrees."
    )
    near_distance_m: Metres = Field(description="To what makes the near horizon, m; null where nothing is known.")
