"""`tool_e`: a typical year as Solargis writes it."""

import numpy as np

from api.tmy.formats.common.declaration import Format
from api.tmy.formats.common.rows import HOUR_CENTRE, Column, stamps, table
from api.tmy.formats.common.words import remarks
from api.tmy.year import Floats, TypicalYear

_UNVERIFIED = "no public document confirms the lines with # and that columns may be left out, readers may want others"
_NAMES = "Day;Time;GHI;DNI;DIF;TEMP;AP;RH;WS"


def _header(year: TypicalYear) -> bytes:
    lines = [
        *(f"#{remark}" for remark in remarks(year, _UNVERIFIED)),
        f"#Latitude: {year.lat:.5f}",
        f"#Longitude: {year.lon:.5f}",
        f"#Elevation: {year.elevation_m:z.0f} m a.s.l.",
        "#Summarization interval: 60 min",
        "#Time reference: UTC, stamps at the centre of the interval",
        "#Columns:",
        "#Day - number of the day in the year",
        "#Time - centre of the interval",
        "#GHI - global horizontal irradiance [W/m2], mean of the interval",
        "#DNI - direct normal irradiance [W/m2], mean of the interval",
        "#DIF - diffuse horizontal irradiance [W/m2], mean of the interval",
        "#TEMP - air temperature at 2 m [deg C], halfway between the full hours",
        "#AP - atmospheric pressure [hPa], likewise",
        "#RH - relative humidity [%], likewise",
        "#WS - wind speed at 10 m [m/s], likewise",
        "",
        _NAMES,
    ]
    return ("\n".join(lines) + "\n").encode()


def _at_centre(instants: Floats) -> Floats:
    return (instants + np.roll(instants, -1)) / 2.0


def write(year: TypicalYear) -> bytes:
    """Return the file."""
    columns = [
        Column(year.ghi, 1, b";"),
        Column(year.dni, 1, b";"),
        Column(year.dhi, 1, b";"),
        Column(_at_centre(year.temp_air), 2, b";"),
        Column(_at_centre(year.pressure), 1, b";"),
        Column(_at_centre(year.rel_hum), 1, b";"),
        Column(_at_centre(year.wind_speed), 2, b"\n"),
    ]
    return _header(year) + table(stamps("{yday};{t:%H:%M};", HOUR_CENTRE), columns)


FORMAT = Format(
    value="tool_e",
    extension=".csv",
    media_type="text/csv",
    convention="UTC, stamps at the hour's centre",
    write=write,
    tool="Solargis",
    aliases=("solargis",),
    unverified=_UNVERIFIED,
)
