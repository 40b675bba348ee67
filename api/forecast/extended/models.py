"""What the extended forecast takes and gives, as the document declares it."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from pydantic.json_schema import SkipJsonSchema

from api.fields import absent
from api.forecast.models import GridIndex
from api.forecast.production.models import PvColumns, PvHour, PvSystem
from api.forecast.snow.models import Snow, SnowNotApplied

_MOMENT: dict[str, JsonValue] = {"format": "date-time"}


class RegionalHour(BaseModel):
    """One hour of the regional model."""

    model_config = ConfigDict(extra="forbid")

    timestamp: str = Field(description="Start of the hour, ISO 8601 UTC.", json_schema_extra=_MOMENT)
    ghi_wm2: float = Field(description="Global horizontal irradiance, mean over the hour, W/m2.", ge=0)
    source: Literal["regional_model"]


class ExternalHour(BaseModel):
    """One hour of the external service."""

    model_config = ConfigDict(extra="forbid")

    timestamp: str = Field(description="Start of the hour, ISO 8601 UTC.", json_schema_extra=_MOMENT)
    ghi_wm2: float = Field(description="Global horizontal irradiance, mean over the hour, W/m2.", ge=0)
    source: Literal["external_forecast"]
    cloud_fraction: float = Field(description="Mean over the hour.", ge=0, le=1)
    temperature_c: float = Field(description="Air at 2 m, mean over the hour, degC.")


class ExtendedColumns(BaseModel):
    """`layout=columns`: one array per field of the rows; null where a row has none."""

    model_config = ConfigDict(extra="forbid")

    timestamp: list[str]
    ghi_wm2: list[Annotated[float, Field(ge=0)]]
    source: list[Literal["regional_model", "external_forecast"]]
    cloud_fraction: list[float | None]
    temperature_c: list[float | None]


class ExternalService(BaseModel):
    """Where the later hours come from."""

    model_config = ConfigDict(extra="forbid")

    name: str
    updated_at: str = Field(description="When it last made its forecast, ISO 8601 UTC.", json_schema_extra=_MOMENT)
    attribution: str
    licence: str


class Extended(BaseModel):
    """Hourly global horizontal irradiance at a point, up to ten days ahead."""

    model_config = ConfigDict(extra="forbid")

    mode: Literal["extended"]
    site: str = Field(description="The queried point, or the site's id.")
    latitude: float = Field(description="As queried, degrees north.")
    longitude: float = Field(description="As queried, degrees east.")
    grid_index: GridIndex
    cycle_time: str = Field(description="Of the regional model, ISO 8601 UTC.", json_schema_extra=_MOMENT)
    model: Literal["production_v1"] = Field(description="Of the regional hours.")
    total_hours: int = Field(ge=1)
    regional_model_hours: int = Field(ge=1)
    external_forecast_hours: int = Field(ge=1)
    peak_ghi_wm2: float = Field(description="Highest hourly value of the series, W/m2.", ge=0)
    total_ghi_kwh_m2: float = Field(description="Sum over the whole series, kWh/m2.", ge=0)
    time_convention: str = Field(description="What the timestamps mean.")
    cycle_age_hours: float = Field(description="Hours since cycle_time when this was answered.", ge=0)
    data_origin: Literal["live", "simulated"] = Field(description="Whether the weather is real, all of it.")
    external_service: ExternalService
    timeseries: list[RegionalHour | ExternalHour] | ExtendedColumns = Field(description="The hours, without a gap.")


class ExtendedProduction(Extended):
    """The extended forecast of a point; with arrays, production too."""

    pv_system: PvSystem | SkipJsonSchema[None] = Field(None, json_schema_extra=absent, description="With arrays.")
    pv_timeseries: list[PvHour] | PvColumns | SkipJsonSchema[None] = Field(
        None, json_schema_extra=absent, description="With arrays."
    )
    snow: Snow | SnowNotApplied | SkipJsonSchema[None] = Field(
        None, json_schema_extra=absent, description="With arrays and `snow`."
    )
