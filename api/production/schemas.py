"""The answer of `GET /api/production/now`."""

from typing import Annotated, Literal

from pydantic import Field

from api.core.fields import Closed

Hour = Annotated[str, Field(description="Start of the hour, UTC.", examples=["2026-06-21T10:00:00Z"])]
Day = Annotated[str, Field(examples=["2026-06-21"], json_schema_extra={"format": "date"})]
Megawatts = Annotated[float, Field(ge=0, description="Mean over the hour, MW.")]
Peak = Annotated[float, Field(ge=0, description="Installed power, MWp.")]


class Now(Closed):
    """The country in the hour that runs."""

    power_mw: Megawatts
    installed_mw: Peak
    share_pct: float = Field(ge=0, description="Power over installed power, %.")


class Today(Closed):
    """The country on the UTC day."""

    energy_mwh: float = Field(ge=0, description="Of the 24 hours, MWh.")
    energy_so_far_mwh: float = Field(ge=0, description="Of the hours before `time`, MWh.")


class CountyNow(Closed):
    """A county."""

    number: str = Field(description="Fylkesnummer, since 2024.", examples=["03"])
    name: str
    installed_mw: Peak
    power_mw: Megawatts
    energy_today_mwh: float = Field(ge=0, description="Of the 24 hours of the UTC day, MWh.")
    ghi_w_m2: float = Field(ge=0, description="Global horizontal irradiance, mean over the hour and the built area.")


class HourOfDay(Closed):
    """An hour of the UTC day."""

    time: Hour
    power_mw: Megawatts


class InstalledPower(Closed):
    """Origin of the installed power."""

    source: str
    date: Day
    example: bool = Field(description="Whether the figures are made up: then the power is an example, too.")


class Method(Closed):
    """Method, in short texts."""

    production: str
    area: str
    installed: str


class ProductionNow(Closed):
    """Production of the counties and of the country, as forecast."""

    time: Hour = Field(description="Start of the hour that runs, UTC.")
    date: Day = Field(description="The UTC day of `today` and `curve`.")
    now: Now
    today: Today
    counties: list[CountyNow] = Field(min_length=15, max_length=15, description="By number.")
    curve: list[HourOfDay] = Field(min_length=24, max_length=24, description="The country, by hour of the UTC day.")
    installed: InstalledPower
    model: str = Field(description="Of the forecast.", examples=["production_v2_3b"])
    cycle_time: str = Field(description="Of the newest forecast in it, UTC.", examples=["2026-06-21T09:00:00Z"])
    data_origin: Literal["live", "simulated"]
    method: Method
    warnings: list[str]
