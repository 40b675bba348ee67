"""Quantities that several products hold: CF name, unit, packing and range of each, declared once.

`GHI("ghi", long_name=..., comment=...)` is a `Variable`; what a product has otherwise, it gives.
"""

from functools import partial

from tiles.product import Variable

_hourly = partial(Variable, cell_methods="time: mean")
GHI = partial(
    _hourly,
    units="W m-2",
    standard_name="surface_downwelling_shortwave_flux_in_air",
    scale=0.1,
    valid_max=1500,
)
TEMP_AIR = partial(
    _hourly,
    "temp_air",
    units="degC",
    standard_name="air_temperature",
    long_name="air temperature 2 m above ground",
    scale=0.01,
    offset=-100,
    valid_min=-70,
    valid_max=50,
)
REL_HUM = partial(
    _hourly,
    "rel_hum",
    units="%",
    standard_name="relative_humidity",
    long_name="relative humidity 2 m above ground",
    scale=0.01,
    valid_max=105,
)
WIND_SPEED = partial(
    _hourly,
    "wind_speed",
    units="m s-1",
    standard_name="wind_speed",
    long_name="wind speed 10 m above ground",
    scale=0.01,
    valid_max=100,
)
MSLP = partial(
    _hourly,
    "mslp",
    units="hPa",
    standard_name="air_pressure_at_mean_sea_level",
    long_name="pressure at mean sea level",
    scale=0.01,
    offset=800,
    valid_min=900,
    valid_max=1090,
)
ALTITUDE = partial(Variable, units="m", standard_name="surface_altitude", over=())
