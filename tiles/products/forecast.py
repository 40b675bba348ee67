"""The solar forecast: one hourly cycle over the whole country."""

from datetime import timedelta

from tiles.dimensions import hours
from tiles.grid import FORECAST
from tiles.product import Product
from tiles.quantities import GHI, TEMP_AIR, WIND_SPEED
from tiles.validators import CompleteTimeAxis, ExpectedCells, Fresh, NightIsZero, NoGapsInSeries

_HOUR = "Mean over the hour that starts at `time` (UTC)."
_MISSING = "Missing (65535) where the source model does not reach; never missing for part of a series."
_MEAN = f"{_HOUR} Mean of the source's values at both ends of the hour. {_MISSING}"

PRODUCT = Product(
    name="forecast",
    title="Solar forecast for Norway, hourly cycles",
    description=(
        "Global horizontal irradiance, air temperature and wind about 60 hours ahead, from a numerical weather "
        "prediction cycle, corrected on the clear-sky index and brought to a 0.03 degree grid."
    ),
    grid=FORECAST,
    dimensions=(hours(67, 59),),
    variables=(
        GHI(
            "ghi",
            long_name="global horizontal irradiance, model production_v2_3b",
            comment=f"{_HOUR} Clear-sky index of the source corrected by the table in product `correction`. {_MISSING}",
        ),
        GHI(
            "ghi_v1",
            long_name="global horizontal irradiance, model production_v1",
            required=False,
            comment=f"{_HOUR} Clear sky x cloud cover (Kasten & Czeplak 1980); "
            f"absent where the source has no cloud. {_MISSING}",
        ),
        TEMP_AIR(required=False, comment=_MEAN),
        WIND_SPEED(required=False, comment=_MEAN),
    ),
    chunk=(67, 16, 16),
    shard=(67, 128, 128),
    read="hydrated",
    stale_after=timedelta(hours=3),
    expires_after=timedelta(hours=12),
    keep=timedelta(days=7),
    version_rule="the cycle's UTC hour, such as 2015-08-24T00",
    validators=(CompleteTimeAxis(), Fresh(), ExpectedCells(), NoGapsInSeries(), NightIsZero(("ghi", "ghi_v1"))),
)
