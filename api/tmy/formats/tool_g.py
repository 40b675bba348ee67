"""`tool_g`: Meteonorm's hourly file for PVsyst. Layout: the sample Bern-hour2.dat of DNV's SolarFarmer SDK."""

import numpy as np

from api.tmy.formats.common.declaration import LOCAL_END, Format
from api.tmy.formats.common.rows import PLACEHOLDER, Column, table
from api.tmy.formats.common.words import name_of
from api.tmy.year import HOURS, Floats, TypicalYear

# Decimal degrees, east of Greenwich negative, also in hours; the interval's middle lies 30 minutes before its label.
_ZONE, _MIDDLE = -1, -30


def _monthly_means(rows: Floats) -> str:
    start = np.datetime64(PLACEHOLDER.date(), "h")
    month = (start + np.arange(HOURS)).astype("datetime64[M]").astype(int) % 12
    means = np.bincount(month, rows) / np.bincount(month)
    # Nought has no sign here either.
    return ",".join(f"{mean:z.1f}" for mean in means)


def write(year: TypicalYear) -> bytes:
    """Return the file."""
    local = year.at_hour_ends()
    lines = [
        f'"{name_of(year)}"',
        f'{year.lat:.3f},{-year.lon:.3f},{year.elevation_m:z.0f},{_ZONE},{_MIDDLE},1,1,"SYN"',
        "",
        *(_monthly_means(rows) for rows in (local.ghi, local.temp_air, local.wind_speed)),
    ]
    columns = [
        Column(local.ghi, 1, b"\t"),
        Column(local.dhi, 1, b"\t"),
        Column(local.temp_air, 2, b"\t"),
        Column(local.wind_speed, 2, b"\r\n"),
    ]
    return ("\r\n".join(lines) + "\r\n").encode() + table(None, columns)


FORMAT = Format(
    value="tool_g",
    extension=".dat",
    media_type="text/plain",
    convention=f"{LOCAL_END}, rows without stamps from 01:00 on",
    write=write,
    tool="Meteonorm",
    aliases=("meteonorm",),
    lacks=("dni", "rel_hum", "mslp"),
)
