"""Body and query of the roof endpoints. Names are Norwegian, as the contract's are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, Field, Secret, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from api.access.partners import MAX_PASSWORD
from api.core import fields
from api.core.query import Query, latitude, longitude
from api.roof.ring import distance, is_simple
from catalog.sources.vision import Kind
from kernels import utm
from kernels.roof.layout.rules import CLEARANCE_M, HEIGHT_M, Rules

LAT, LON = (57.0, 72.0), (4.0, 32.0)
EXAMPLE: dict[str, Any] = {"lat": 59.9139, "lon": 10.7522, "montering": "auto", "regler": {"ridge_setback_m": 0.6}}
MAX_BYTES = 50_000

_FAR_M = 30.0
_MOST_CORNERS = 200
_USUAL = Rules()

Setback = Annotated[fields.Number, Field(ge=0, le=5)]
Height = Annotated[fields.Number, Field(ge=0, le=10)]
# its characters are counted: of a SecretStr they are values
Password = Secret[Annotated[str, StringConstraints(max_length=MAX_PASSWORD)]]
Position = Annotated[list[fields.Number], Field(min_length=2, max_length=2)]


def _listed(values: Mapping[str, float]) -> str:
    return ", ".join(f"{kind} {value:g}" for kind, value in values.items())


class RulesRequest(BaseModel, extra="forbid"):
    """Fine tuning; unknown fields are refused."""

    edge_setback_m: Setback = Field(_USUAL.edge_setback_m, description="Flat roofs: free along all edges.")
    pitched_edge_setback_m: Setback = Field(_USUAL.pitched_edge_setback_m, description="Along eave and gable.")
    ridge_setback_m: Setback = Field(
        _USUAL.ridge_setback_m, description="Along a ridge or hip whose other side has modules too."
    )
    pitched_access_edge_m: Setback = Field(
        _USUAL.pitched_access_edge_m, description="Along the eave of the surface with least sun, if all are used."
    )
    pitched_access_edge: fields.Flag = Field(_USUAL.pitched_access_edge, description="Whether that zone is kept.")
    lane_width_m: fields.Number = Field(_USUAL.lane_width_m, ge=0, le=3, description="Width of walkways.")
    lane_interval_m: fields.Number = Field(_USUAL.lane_interval_m, ge=10, le=200, description="Between walkways.")
    lanes_along_rows: fields.Flag = _USUAL.lanes_along_rows
    lanes_across_rows: fields.Flag = _USUAL.lanes_across_rows
    shade_loss_max: fields.Number = Field(
        _USUAL.shade_loss_max, ge=0, le=1, description="Of a year's beam irradiance that the terrain leaves."
    )
    protrusion_min_m: fields.Number = Field(
        _USUAL.protrusion_min_m,
        ge=0.2,
        le=3,
        description="Lowest obstacle of the heights that counts; they show none below 0.2 m.",
    )
    protrusion_clearance_m: fields.Number = Field(_USUAL.protrusion_clearance_m, ge=0, le=3, description="Around it.")
    obstacle_north_factor: Setback = Field(_USUAL.obstacle_north_factor, description="Times height, to the north.")
    obstacle_ew_factor: Setback = Field(_USUAL.obstacle_ew_factor, description="Times height, to east and west.")
    obstacle_south_m: Setback = Field(_USUAL.obstacle_south_m, description="To the south, m.")
    obstacle_clearance_m: dict[Kind, Setback] = Field(
        {}, description=f"By kind of obstacle; else {_listed(CLEARANCE_M)}."
    )
    obstacle_height_m: dict[Kind, Height] = Field(
        {}, description=f"Of what was not measured, by kind; else {_listed(HEIGHT_M)}."
    )
    min_run_modules: int = Field(_USUAL.min_run_modules, strict=True, ge=1, le=10, description="Shortest row.")
    common_row_direction: fields.Flag = _USUAL.common_row_direction
    align_columns: fields.Flag = _USUAL.align_columns
    pitched_orientation: Literal["portrait", "landscape", "auto"] = _USUAL.pitched_orientation
    pitched_north_max_tilt_deg: fields.Number = Field(
        _USUAL.pitched_north_max_tilt_deg,
        ge=0,
        le=90,
        description="Steepest surface that is used of those that face within 60 degrees of north.",
    )


class RoofRequest(BaseModel):
    """A building, by a point on it."""

    lat: fields.Number = Field(ge=LAT[0], le=LAT[1], description="Degrees north (WGS84).")
    lon: fields.Number = Field(ge=LON[0], le=LON[1], description="Degrees east (WGS84).")
    passord: Password | None = Field(None, description="From an agreement; or in the header `X-Partner-Code`.")
    omriss: Annotated[list[Position], Field(min_length=3, max_length=_MOST_CORNERS)] | None = Field(
        None, description="The building's outline, a ring of [lon, lat], in place of the one that is found."
    )
    montering: Literal["ost_vest", "sor", "auto"] = Field("ost_vest", description="Racks of flat roofs.")
    retning: Literal["auto", "bygg", "himmel"] = Field("auto", description="Rows of flat roofs.")
    ai: fields.Flag = Field(True, description="Look at an aerial picture, where one can be had.")
    tegning: fields.Flag = True
    geojson: fields.Flag = True
    skraa_bare_sor: fields.Flag = Field(False, description="Of pitched surfaces only those within 90 degrees of south.")
    kvalitetssjekk: fields.Flag = Field(True, description="Compare heights and picture.")
    tving_ny: fields.Flag = Field(False, description="Analyse anew although there is a result.")
    modul_wp: fields.Number = Field(650, ge=300, le=1000)
    modul_lengde_mm: fields.Number = Field(2382, ge=1000, le=3000)
    modul_bredde_mm: fields.Number = Field(1134, ge=700, le=1500)
    radavstand_sor_m: fields.Number | None = Field(None, ge=1.2, le=4, description="From row to row, south racks.")
    enhetsavstand_ost_vest_m: fields.Number | None = Field(None, ge=2.2, le=5, description="From unit to unit.")
    helning_grader: fields.Number | None = Field(None, ge=5, le=20, description="Of racks on flat roofs; else 10.")
    rad_retning_grader: fields.Number | None = Field(
        None, ge=0, le=179.99, description="Locks the rows' direction on flat roofs; pitched ones keep theirs."
    )
    regler: RulesRequest = RulesRequest.model_validate({})

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
