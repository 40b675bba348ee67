"""Daily snow of the season to date and of the days ahead, published every morning."""

from datetime import timedelta

from tiles.dimensions import days
from tiles.grid import NORWAY3KM
from tiles.product import Product
from tiles.products.climate_archive import BLOCK
from tiles.products.snow_history import VARIABLES
from tiles.validators import EvenAxis

MOST_DAYS = 376
"""A leap year and nine days of forecast, and one to spare."""

PRODUCT = Product(
    name="snow_outlook",
    title="Snow of the season and the days ahead in Norway",
    description=(
        "Water equivalent and depth of the snow on the ground, new snow and air temperature of every day since the "
        "last 1 September and of nine days of forecast, on cells of 3 km in UTM 33, each from its nearest 1 km cell of "
        "the snow authority. Days after the attribute `observed_until` are forecast."
    ),
    grid=NORWAY3KM,
    dimensions=(days(MOST_DAYS, 1),),
    variables=VARIABLES,
    chunk=(MOST_DAYS, 1, 1),
    shard=(MOST_DAYS, BLOCK, BLOCK),
    stale_after=timedelta(hours=36),
    expires_after=timedelta(days=4),
    keep=timedelta(days=7),
    version_rule="the date on whose morning it is made, 2026-11-23; observed to the day before",
    validators=(EvenAxis(),),
)
