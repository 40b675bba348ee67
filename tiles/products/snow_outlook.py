"""Daily snow of the season to date and of the days ahead, published every morning."""

from dataclasses import replace
from datetime import timedelta

from tiles.dimensions import days
from tiles.products import snow_history
from tiles.products.climate_archive import BLOCK

MOST_DAYS = 376
"""A leap year and nine days of forecast, and one to spare."""

PRODUCT = replace(
    snow_history.PRODUCT,
    name="snow_outlook",
    title="Snow of the season and the days ahead in Norway",
    description=(
        "Water equivalent and depth of the snow on the ground, new snow and air temperature of every day since the "
        "last 1 September and of nine days of forecast, on cells of 3 km in UTM 33, each from its nearest 1 km cell of "
        "the snow authority. Days after the attribute `observed_until` are forecast."
    ),
    dimensions=(days(MOST_DAYS, 1),),
    chunk=(MOST_DAYS, 1, 1),
    shard=(MOST_DAYS, BLOCK, BLOCK),
    on_request=False,
    stale_after=timedelta(hours=36),
    expires_after=timedelta(days=4),
    keep=timedelta(days=7),
    version_rule="the date on whose morning it is made, 2026-11-23; observed to the day before",
)
