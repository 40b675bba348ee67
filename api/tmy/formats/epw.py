"""`epw`: EnergyPlus weather. Layout: EnergyPlus' Auxiliary Programs, as pvlib, ladybug and SAM read it."""

from api.tmy.formats.common.declaration import LOCAL_END, FileFormat
from api.tmy.formats.common.rows import HOUR_END, writer
from api.tmy.formats.common.words import licence, months, name_of, sentences, sources, title
from api.tmy.year import TypicalYear

_LACKS = "No infrared - clouds - wind direction"
_ROW = (
    # TRAP: of minute 0 SAM takes the sun at the hour's start; 60 is the hour that ends at the label.
    "{day.year},{day.month},{day.day},{hour},60,"
    # Source and uncertainty of each quantity: E9 where there is one, ?0 where it is missing.
    "E9E9E9E9?0E9E9E9?0?0?0?0?0E9?0?0?0?0?0?0?0?0,"
    # Extraterrestrial, and infrared from the sky, are missing behind the pressure.
    "{temp_air:.2f},{temp_dew:.2f},{rel_hum:.1f},{pressure_pa:.0f},9999,9999,9999,"
    # Two digits, for ladybug rounds to whole numbers: after one digit that would be a second rounding.
    "{ghi:.2f},{dni:.2f},{dhi:.2f},"
    # Illuminances, luminance, direction of the wind; and behind its speed clouds to depth of rain, all missing.
    "999999,999999,999999,9999,999,{wind_speed:.2f},99,99,9999,99999,9,999999999,999,0.999,999,99,999,999,99\n"
)


def _head(year: TypicalYear) -> list[str]:
    place = f"{year.lat:.5f},{year.lon:.5f},1.0,{year.elevation_m:z.1f}"
    return [
        f"LOCATION,{name_of(year)},-,NOR,{year.product},unknown,{place}",
        "DESIGN CONDITIONS,0",
        "TYPICAL/EXTREME PERIODS,0",
        "GROUND TEMPERATURES,0",
        "HOLIDAYS/DAYLIGHT SAVINGS,No,0,0,0",
        f"COMMENTS 1,{sentences(title(year), licence(year))}",
        f"COMMENTS 2,{sentences(months(year), sources(year), year.method, _LACKS)}",
        "DATA PERIODS,1,1,Data,Monday, 1/ 1,12/31",
    ]


FORMAT = FileFormat(
    value="epw",
    extension=".epw",
    media_type="text/plain",
    convention=LOCAL_END,
    write=writer(_head, _ROW, HOUR_END),
    tool="EnergyPlus",
)
