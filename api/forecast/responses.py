"""Answers of this group, as the document declares them."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from api.core.errors import Error
from api.core.fields import Closed, Maybe
from api.data.plants.calibration import CalibrationAnswer
from api.forecast.place import PvArray
from api.forecast.snow.responses import BulkSnow, Moment, Snow, SnowAbsent, SnowNotApplied

Origin = Annotated[Literal["live", "simulated"], Field(description="Whether all that was used is real.")]
Positive = Annotated[float, Field(ge=0)]
Mode = Annotated[Literal["v23b", "v23b_daily", "v1"], Field(description="The mode used, after any fallback.")]
Columns = Annotated[
    dict[str, list[float | str | None]],
    Field(description="`layout=columns`: one array per field of the rows; null where a row has none."),
]


class _Warned(Closed):
    warnings: Maybe[list[str]] = Field(None, description="What was ignored of the request.")


class GridIndex(BaseModel):
    """The grid cell used."""

    i_lat: int = Field(description="Row, counted from the south.")
    i_lon: int = Field(description="Column, counted from the west.")


class Hour(BaseModel):
    """One hour; with `variables` also `dni_wm2`, `dhi_wm2`, `<name>_poa_wm2`, `temperature_c`, `wind_speed_ms`."""

    hour: int = Field(description="Index from 0; not the clock.")
    timestamp: Moment = Field(description="Start of the hour, ISO 8601 UTC.")
    ghi_wm2: Positive = Field(description="Global horizontal irradiance, mean over the hour, W/m2.")


class Day(Closed):
    """One day; an hour belongs to the day in which it starts."""

    date: str = Field(description="Of UTC, or of `timezone`.", json_schema_extra={"format": "date"})
    ghi_kwh_m2: Positive = Field(description="Sum over the hours of the day that are in the series, kWh/m2.")
    production_kwh: Maybe[Positive] = Field(None, description="The same of all arrays together; with arrays.")
    complete: bool = Field(description="Whether the series holds the whole day.")


class _Located(_Warned):
    latitude: float = Field(description="As queried, degrees north.")
    longitude: float = Field(description="As queried, degrees east.")
    grid_index: GridIndex
    cycle_time: Moment = Field(description="When the forecast was run, ISO 8601 UTC.")
    time_convention: str = Field(description="What the times mean.")
    data_origin: Origin


class Latest(_Warned):
    """The latest cycle of the V1.5 grid."""

    cycle_time: Moment = Field(description="ISO 8601 UTC.")
    model: Literal["production_v1"]
    n_times: int
    n_lat: int
    n_lon: int
    ghi_max: float = Field(description="Highest value anywhere in the cycle, W/m2.")
    timestamps: list[str] = Field(description="Starts of the hours, ISO 8601 UTC with milliseconds.")


class PvHour(Hour, extra="allow"):
    """Production in one hour; beside these fields one `<name>_W` per array, W."""

    __pydantic_extra__: dict[
        str, Annotated[float, Field(ge=0, description="`<name>_W`: power of that array, mean over the hour, W.")]
    ]

    total_W: Positive = Field(description="Sum of the arrays' power, mean over the hour, W.")
    total_kWh: Positive = Field(description="Energy in the hour, kWh.")


class PvSums(Closed):
    """The plant over the whole series."""

    total_kwp: Positive = Field(description="Sum over the arrays, kWp.")
    peak_power_w: Positive = Field(description="Highest hourly power, W.")
    total_production_kwh: Positive = Field(description="Sum over the series (with `daily` from midnight UTC on), kWh.")


class Uncorrected(Closed):
    """A plant over the whole series, without calibration."""

    peak_power_w: Positive = Field(description="Highest hourly power, W.")
    total_production_kwh: Positive = Field(description="Sum over the series, kWh.")


class PlantName(Closed):
    """A registered plant."""

    id: str
    navn: str


class AppliedHorizon(Closed):
    """Horizon that cut off the sun: that of `GET /api/horizon/terrain` for the same position."""

    version: str = Field(description="The hour at which its tiles' build began.")
    tile_key: str
    dtm_year: int | None = Field(description="Year of the terrain data; null: not known.")
    data_origin: Origin


class PvSystem(PvSums):
    """The plant that was calculated, and its sums over the whole series."""

    arrays: list[PvArray] = Field(description="As given; `array_1` and so on where a query gives them.")
    performance_ratio: float = Field(description="As used.")
    engine: Literal["simplified_haydavies_v1", "perez_huld_v1"] = Field(description="What calculated it.")
    horizon_applied: bool = Field(
        description="Whether the terrain's horizon cut off the sun: with `precise`, where it is known."
    )
    horizon: Maybe[AppliedHorizon] = Field(None, description="Where one is applied.")
    no_horizon: Maybe[str] = Field(None, description="Why none is applied, with `precise`.")
    ukorrigert: Maybe[Uncorrected] = Field(
        None, description="With `anlegg_id`, unless `kalibrering=false`: the same without calibration."
    )


class _Point(_Located):
    site: str = Field(description="The queried point, or the site's id.")
    peak_ghi_wm2: Positive = Field(description="Highest hourly value of the series, W/m2.")
    cycle_age_hours: Positive = Field(description="Hours since cycle_time when this was answered.")
    days: list[Day]
    missing_variables: Maybe[list[str]] = Field(
        None, description="Of `variables`, those that the source lacks in all hours."
    )
    pv_system: Maybe[PvSystem] = Field(None, description="With arrays.")
    pv_timeseries: Maybe[list[PvHour] | Columns] = Field(
        None, description="With arrays; of a registered plant as calibrated, where `kalibrering.brukt`."
    )
    pv_timeseries_ukorrigert: Maybe[list[PvHour] | Columns] = Field(
        None, description="With `anlegg_id`, unless `kalibrering=false`: the same without calibration."
    )
    kalibrering: Maybe[CalibrationAnswer] = Field(None, description="With `anlegg_id`.")
    anlegg: Maybe[PlantName] = Field(None, description="With `anlegg_id`.")
    snow: Maybe[Snow | SnowNotApplied | SnowAbsent] = Field(None, description="With arrays and `snow`.")


class Production(_Point):
    """Hourly global horizontal irradiance at a point; with arrays, production too."""

    model: Literal["production_v2_3b", "production_v1"] = Field(description="The model used.")
    data_mode: Mode
    daily_ghi_kwh_m2: Positive = Field(
        description="Sum over ALL hours of the series, not of one day (that is in `days`), kWh/m2."
    )
    ghi_timeseries: list[Hour] | Columns = Field(description="The series: 59 to 67 hours; with `daily` up to 90.")


class ExtendedHour(BaseModel):
    """One hour; what `variables` add is named as in the ordinary forecast."""

    timestamp: Moment = Field(description="Start of the hour, ISO 8601 UTC.")
    ghi_wm2: Positive = Field(description="Global horizontal irradiance, mean over the hour, W/m2.")
    source: Literal["regional_model", "external_forecast"]
    cloud_fraction: Maybe[Annotated[float, Field(ge=0, le=1)]] = Field(
        None, description="Mean over the hour; of `external_forecast`."
    )
    temperature_c: Maybe[float] = Field(None, description="Air at 2 m, degC; of `external_forecast`, or by request.")


class ExternalService(Closed):
    """Source of the later hours."""

    name: str
    updated_at: Moment = Field(description="When it last made its forecast, ISO 8601 UTC.")
    attribution: str
    licence: str


class Extended(_Point):
    """Irradiance at a point up to ten days ahead; with arrays, production too."""

    mode: Literal["extended"]
    model: Literal["production_v1"] = Field(description="Of the regional hours.")
    total_hours: int = Field(ge=1)
    regional_model_hours: int = Field(ge=1)
    external_forecast_hours: int = Field(ge=1)
    total_ghi_kwh_m2: Positive = Field(description="Sum over the whole series, kWh/m2.")
    external_service: ExternalService
    timeseries: list[ExtendedHour] | Columns = Field(description="The hours, without a gap.")


class BulkResult(Closed):
    """The series of one plant."""

    latitude: float = Field(description="As given, degrees north.")
    longitude: float = Field(description="As given, degrees east.")
    ghi_timeseries: list[Hour] | Columns
    pv_timeseries: list[PvHour] | Columns
    pv_system: PvSums


class Bulk(_Warned):
    """The series of several plants, all of one cycle."""

    cycle_time: Moment = Field(description="When the forecast was run, ISO 8601 UTC.")
    data_mode: Mode
    data_origin: Origin
    snow: BulkSnow
    results: dict[str, BulkResult | Error] = Field(
        description="By `id`; one that cannot be answered has `error` and `code` in place of all else."
    )


class NowcastHour(Closed):
    """One hour."""

    time: Moment = Field(description="Start of the hour, ISO 8601 UTC.")
    ghi_wm2: Positive = Field(description="Global horizontal irradiance, mean over the hour, W/m2.")
    v23b_ghi_wm2: Positive = Field(description="The same by the forecast v2.3b alone, W/m2.")
    kt: Maybe[Positive] = Field(
        None,
        description="With satellite: clearness index, the share of the irradiance outside the atmosphere; 0 at night.",
    )
    clearsky_wm2: Maybe[Positive] = Field(None, description="With satellite: irradiance under a cloudless sky, W/m2.")


class Nowcast(_Located):
    """The next four hours at a point."""

    source: Literal["v7_satellite_nowcast", "v23b_fallback"] = Field(description="What the hours are made of.")
    fallback_reason: Maybe[Literal["no_recent_image", "point_not_covered"]] = Field(
        None,
        description=(
            "With `v23b_fallback`: no image is young enough (late, missing, broken, or it is night), or the newest "
            "says nothing of this point (edge of the disc, low sun, missing pixels)."
        ),
    )
    satellite_time: Maybe[str] = Field(
        None, description="Nominal time of the image, ISO 8601 UTC; absent where none is young enough."
    )
    satellite_lag_min: Maybe[Positive] = Field(None, description="Age of the image, minutes; as `satellite_time`.")
    sat_covered: Maybe[bool] = Field(None, description="Whether it covers the point; as `satellite_time`.")
    hours: list[NowcastHour] | Columns = Field(description="Four hours from the current one.")
