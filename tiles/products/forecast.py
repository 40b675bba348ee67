"""The solar forecast: one hourly cycle over the whole country."""

from datetime import timedelta

from tiles.grid import FORECAST
from tiles.product import Product, Variable, hours
from tiles.validators import (
    CompleteTimeAxis,
    ExpectedCells,
    Fresh,
    NightIsZero,
    NoGapsInSeries,
    PhysicalRange,
    RequiredVariables,
)

_HOUR = "Mean over the hour that starts at `time` (UTC)."
_MISSING = "Missing (65535) where the source model does not reach; never missing for part of a series."

PRODUCT = Product(
    name="forecast",
    title="Solar forecast for Norway, hourly cycles",
    description=(
        "Global horizontal irradiance, air temperature and wind about 60 hours ahead, from a numerical weather "
        "prediction cycle, corrected on the clear-sky index and brought to a 0.03 degree grid."
    ),
    schema=1,
    grid=FORECAST,
    dimensions=(hours(67, 59),),
    variables=(
        Variable(
            "ghi",
            units="W m-2",
            standard_name="surface_downwelling_shortwave_flux_in_air",
            long_name="global horizontal irradiance, model production_v2_3b",
            cell_methods="time: mean",
            scale=0.1,
            valid_min=0,
            valid_max=1500,
            comment=f"{_HOUR} Clear-sky index of the source corrected by the table in product `correction`. {_MISSING}",
        ),
        Variable(
            "ghi_v1",
            units="W m-2",
            standard_name="surface_downwelling_shortwave_flux_in_air",
            long_name="global horizontal irradiance, model production_v1",
            cell_methods="time: mean",
            scale=0.1,
            valid_min=0,
            valid_max=1500,
            required=False,
            comment=f"{_HOUR} Clear sky x cloud cover (Kasten & Czeplak 1980); "
            f"absent where the source has no cloud. {_MISSING}",
        ),
        Variable(
            "temp_air",
            units="degC",
            standard_name="air_temperature",
            long_name="air temperature 2 m above ground",
            cell_methods="time: mean",
            scale=0.01,
            offset=-100,
            valid_min=-70,
            valid_max=50,
            required=False,
            comment=f"{_HOUR} Mean of the source's values at both ends of the hour. {_MISSING}",
        ),
        Variable(
            "wind_speed",
            units="m s-1",
            standard_name="wind_speed",
            long_name="wind speed 10 m above ground",
            cell_methods="time: mean",
            scale=0.01,
            valid_min=0,
            valid_max=100,
            required=False,
            comment=f"{_HOUR} Mean of the source's values at both ends of the hour. {_MISSING}",
        ),
    ),
    chunk=(67, 16, 16),
    shard=(67, 128, 128),
    read="hydrated",
    stale_after=timedelta(hours=3),
    expires_after=timedelta(hours=12),
    keep=timedelta(days=7),
    version_rule="the cycle's UTC hour, such as 2015-08-24T00",
    validators=(
        RequiredVariables(),
        CompleteTimeAxis(step_seconds=3600),
        Fresh(),
        ExpectedCells(max_missing=0.01),
        PhysicalRange(),
        NoGapsInSeries(),
        NightIsZero(("ghi", "ghi_v1")),
    ),
)
