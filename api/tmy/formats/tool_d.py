"""`tool_d`: SAM's own weather file. Layout: SAM's help on its CSV format, as its library reads it."""

from api.tmy.formats.common.declaration import LOCAL_END, Format
from api.tmy.formats.common.rows import HOUR_END, Column, stamps, table
from api.tmy.formats.common.words import name_of
from api.tmy.year import TypicalYear

# TRAP: no column Minute, for with one SAM drops hours of low sun (3 % of a year), and no label Units, for it would
# take the third line for units.
_STAMP = "{day.year},{day.month},{day.day},{day.hour},"
_NAMES = "Year,Month,Day,Hour,GHI,DNI,DHI,Tdry,Tdew,RH,Pres,Wspd"


def _header(year: TypicalYear) -> bytes:
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
        "Version": year.license_version,
    }
    return f"{','.join(said)}\n{','.join(said.values())}\n{_NAMES}\n".encode()


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
        Column(local.pressure, 1),
        Column(local.wind_speed, 2, b"\n"),
    ]
    return _header(year) + table(stamps(_STAMP, HOUR_END), columns)


FORMAT = Format(
    value="tool_d",
    extension=".csv",
    media_type="text/csv",
    convention=f"{LOCAL_END}: hour 0 is 00:00-01:00",
    write=write,
    tool="SAM",
    aliases=("sam",),
)
