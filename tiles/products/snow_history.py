"""Daily snow of every 3 km cell since 1957, and what the snow products have in common."""

from functools import partial

from tiles.dimensions import DAY, days
from tiles.grid import NORWAY3KM
from tiles.product import Product, Variable
from tiles.products.climate_archive import BLOCK
from tiles.quantities import ALTITUDE, TEMP_AIR
from tiles.validators import EvenAxis

FIRST_YEAR = 1957
"""The authority's first snow year begins on 1 September of it."""
MOST_DAYS = 37_620
"""To 2060."""
SERIES = ("swe", "snow_depth", "new_snow", "new_snow_depth", "temp_air")

_END = f"{DAY} As it is at the end of the day."
_OVER = f"{DAY} Of the whole day."
_MISSING = (
    "Of the nearest 1 km cell that the snow authority has. Missing (65535) on cells that were not asked for and that "
    "the authority has none for, and on days that it has no value of."
)
_PLACE = "Of all days alike. Missing (65535) on cells that are not built."


_lying = partial(Variable, units="mm", cell_methods="time: point", valid_max=60_000, comment=f"{_END} {_MISSING}")
_falling = partial(Variable, units="mm", cell_methods="time: sum", comment=f"{_OVER} {_MISSING}")
_of_the_cell = partial(Variable, over=(), comment=_PLACE)

VARIABLES = (
    _lying(
        "swe",
        standard_name="lwe_thickness_of_surface_snow_amount",
        long_name="water equivalent of the snow on the ground",
    ),
    _lying("snow_depth", standard_name="surface_snow_thickness", long_name="depth of the snow on the ground"),
    _falling(
        "new_snow",
        standard_name="lwe_thickness_of_snowfall_amount",
        long_name="new snow, as water",
        scale=0.1,
        valid_max=1000,
    ),
    _falling(
        "new_snow_depth",
        standard_name="thickness_of_snowfall_amount",
        long_name="new snow, as depth",
        valid_max=10_000,
    ),
    TEMP_AIR(
        long_name="air temperature",
        scale=0.1,
        valid_min=-75,
        comment=f"{DAY} Mean of the day. {_MISSING}",
    ),
    ALTITUDE(
        "altitude",
        long_name="height of the 1 km snow cell",
        scale=0.1,
        offset=-500,
        valid_min=-500,
        valid_max=3000,
        comment=_PLACE,
    ),
    _of_the_cell("snow_row", long_name="row of the 1 km snow cell, from south", offset=0, valid_max=1549),
    _of_the_cell("snow_column", long_name="column of the 1 km snow cell, from west", offset=0, valid_max=1194),
)

PRODUCT = Product(
    name="snow_history",
    title="Daily snow in Norway since 1957",
    description=(
        "Water equivalent and depth of the snow on the ground, new snow and air temperature of every day since "
        "1 September 1957, on cells of 3 km in UTM 33, each from its nearest 1 km cell of the snow authority."
    ),
    grid=NORWAY3KM,
    dimensions=(days(MOST_DAYS, 365),),
    variables=VARIABLES,
    chunk=(MOST_DAYS, 1, 1),
    shard=(MOST_DAYS, BLOCK, BLOCK),
    on_request=True,
    version_rule="the years in which it begins (1 September) and ends (31 August), 1957-2026",
    validators=(EvenAxis(),),
)
