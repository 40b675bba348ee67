"""`custom`: one row of names, then everything, in local standard time."""

from api.tmy.formats.common.declaration import LOCAL_END, Format
from api.tmy.formats.common.rows import HOUR_END, Column, stamps, table
from api.tmy.year import TypicalYear

_NAMES = (
    b"time_hour_end,ghi_wm2,dni_wm2,dhi_wm2,temp_air_degc,temp_dew_degc,"
    b"rel_hum_pct,wind_speed_ms,pressure_hpa,mslp_hpa\n"
)


def write(year: TypicalYear) -> bytes:
    """Return the file."""
    local = year.at_hour_ends()
    columns = [
        Column(local.ghi, 1),
        Column(local.dni, 1),
        Column(local.dhi, 1),
        Column(local.temp_air, 2),
        Column(local.temp_dew, 2),
        Column(local.rel_hum, 1),
        Column(local.wind_speed, 2),
        Column(local.pressure, 1),
        Column(local.mslp, 1, b"\n"),
    ]
    return _NAMES + table(stamps("{t:%Y-%m-%dT%H:%M:%S}+01:00,", HOUR_END), columns)


FORMAT = Format(
    value="custom",
    extension=".csv",
    media_type="text/csv",
    convention=f"{LOCAL_END}, midnight is 00:00 of the next day",
    write=write,
)
