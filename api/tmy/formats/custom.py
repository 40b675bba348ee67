"""`custom`: one row of names, then everything, in local standard time."""

from api.tmy.formats.common.declaration import LOCAL_END, FileFormat
from api.tmy.formats.common.rows import HOUR_END, writer

_NAMES = (
    "time_hour_end,ghi_wm2,dni_wm2,dhi_wm2,temp_air_degc,temp_dew_degc,rel_hum_pct,wind_speed_ms,pressure_hpa,mslp_hpa"
)
_ROW = (
    "{t:%Y-%m-%dT%H:%M:%S}+01:00,{ghi:.1f},{dni:.1f},{dhi:.1f},{temp_air:.2f},{temp_dew:.2f},"
    "{rel_hum:.1f},{wind_speed:.2f},{pressure:.1f},{mslp:.1f}\n"
)

FORMAT = FileFormat(
    value="custom",
    convention=f"{LOCAL_END}, midnight is 00:00 of the next day",
    write=writer(lambda _: [_NAMES], _ROW, HOUR_END),
)
