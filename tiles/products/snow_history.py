"""Daily snow of every 3 km cell since 1957, and what the snow products have in common."""

from tiles.dimensions import DAY, days
from tiles.grid import NORWAY3KM
from tiles.product import Product, Variable
from tiles.products.climate_archive import BLOCK
from tiles.shardwise import ShardByShard
from tiles.validators import EvenAxis, PhysicalRange, RequiredVariables

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


def _snow(name: str, standard_name: str, long_name: str, *, state: bool, scale: float, high: float) -> Variable:
    return Variable(
        name,
        units="mm",
        standard_name=standard_name,
        long_name=long_name,
        cell_methods="time: point" if state else "time: sum",
        scale=scale,
        valid_max=high,
        comment=f"{_END if state else _OVER} {_MISSING}",
    )


def _of_the_cell(name: str, units: str, long_name: str, *, scale: float, low: float, high: float) -> Variable:
    return Variable(
        name,
        units=units,
        standard_name="surface_altitude" if name == "altitude" else "",
        long_name=long_name,
        scale=scale,
        offset=min(low, 0.0),
        valid_min=low,
        valid_max=high,
        over=(),
        comment=_PLACE,
    )


VARIABLES = (
    _snow(
        "swe", "lwe_thickness_of_surface_snow_amount", "water equivalent of the snow on the ground",
        state=True, scale=1, high=60_000,
    ),
    _snow("snow_depth", "surface_snow_thickness", "depth of the snow on the ground", state=True, scale=1, high=60_000),
    _snow(
        "new_snow", "lwe_thickness_of_snowfall_amount", "new snow, as water",
        state=False, scale=0.1, high=1000,
    ),
    _snow("new_snow_depth", "thickness_of_snowfall_amount", "new snow, as depth", state=False, scale=1, high=10_000),
    Variable(
        "temp_air",
        units="degC",
        standard_name="air_temperature",
        long_name="air temperature",
        cell_methods="time: mean",
        scale=0.1,
        offset=-100,
        valid_min=-75,
        valid_max=50,
        comment=f"{DAY} Mean of the day. {_MISSING}",
    ),
    _of_the_cell("altitude", "m", "height of the 1 km snow cell", scale=0.1, low=-500, high=3000),
    _of_the_cell("snow_row", "1", "row of the 1 km snow cell, from south", scale=1, low=0, high=1549),
    _of_the_cell("snow_column", "1", "column of the 1 km snow cell, from west", scale=1, low=0, high=1194),
)  # fmt: skip

VALIDATORS = (RequiredVariables(), EvenAxis(), ShardByShard(PhysicalRange()))

PRODUCT = Product(
    name="snow_history",
    title="Daily snow in Norway since 1957",
    description=(
        "Water equivalent and depth of the snow on the ground, new snow and air temperature of every day since "
        "1 September 1957, on cells of 3 km in UTM 33, each from its nearest 1 km cell of the snow authority."
    ),
    schema=1,
    grid=NORWAY3KM,
    dimensions=(days(MOST_DAYS, 365),),
    variables=VARIABLES,
    chunk=(MOST_DAYS, 1, 1),
    shard=(MOST_DAYS, BLOCK, BLOCK),
    on_request=True,
    version_rule="the years in which it begins (1 September) and ends (31 August), 1957-2026",
    validators=VALIDATORS,
)
