"""`tool_f`: SolarAnywhere's typical year, for HelioScope, PVsyst and SAM. Layout: its samples, as pvlib reads them."""

from api.tmy.formats.common.declaration import LOCAL_END, Format
from api.tmy.formats.common.rows import HOUR_END, Column, stamps, table
from api.tmy.formats.common.words import name_of, plain
from api.tmy.year import TypicalYear

_NAMES = (
    "ObservationTime(LST)",
    "Global Horizontal Irradiance (GHI) W/m2",
    "Direct Normal Irradiance (DNI) W/m2",
    "Diffuse Horizontal Irradiance (DIF) W/m2",
    "AmbientTemperature (deg C)",
    "WindSpeed (m/s)",
    "Relative Humidity (%)",
)
_RESOLUTION = "0.030"  # degrees; the 3 km of a cell


def _header(year: TypicalYear) -> str:
    first, last = year.product_years
    said = {
        "Data Version": "1.0",
        "Type": "Typical Year",
        "LatLon Resolution": _RESOLUTION,
        "Time Resolution": "60 minutes",
        "Averaging Method": "End of Period",
        "Generator": year.generator,
        "Product": f"{year.product} {year.confidence}",
        "Data Origin": "SIMULATED" if year.data_origin == "simulated" else year.data_origin,
        "Data Period": f"{first}-{last}",
        "Licence": f"{year.license_version} until {year.license_last_day}",
        "Licence Expired": "yes" if year.license_expired else "no",
        "Sources": " and ".join(str(source["name"]) for source in year.sources),
    }
    # No colon, slash or comma in what is said: readers split there.
    cleaned = {key: plain(value).translate(str.maketrans(":/,", "   ")) for key, value in said.items()}
    return " / ".join(f"{key}: {value}" for key, value in cleaned.items())


def write(year: TypicalYear) -> bytes:
    """Return the file."""
    place = f"1,{year.lat:.5f},{year.lon:.5f},{year.elevation_m:z.1f}"
    head = f'0,{name_of(year)},NA,{place},"{_header(year)}"\n{",".join(_NAMES)}\n'
    local = year.at_hour_ends()
    columns = [
        Column(local.ghi, 1),
        Column(local.dni, 1),
        Column(local.dhi, 1),
        Column(local.temp_air, 2),
        Column(local.wind_speed, 2),
        Column(local.rel_hum, 1, b"\n"),
    ]
    return head.encode() + table(stamps("{t:%m/%d/%Y %H:%M},", HOUR_END), columns)


FORMAT = Format(
    value="tool_f",
    extension=".csv",
    media_type="text/csv",
    convention=f"{LOCAL_END}, midnight is 00:00 of the next day",
    write=write,
    tool="SolarAnywhere",
    aliases=("solaranywhere",),
    lacks=("mslp",),
)
