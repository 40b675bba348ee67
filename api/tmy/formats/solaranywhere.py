"""`tool_f`: SolarAnywhere's typical year, for HelioScope, PVsyst and SAM. Layout: its samples, as pvlib reads them."""

from api.core.printing import plain
from api.tmy.formats.common.declaration import LOCAL_END, FileFormat
from api.tmy.formats.common.rows import HOUR_END, writer
from api.tmy.formats.common.words import name_of
from api.tmy.year import TypicalYear

_NAMES = (
    "ObservationTime(LST),Global Horizontal Irradiance (GHI) W/m2,Direct Normal Irradiance (DNI) W/m2,"
    "Diffuse Horizontal Irradiance (DIF) W/m2,AmbientTemperature (deg C),WindSpeed (m/s),Relative Humidity (%)"
)
_ROW = "{t:%m/%d/%Y %H:%M},{ghi:.1f},{dni:.1f},{dhi:.1f},{temp_air:.2f},{wind_speed:.2f},{rel_hum:.1f}\n"


def _head(year: TypicalYear) -> list[str]:
    first, last = year.product_years
    said = {
        "Data Version": "1.0",
        "Type": "Typical Year",
        "LatLon Resolution": "0.030",  # degrees; the 3 km of a cell
        "Time Resolution": "60 minutes",
        "Averaging Method": "End of Period",
        "Generator": year.generator,
        "Product": f"{year.product} {year.confidence}",
        "Data Origin": "SIMULATED" if year.data_origin == "simulated" else year.data_origin,
        "Data Period": f"{first}-{last}",
        "Sources": " and ".join(str(source["name"]) for source in year.sources),
    }
    if (held := year.licence) is not None:
        said |= {
            "Licence": f"{held.version} until {held.last_day}",
            "Licence Expired": "yes" if held.expired else "no",
        }
    # No colon, slash or comma in what is said: readers split there.
    cleaned = {key: plain(value).translate(str.maketrans(":/,", "   ")) for key, value in said.items()}
    words = " / ".join(f"{key}: {value}" for key, value in cleaned.items())
    place = f"1,{year.lat:.5f},{year.lon:.5f},{year.elevation_m:z.1f}"
    return [f'0,{name_of(year)},NA,{place},"{words}"', _NAMES]


FORMAT = FileFormat(
    value="tool_f",
    convention=f"{LOCAL_END}, midnight is 00:00 of the next day",
    write=writer(_head, _ROW, HOUR_END),
    tool="SolarAnywhere",
    aliases=("solaranywhere",),
    lacks=("mslp",),
)
