"""Body and query of the roof endpoints. Names are Norwegian, as the contract's are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, Field, Secret, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from api.access.partners import HEADER, MAX_PASSWORD
from api.core import fields
from api.core.query import Query, latitude, longitude
from api.roof.ring import distance, is_simple
from catalog.sources.vision import Kind
from kernels import utm
from kernels.roof.layout.rules import CLEARANCE_M, HEIGHT_M, RACK_TILT, Rules

LAT, LON = (57.0, 72.0), (4.0, 32.0)
EXAMPLE: dict[str, Any] = {"lat": 59.9139, "lon": 10.7522, "montering": "auto", "regler": {"ridge_setback_m": 0.6}}
MAX_BYTES = 50_000

_FAR_M = 30.0
_MOST_CORNERS = 200
_USUAL = Rules()
_FLAT, _PITCHED = "Flat roofs only.", "Pitched roofs only."

Setback = Annotated[fields.Number, Field(ge=0, le=5)]
Height = Annotated[fields.Number, Field(ge=0, le=10)]
# its characters are counted: of a SecretStr they are values
Password = Secret[Annotated[str, StringConstraints(max_length=MAX_PASSWORD)]]
Position = Annotated[list[fields.Number], Field(min_length=2, max_length=2)]


def _listed(values: Mapping[str, float]) -> str:
    return ", ".join(f"{kind} {value:g}" for kind, value in values.items())


class RulesRequest(BaseModel, extra="forbid"):
    """Fine tuning; unknown fields are refused. On pitched roofs distances are measured on the slope."""

    edge_setback_m: Setback = Field(_USUAL.edge_setback_m, description=f"{_FLAT} Free along all edges, m.")
    pitched_edge_setback_m: Setback = Field(
        _USUAL.pitched_edge_setback_m, description=f"{_PITCHED} Free along eaves, gables, walls and valleys, m."
    )
    ridge_setback_m: Setback = Field(
        _USUAL.ridge_setback_m,
        description=f"{_PITCHED} Free along a ridge or hip whose other side has modules too, m.",
    )
    pitched_access_edge_m: Setback = Field(
        _USUAL.pitched_access_edge_m,
        description=f"{_PITCHED} Free along the eave of the surface with least sun, if all are used, m.",
    )
    pitched_access_edge: fields.Flag = Field(
        _USUAL.pitched_access_edge, description=f"{_PITCHED} Whether `pitched_access_edge_m` is kept free."
    )
    lane_width_m: fields.Number = Field(
        _USUAL.lane_width_m, ge=0, le=3, description=f"{_FLAT} Width of walkways, m; 0: none."
    )
    lane_interval_m: fields.Number = Field(
        _USUAL.lane_interval_m, ge=10, le=200, description=f"{_FLAT} Widest field between walkways, m."
    )
    lanes_along_rows: fields.Flag = Field(
        _USUAL.lanes_along_rows, description=f"{_FLAT} Walkways that run along the rows."
    )
    lanes_across_rows: fields.Flag = Field(
        _USUAL.lanes_across_rows, description=f"{_FLAT} Walkways that run across the rows."
    )
    shade_loss_max: fields.Number = Field(
        _USUAL.shade_loss_max,
        ge=0,
        le=1,
        description="Most that a module may lose to near shade, of a year's beam irradiance that the terrain leaves.",
    )
    protrusion_min_m: fields.Number = Field(
        _USUAL.protrusion_min_m,
        ge=0.2,
        le=3,
        description="Lowest obstacle of the heights that counts, m; they show none below 0.2 m.",
    )
    protrusion_clearance_m: fields.Number = Field(
        _USUAL.protrusion_clearance_m,
        ge=0,
        le=3,
        description="Free around obstacles that the heights show and nobody names, m: measured ones of kind `annet`, "
        "unless `obstacle_clearance_m` names `annet`.",
    )
    obstacle_north_factor: Setback = Field(
        _USUAL.obstacle_north_factor,
        description=f"{_FLAT} Free to the north of an obstacle or wall, times its height.",
    )
    obstacle_ew_factor: Setback = Field(
        _USUAL.obstacle_ew_factor, description=f"{_FLAT} Free to its east and west, times its height."
    )
    obstacle_south_m: Setback = Field(_USUAL.obstacle_south_m, description=f"{_FLAT} Free to its south, m.")
    obstacle_clearance_m: dict[Kind, Setback] = Field(
        {}, description=f"Free around obstacles by kind, m; else {_listed(CLEARANCE_M)}."
    )
    obstacle_height_m: dict[Kind, Height] = Field(
        {}, description=f"{_FLAT} Height of obstacles that only a picture shows by kind, m; else {_listed(HEIGHT_M)}."
    )
    min_run_modules: int = Field(
        _USUAL.min_run_modules, strict=True, ge=1, le=10, description="Fewest modules of a row without a break."
    )
    common_row_direction: fields.Flag = Field(
        _USUAL.common_row_direction,
        description="Pitched surfaces take the row direction of the largest one where theirs differs by less than 5 "
        "degrees; flat ones that of the building, else of their own long side.",
    )
    align_columns: fields.Flag = Field(
        _USUAL.align_columns,
        description="Modules stand in columns; false lets each row begin anywhere where that holds 10 % more modules.",
    )
    pitched_orientation: Literal["portrait", "landscape", "auto"] = Field(
        _USUAL.pitched_orientation,
        description=f"{_PITCHED} Long side of the modules: `portrait` up the slope, `landscape` along the row, `auto` "
        "the one that holds more.",
    )
    pitched_north_max_tilt_deg: fields.Number = Field(
        _USUAL.pitched_north_max_tilt_deg,
        ge=0,
        le=90,
        description=f"{_PITCHED} Steepest surface that is used of those that face within 60 degrees of north.",
    )


class RoofRequest(BaseModel, extra="allow"):
    """A building, by a point on it; pitched surfaces have modules in their plane, flat ones (below 6 degrees) racks."""

    lat: fields.Number = Field(ge=LAT[0], le=LAT[1], description="Degrees north (WGS84).")
    lon: fields.Number = Field(ge=LON[0], le=LON[1], description="Degrees east (WGS84).")
    passord: Password | None = Field(
        None,
        description=f"From an agreement; or in the header `{HEADER}`.",
        json_schema_extra={"format": "password", "writeOnly": True},
    )
    omriss: Annotated[list[Position], Field(min_length=3, max_length=_MOST_CORNERS)] | None = Field(
        None, description="The building's outline, a ring of [lon, lat], in place of the one that is found."
    )
    montering: Literal["ost_vest", "sor", "auto"] = Field(
        "ost_vest",
        description=f"{_FLAT} Racks: `ost_vest` pairs of modules back to back, `sor` rows that face one way, `auto` "
        "the one that holds more modules.",
    )
    retning: Literal["auto", "bygg", "himmel"] = Field(
        "auto",
        description=f"{_FLAT} Rows: `bygg` along the building, `himmel` by compass (modules face due south, or due "
        "east and west), `auto` along the building unless the compass holds 5 % more modules.",
    )
    ai: fields.Flag = Field(True, description="Look at an aerial picture, where one can be had.")
    tegning: fields.Flag = Field(
        True,
        description="Draw PNG, SVG and DXF, of `/tegning.png` and so on; `/tegning.geojson` is there without it.",
    )
    geojson: fields.Flag = Field(
        True, description="`moduler`, `utelukkelser_geojson` and `frie_soner_geojson` in the result."
    )
    skraa_bare_sor: fields.Flag = Field(False, description="Of pitched surfaces only those within 90 degrees of south.")
    kvalitetssjekk: fields.Flag = Field(
        True, description="Compare form and tilt of heights and picture; a sure picture corrects unsure heights' tilt."
    )
    tving_ny: fields.Flag = Field(False, description="Analyse anew although there is a result.")
    modul_wp: fields.Number = Field(650, ge=300, le=1000, description="Power of a module, Wp.")
    modul_lengde_mm: fields.Number = Field(2382, ge=1000, le=3000, description="Long side of a module.")
    modul_bredde_mm: fields.Number = Field(1134, ge=700, le=1500, description="Short side of a module.")
    radavstand_sor_m: fields.Number | None = Field(
        None,
        ge=1.2,
        le=4,
        description=f"{_FLAT} From one row of `sor` to the next, m; else without shade from a sun of 15 degrees.",
    )
    enhetsavstand_ost_vest_m: fields.Number | None = Field(
        None, ge=2.2, le=5, description=f"{_FLAT} From one pair of `ost_vest` to the next, m; else 0.15 m between them."
    )
    helning_grader: fields.Number | None = Field(
        None, ge=5, le=20, description=f"{_FLAT} Tilt of racks, degrees; else {RACK_TILT:g}."
    )
    rad_retning_grader: fields.Number | None = Field(
        None,
        ge=0,
        le=179.99,
        description=f"{_FLAT} Direction of the rows in place of `retning`, degrees clockwise from north.",
    )
    regler: RulesRequest = Field(RulesRequest.model_validate({}), description="Fine tuning.")

    @model_validator(mode="after")
    def _outline(self) -> "RoofRequest":
        if self.omriss is None:
            return self
        ring = self.omriss[:-1] if self.omriss[0] == self.omriss[-1] else self.omriss
        lons, lats = np.array(ring, np.float64).T
        known = (np.abs(lats) <= 90).all() and (np.abs(lons) <= 60).all()
        points = np.column_stack(utm.forward(lats, lons)) if known else np.empty((0, 2))
        if not known or not is_simple(points - points[0]):
            raise PydanticCustomError("ring_invalid", "ring", {"within": ("omriss",)})
        x, y = map(float, utm.forward(self.lat, self.lon))
        if distance(points, x, y) > _FAR_M:
            raise PydanticCustomError("ring_far", "ring", {"within": ("omriss",)})
        return self


@dataclass
class BuildingQuery(Query):
    """A point on a building."""

    lat: Annotated[float, latitude(LAT)]
    lon: Annotated[float, longitude(LON)]
