"""The hourly archive that typical years are made of: reanalysis and satellite-based solar model, by year."""

from tiles.dimensions import hours
from tiles.grid import NORWAY3KM
from tiles.product import Product, Variable
from tiles.quantities import ALTITUDE, GHI, MSLP, REL_HUM, TEMP_AIR, WIND_SPEED
from tiles.validators import CompleteTimeAxis, NoGapsInSeries

HOURS = 8784
BLOCK = 16
"""Cells of a block along a side: a shard, 48 km."""

_MEAN = "Mean over the hour that starts at `time` (UTC)."
_INSTANT = "At the start of the hour, `time` (UTC)."
_MISSING = (
    "Nearest source cell. Missing (65535) on cells that were not asked for, and where the source does not reach; never "
    "missing for part of a series."
)


def _ghi(model: str, what: str, *, required: bool) -> Variable:
    return GHI(
        f"ghi_{model}",
        long_name=f"global horizontal irradiance, {what}",
        required=required,
        comment=f"{_MEAN} As the source gives it, no bias taken out. {_MISSING}",
    )


def weather(cell_methods: str, comment: str, *, required: bool) -> tuple[Variable, ...]:
    """Return the variables that are not irradiance, as archive and typical years both hold them.

    Parameters
    ----------
    cell_methods, comment : str
    required : bool
    """
    return tuple(
        quantity(cell_methods=cell_methods, comment=comment, required=required)
        for quantity in (TEMP_AIR, REL_HUM, WIND_SPEED, MSLP)
    )


def altitude(of: str, *, required: bool) -> Variable:
    """Return the variable of the height of the model's ground, which has no dimension but the grid's."""
    return ALTITUDE(
        "altitude",
        long_name=f"height of the ground in {of}",
        scale=0.1,
        offset=-500,
        valid_min=-100,
        valid_max=3000,
        required=required,
        comment="Above mean sea level. Of all hours alike. Missing (65535) on cells that were not asked for.",
    )


PRODUCT = Product(
    name="climate_archive",
    title="Hourly climate archive for Norway",
    description=(
        "Global horizontal irradiance of a reanalysis and of a satellite-based solar model, with the reanalysis' air "
        "temperature, humidity, wind and pressure, hourly, brought to 3 km cells in UTM 33. One version a year."
    ),
    grid=NORWAY3KM,
    dimensions=(hours(HOURS, 24),),
    variables=(
        _ghi("reanalysis", "reanalysis", required=True),
        _ghi("solarmodel", "satellite-based solar model", required=False),
        *weather("time: point", f"{_INSTANT} No hour is averaged. {_MISSING}", required=False),
        altitude("the reanalysis", required=False),
    ),
    chunk=(HOURS, 1, 1),
    shard=(HOURS, BLOCK, BLOCK),
    on_request=True,
    joined_along="time",
    version_rule="the year, such as 1991; of a part of one its first and last month, 2018-10--2018-12",
    validators=(CompleteTimeAxis(), NoGapsInSeries()),
)
