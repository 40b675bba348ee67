"""The answers of this group."""

from typing import Annotated, Literal

from pydantic import Field

from api.core.fields import Closed, Maybe
from api.data import surfaces
from api.pv import query

Percent = Annotated[float, Field(description="%.")]
Energy = Annotated[float, Field(ge=0, description="kWh.")]
Irradiation = Annotated[float, Field(ge=0, description="kWh/m2.")]


class Inputs(Closed):
    """The question as it was understood, defaults included."""

    lat: float
    lon: float
    peakpower: float | None = Field(description="kWp; null with `arrays`.")
    angle: float | None = Field(description="As asked, degrees; null with `arrays`.")
    aspect: float | None = Field(description="As asked, degrees; null with `arrays`.")
    arrays: str | None = Field(description="`kwp:angle:azimuth`, comma separated; null where it was not given.")
    loss: float = Field(description="%.")
    pvtechchoice: query.Technology
    mountingplace: surfaces.Mounting
    optimize: query.Optimize
    confidence: query.Confidence
    maxpower: float | None = Field(description="kW; null is no limit.")
    horizon: Literal[0, 1]
    albedo: float | Literal["tile"]
    snowloss: Literal[0, 1]
    snowmounting: query.SnowMounting | None = Field(description="With `snowloss=1` what was used; else as given.")
    format: query.Format
    azimuth_convention: str = Field(examples=[surfaces.CONVENTION])


class TmyCell(Closed):
    """The typical year behind the answer."""

    cell_id: str
    product: str
    cell_distance_km: float = Field(ge=0, description="From the position to the cell's centre.")
    elevation_m: float = Field(description="Of the climate model's ground there, above the sea.")
    product_years: list[int] = Field(min_length=2, max_length=2, description="First and last of the years behind it.")
    confidence: query.Confidence
    data_origin: Literal["live", "simulated"] = Field(
        description="Of the year; the header `X-Data-Origin` speaks of the horizon as well."
    )


class Array(Closed):
    """One surface."""

    kwp: float
    angle: float = Field(description="Tilt, degrees; with `optimize` the one that was found.")
    aspect: float = Field(description=f"Azimuth, degrees: {surfaces.CONVENTION}.")
    e_kwh: Energy = Field(description="Of the year, kWh; what the limit takes is divided by the power in the hour.")
    poa_kwh_m2: Irradiation = Field(description="On the surface in the year, with the horizon's shade, kWh/m2.")


class Month(Closed):
    """One month, in UTC."""

    month: int = Field(ge=1, le=12)
    e_kwh: Energy = Field(description="Of all surfaces, after all losses, kWh.")
    poa_kwh_m2: Irradiation = Field(
        description="On the surfaces, with the horizon's shade, kWh/m2; of several the mean weighted by kWp."
    )
    snow_loss_pct: Percent = Field(description="What snow and soiling take, %; 0 with `snowloss=0`.")
    clipped_kwh: Energy = Field(description="What the limit takes, kWh.")


class Losses(Closed):
    """% of what the stage before leaves: positive is lost, negative gained. They multiply up to the total."""

    horizon: Percent = Field(
        description="Irradiation that terrain takes; can be some hundredths below 0, see `method.losses`."
    )
    aoi: Percent = Field(description="Reflection at the glass.")
    spectral: Percent = Field(description="The light's colour.")
    temperature_irradiance: Percent = Field(description="The modules' temperature, and weak light.")
    system: Percent = Field(description="As asked by `loss`.")
    clipping: Percent = Field(description="The limit `maxpower`, of hourly means.")
    snow: Percent = Field(description="Snow and soiling.")
    total: Percent = Field(description="100 (1 - product of (1 - loss / 100)).")


class Percentiles(Closed):
    """kWh of the year scaled to each long-term GHI; `pXX` is exceeded in XX % of the years. Null: not known there."""

    p50: float | None
    p75: float | None
    p90: float | None
    p95: float | None


class Annual(Closed):
    """The year: what can be added up is the sum of the months as printed."""

    e_kwh: Energy
    specific_yield_kwh_kwp: float = Field(ge=0, description="kWh per kWp.")
    poa_kwh_m2: Irradiation
    performance_ratio: float = Field(ge=0, description="e_kwh / (kWp x poa_kwh_m2); 0 where no light comes.")
    e_std_kwh: float | None = Field(
        description="What a standard deviation of annual GHI between the years is in production, kWh; null: not known."
    )
    clipped_kwh: Energy
    losses_pct: Losses
    percentiles_kwh: Percentiles


class SideBySide(Closed):
    """The year's energy after system loss and limit, kWh."""

    unshaded_kwh: Energy = Field(description="Without horizon.")
    shaded_kwh: Energy = Field(description="With it, where one is applied.")
    shaded_snow_kwh: Energy = Field(description="With snow too, where it is applied.")


class Method(Closed):
    """Method, in short texts."""

    engine: str
    horizon: str = Field(description="Applied (version and origin), not applied and why, or turned off.")
    albedo: str = Field(description="Of the place by month (version and origin), or one number and why.")
    snow: str = Field(description="Applied (how modules stand, model, data), or turned off.")
    sources: str
    generator: str
    docs: str = Field(description="Where the rest is said.")
    chain: Maybe[str] = Field(None, description="With `method=full`, as below.")
    coefficients: Maybe[str] = None
    year: Maybe[str] = None
    tmy: Maybe[str] = None
    poa: Maybe[str] = None
    losses: Maybe[str] = None
    percentiles: Maybe[str] = None
    e_std: Maybe[str] = None
    side_by_side: Maybe[str] = None


class Optimum(Closed):
    """The angles that were found, in tenths of a degree; the production is theirs."""

    angle: float = Field(ge=0, le=90)
    aspect: float = Field(ge=-180, le=180, description=f"{surfaces.CONVENTION}; as asked with `optimize=slope`.")


class Production(Closed):
    """Production of a plant in a typical year; no hourly values."""

    inputs: Inputs
    tmy: TmyCell
    arrays: list[Array] = Field(min_length=1, max_length=surfaces.MOST)
    monthly: list[Month] = Field(min_length=12, max_length=12)
    annual: Annual
    side_by_side: SideBySide
    method: Method
    warnings: list[str]
    monthly_unshaded_kwh: list[Energy] = Field(
        min_length=12, max_length=12, description="What each month would give without the horizon, before snow, kWh."
    )
    optimum: Optimum | None = Field(None, description="With `optimize` alone; else absent.")
