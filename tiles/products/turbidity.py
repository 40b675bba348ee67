"""Linke turbidity by month: what the cloudless sky of a point is computed with."""

from tiles.dimensions import MONTHS
from tiles.grid import FORECAST
from tiles.product import Product, Variable
from tiles.validators import NothingMissing

PRODUCT = Product(
    name="turbidity",
    title="Linke turbidity by month",
    description=(
        "Climatological Linke turbidity at air mass 2 of each month, on the grid of the forecast: the haze and water "
        "vapour of a usual month, for the clear sky of places and hours that no weather model gives irradiance for."
    ),
    grid=FORECAST,
    dimensions=(MONTHS,),
    variables=(
        Variable(
            "linke_turbidity",
            long_name="Linke turbidity",
            scale=0.01,
            valid_min=1,
            valid_max=10,
            comment="In the middle of the month. Never missing.",
        ),
    ),
    chunk=(12, 32, 32),
    shard=(12, 128, 128),
    read="hydrated",
    version_rule="`climatology`",
    validators=(NothingMissing(),),
)
