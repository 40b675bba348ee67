"""`csv`: one row of names, then the hours. What else is known is in the headers of the answer and in `json`."""

from api.tmy.formats.common.declaration import UTC_START, FileFormat
from api.tmy.formats.common.rows import HOUR_START, table
from api.tmy.year import TypicalYear

_NAMES = b"time,ghi_wm2,dni_wm2,dhi_wm2,temp_air_degc,rel_hum_pct,wind_speed_ms,mslp_hpa\n"
_STAMPS = {"utc": "{t:%Y-%m-%dT%H:%M:%SZ}", "local": "{t:%Y-%m-%dT%H:%M:%S}+01:00"}
_ROW = ",{ghi:.1f},{dni:.1f},{dhi:.1f},{temp_air:.2f},{rel_hum:.1f},{wind_speed:.2f},{mslp:.1f}\n"


def write(year: TypicalYear) -> bytes:
    """Return the file."""
    return _NAMES + table(year.in_zone(), _STAMPS[year.tz] + _ROW, HOUR_START)


FORMAT = FileFormat(
    value="csv",
    convention=f"{UTC_START} (with `tz=local` UTC+1, hour-start)",
    write=write,
)
