"""Body and answer of `POST /api/horizon/precise`."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from api.core import fields
from api.core.email_address import EmailAddress
from api.horizon.schemas import EXAMPLE as ROOF
from api.horizon.schemas import Rooftop, RooftopRequest

EXAMPLE: dict[str, Any] = {**ROOF, "panel_az_deg": 180.0, "panel_tilt_deg": 35.0}

Mailed = Literal["queued", "sent"]
Percent = Annotated[float, Field(description="%")]
OfMonth = Annotated[float | None, Field(description="%; null in a month without light.")]


class PreciseRequest(RooftopRequest):
    """A panel on a roof."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    panel_az_deg: fields.Number = Field(
        ge=0, le=360, description="Azimuth that the panel faces, degrees from true north, clockwise."
    )
    panel_tilt_deg: fields.Number = Field(ge=0, le=90, description="Of the panel from level, degrees.")
    bare_crown_transmission: fields.Number = Field(
        0.5, ge=0, le=1, description="Share of the light that bare crowns let through, November to April."
    )
    email: EmailAddress | None = Field(None, description="Where links to the report are sent; optional.")


class Month(fields.Closed):
    """A month of the year."""

    month: int = Field(ge=1, le=12)
    poa_open_kwh_m2: float = Field(description="On the panel's plane without any horizon.")
    poa_kwh_m2: float = Field(description="With the horizon.")
    yield_reduction_pct: OfMonth
    terrain_loss_pct: OfMonth
    near_field_loss_pct: OfMonth
    daylight_hours: float = Field(description="With the sun above the level horizon.")
    shade_hours: float = Field(description="Of those with the sun behind the horizon.")


class NearObject(fields.Closed):
    """An object near by, a degree or more over the terrain beyond."""

    azimuth_deg: float = Field(description="Of its middle.")
    azimuth_width_deg: float
    highest_azimuth_deg: float = Field(description="In which it is highest.")
    elevation_deg: float = Field(description="Of its highest point.")
    distance_m: float = Field(description="To its highest point.")
    height_above_module_m: float = Field(description="Of its highest point over the observer.")
    kind: Literal["bygning", "vegetasjon", "terreng", "ukjent"] = Field(
        description="By its surface: flat or sloped planes, rough crowns, ground, or unclear."
    )
    shading_impact_score: float = Field(ge=0, le=1, description="Its share of the energy that is lost in the year.")
    yield_loss_pct: Percent
    yield_loss_bare_crowns_pct: float | None = Field(
        description="The same with crowns that are bare from November to April, %; null but for `vegetasjon`."
    )


class TypicalYear(fields.Closed):
    """The year whose light is lost."""

    kind: Literal["typical", "clear_sky"] = Field(description="`clear_sky`: cloudless, where there is no typical year.")
    product: str | None
    cell_id: str | None
    cell_distance_km: float | None
    version: str
    data_origin: Literal["live", "simulated"]


class Precise(Rooftop):
    """Shade on a panel, and what it costs in a typical year."""

    api_tier: Literal["precise"]  # type: ignore[assignment]
    issued_at: str = Field(description="ISO 8601 UTC.")
    code_version: str
    panel_az_deg: float
    panel_tilt_deg: float
    bare_crown_transmission: float
    typical_year: TypicalYear
    annual_yield_reduction_pct: float = Field(
        description="Loss of irradiation on the panel's plane by all that stands before it, %."
    )
    terrain_loss_pct: float = Field(description="Of that the terrain, and what is less than a degree over it, %.")
    near_field_loss_pct: float = Field(description="Of that the near objects, %.")
    near_field_loss_bare_crowns_pct: float = Field(
        description="The near objects with crowns that are bare from November to April, %."
    )
    annual_poa_open_kwh_m2: float
    annual_poa_kwh_m2: float
    annual_daylight_hours: float
    annual_shade_hours: float
    shaded_daylight_hours_pct: float = Field(description="Share of the daylight hours with the sun behind the horizon.")
    monthly: Annotated[list[Month], Field(min_length=12, max_length=12)]
    near_field_objects: list[NearObject] = Field(description="By what they cost, the highest first.")
    job_id: str
    pdf_url: str = Field(description="Signed link to the report, Norwegian or English by `Accept-Language`.")
    csv_url: str = Field(description="Signed link to the horizon and the months as CSV.")
    expires_at: str = Field(description="Until when the links are valid, ISO 8601 UTC.")
    is_stub: Literal[False]
    mail: fields.Maybe[Mailed] = Field(
        None,
        description="With `email`: whether the mail waits to be sent, or was sent since midnight (UTC), once a day.",
    )
