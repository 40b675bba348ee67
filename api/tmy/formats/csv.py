"""`csv`: one row of names, then the hours. What else is known is in the headers of the answer and in `json`."""

from api.tmy.formats.common.declaration import UTC_START, Format
from api.tmy.formats.common.rows import HOUR_END, HOUR_START, Column, stamps, table
from api.tmy.year import TypicalYear

_NAMES = b"time,ghi_wm2,dni_wm2,dhi_wm2,temp_air_degc,rel_hum_pct,wind_speed_ms,mslp_hpa\n"
_TIMES = {"utc": ("{t:%Y-%m-%dT%H:%M:%SZ},", HOUR_START), "local": ("{t:%Y-%m-%dT%H:%M:%S}+01:00,", HOUR_END)}
"""The stamp of an hour's start in local time reads as that of its end in UTC."""


def write(year: TypicalYear) -> bytes:
    """Return the file."""
    columns = [
        Column(year.ghi, 1),
        Column(year.dni, 1),
        Column(year.dhi, 1),
        Column(year.temp_air, 2),
        Column(year.rel_hum, 1),
        Column(year.wind_speed, 2),
        Column(year.mslp, 1, b"\n"),
    ]
    return _NAMES + table(stamps(*_TIMES[year.tz]), columns)


FORMAT = Format(
    value="csv",
    extension=".csv",
    media_type="text/csv",
    convention=f"{UTC_START} (with `tz=local` UTC+1, hour-start)",
    write=write,
)
