"""`epw`: EnergyPlus weather. Layout: EnergyPlus' Auxiliary Programs, as pvlib, ladybug and SAM read it."""

from api.tmy.formats.common.declaration import LOCAL_END, Format
from api.tmy.formats.common.rows import HOUR_END, Column, stamps, table
from api.tmy.formats.common.words import licence, months, name_of, sentences, sources, title
from api.tmy.year import TypicalYear

# TRAP: of minute 0 SAM takes the sun at the hour's start; 60 is the hour that ends at the label.
_STAMP = "{day.year},{day.month},{day.day},{hour},60,"
# Source and uncertainty of each quantity: E9 where there is one, ?0 where it is missing.
_FLAGS = "E9E9E9E9?0E9E9E9?0?0?0?0?0E9?0?0?0?0?0?0?0?0,"
_BEFORE_GHI = b",9999,9999,9999,"  # extraterrestrial, and infrared from the sky
_BEFORE_WIND = b",999999,999999,999999,9999,999,"  # illuminances, luminance, direction of the wind
_TAIL = b",99,99,9999,99999,9,999999999,999,0.999,999,99,999,999,99\n"  # clouds to depth of rain, all missing
_LACKS = "No infrared - clouds - wind direction"
_HECTO = 100.0


def _header(year: TypicalYear) -> bytes:
    place = f"{year.lat:.5f},{year.lon:.5f},1.0,{year.elevation_m:z.1f}"
    lines = [
        f"LOCATION,{name_of(year)},-,NOR,{year.product},unknown,{place}",
        "DESIGN CONDITIONS,0",
        "TYPICAL/EXTREME PERIODS,0",
        "GROUND TEMPERATURES,0",
        "HOLIDAYS/DAYLIGHT SAVINGS,No,0,0,0",
        f"COMMENTS 1,{sentences(title(year), licence(year))}",
        f"COMMENTS 2,{sentences(months(year), sources(year), year.method, _LACKS)}",
        "DATA PERIODS,1,1,Data,Monday, 1/ 1,12/31",
    ]
    return ("\n".join(lines) + "\n").encode()


def write(year: TypicalYear) -> bytes:
    """Return the file."""
    local = year.at_hour_ends()
    columns = [
        Column(local.temp_air, 2),
        Column(local.temp_dew, 2),
        Column(local.rel_hum, 1),
        Column(_HECTO * local.pressure, 0, _BEFORE_GHI),
        # Two digits, for ladybug rounds to whole numbers: after one digit that would be a second rounding.
        Column(local.ghi, 2),
        Column(local.dni, 2),
        Column(local.dhi, 2, _BEFORE_WIND),
        Column(local.wind_speed, 2, _TAIL),
    ]
    return _header(year) + table(stamps(_STAMP + _FLAGS, HOUR_END), columns)


FORMAT = Format(
    value="epw",
    extension=".epw",
    media_type="text/plain",
    convention=LOCAL_END,
    write=write,
    tool="EnergyPlus",
)
