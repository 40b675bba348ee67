"""The albedo of the ground by month, from the days with snow."""

from tiles.dimensions import MONTHS
from tiles.grid import NORWAY3KM
from tiles.product import Product, Variable
from tiles.products.climate_archive import BLOCK
from tiles.validators import NoGapsInSeries

PRODUCT = Product(
    name="albedo",
    title="Monthly ground albedo in Norway",
    description=(
        "Part of the light that the ground gives back, by month of the year: 0.2 bare, up to 0.6 under snow by the "
        "share of days with snow, on cells of 3 km in UTM 33."
    ),
    grid=NORWAY3KM,
    dimensions=(MONTHS,),
    variables=(
        Variable(
            "albedo",
            standard_name="surface_albedo",
            long_name="albedo of the ground",
            cell_methods="month: mean",
            scale=0.0001,
            valid_max=1,
            comment="Mean over the days of the month in all years. Missing (65535) on cells that are not built.",
        ),
    ),
    chunk=(12, BLOCK, BLOCK),
    on_request=True,
    version_rule="that of the snow_history that it is made of, 1957-2026",
    validators=(NoGapsInSeries(),),
)
