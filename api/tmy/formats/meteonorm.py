"""`tool_g`: Meteonorm's hourly file for PVsyst. Layout: the sample Bern-hour2.dat of DNV's SolarFarmer SDK."""

import numpy as np

from api.tmy.formats.common.declaration import LOCAL_END, FileFormat
from api.tmy.formats.common.rows import HOUR_END, MONTH, writer
from api.tmy.formats.common.words import name_of
from api.tmy.year import Floats, TypicalYear

# Decimal degrees, east of Greenwich negative, also in hours; the interval's middle lies 30 minutes before its label.
_ZONE, _MIDDLE = -1, -30
_ROW = "{ghi:.1f}\t{dhi:.1f}\t{temp_air:.2f}\t{wind_speed:.2f}\r\n"


def _monthly_means(rows: Floats) -> str:
    means = np.bincount(MONTH, rows) / np.bincount(MONTH)
    # Nought has no sign here either.
    return ",".join(f"{mean:z.1f}" for mean in means)


def _head(year: TypicalYear) -> list[str]:
    local = year.at_hour_ends()
    return [
        f'"{name_of(year)}"',
        f'{year.lat:.3f},{-year.lon:.3f},{year.elevation_m:z.0f},{_ZONE},{_MIDDLE},1,1,"SYN"',
        "",
        *map(_monthly_means, (local.ghi, local.temp_air, local.wind_speed)),
    ]


FORMAT = FileFormat(
    value="tool_g",
    extension=".dat",
    media_type="text/plain",
    convention=f"{LOCAL_END}, rows without stamps from 01:00 on",
    write=writer(_head, _ROW, HOUR_END),
    tool="Meteonorm",
    aliases=("meteonorm",),
    lacks=("dni", "rel_hum", "mslp"),
)
