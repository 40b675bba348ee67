"""`tool_e`: a typical year as Solargis writes it."""

from api.tmy.formats.common.declaration import FileFormat
from api.tmy.formats.common.rows import HOUR_CENTRE, writer
from api.tmy.formats.common.words import remarks
from api.tmy.year import TypicalYear

_UNVERIFIED = "no public document confirms the lines with # and that columns may be left out, readers may want others"
_NAMES = "Day;Time;GHI;DNI;DIF;TEMP;AP;RH;WS"
_ROW = "{yday};{t:%H:%M};{ghi:.1f};{dni:.1f};{dhi:.1f};{temp_air:.2f};{pressure:.1f};{rel_hum:.1f};{wind_speed:.2f}\n"


def _head(year: TypicalYear) -> list[str]:
    return [
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


FORMAT = FileFormat(
    value="tool_e",
    convention="UTC, stamps at the hour's centre",
    write=writer(_head, _ROW, HOUR_CENTRE),
    tool="Solargis",
    aliases=("solargis",),
    unverified=_UNVERIFIED,
)
