"""`tool_d`: SAM's own weather file. Layout: SAM's help on its CSV format, as its library reads it."""

from api.tmy.formats.common.declaration import LOCAL_END, FileFormat
from api.tmy.formats.common.rows import HOUR_END, writer
from api.tmy.formats.common.words import name_of
from api.tmy.year import TypicalYear

# TRAP: no column Minute, for with one SAM drops hours of low sun (3 % of a year), and no label Units, for it would
# take the third line for units.
_NAMES = "Year,Month,Day,Hour,GHI,DNI,DHI,Tdry,Tdew,RH,Pres,Wspd"
_ROW = (
    "{day.year},{day.month},{day.day},{day.hour},{ghi:.1f},{dni:.1f},{dhi:.1f},"
    "{temp_air:.2f},{temp_dew:.2f},{rel_hum:.1f},{pressure:.1f},{wind_speed:.2f}\n"
)


def _head(year: TypicalYear) -> list[str]:
    said = {
        "Source": year.product,
        "Location ID": year.cell_id,
        "City": name_of(year),
        "State": "-",
        "Country": "Norway",
        "Latitude": f"{year.lat:.5f}",
        "Longitude": f"{year.lon:.5f}",
        "Time Zone": "1",
        "Elevation": f"{year.elevation_m:z.0f}",
        "Local Time Zone": "1",
        "Version": year.licence.version if year.licence else "-",
    }
    return [",".join(said), ",".join(said.values()), _NAMES]


FORMAT = FileFormat(
    value="tool_d",
    convention=f"{LOCAL_END}: hour 0 is 00:00-01:00",
    write=writer(_head, _ROW, HOUR_END),
    tool="SAM",
    aliases=("sam",),
)
