"""`tmy3`: NREL's TMY3. Layout: Wilcox & Marion, Users Manual for TMY3 Data Sets, NREL/TP-581-43156, 2008."""

from api.tmy.formats.common.declaration import LOCAL_END, Format
from api.tmy.formats.common.rows import HOUR_END, Column, stamps, table
from api.tmy.formats.common.words import name_of
from api.tmy.year import TypicalYear

_STAMP = "{day:%m/%d/%Y},{hour:02d}:00,-9900,-9900,"  # the last two are extraterrestrial
_NO_SOURCE = b",?,0"
_MODELLED = b",E,9"
_MISSING = b",-9900" + _NO_SOURCE

_SOLAR = [(n, "source", "uncert (%)") for n in ("GHI", "DNI", "DHI")]
# TRAP: the uncertainty of this one alone is called by another name.
_LUMINOUS = [("GH illum (lx)", "GH illum source", "Global illum uncert (%)")]
_LUMINOUS += [(f"{n} illum (lx)", f"{n} illum source", f"{n} illum uncert (%)") for n in ("DN", "DH")]
_LUMINOUS += [("Zenith lum (cd/m^2)", "Zenith lum source", "Zenith lum uncert (%)")]
_METEOROLOGICAL = {
    "TotCld": "tenths",
    "OpqCld": "tenths",
    "Dry-bulb": "C",
    "Dew-point": "C",
    "RHum": "%",
    "Pressure": "mbar",
    "Wdir": "degrees",
    "Wspd": "m/s",
    "Hvis": "m",
    "CeilHgt": "m",
    "Pwat": "cm",
    "AOD": "unitless",
    "Alb": "unitless",
}


def names() -> list[str]:
    """Return the names of the 68 columns."""
    said = ["Date (MM/DD/YYYY)", "Time (HH:MM)", "ETR (W/m^2)", "ETRN (W/m^2)"]
    for name, source, uncertainty in _SOLAR:
        said += [f"{name} (W/m^2)", f"{name} {source}", f"{name} {uncertainty}"]
    for columns in _LUMINOUS:
        said += columns
    for name, unit in _METEOROLOGICAL.items():
        said += [f"{name} ({unit})", f"{name} source", f"{name} uncert (code)"]
    rain = "Lprecip"
    return [*said, f"{rain} depth (mm)", f"{rain} quantity (hr)", f"{rain} source", f"{rain} uncert (code)"]


def write(year: TypicalYear) -> bytes:
    """Return the file."""
    # TRAP: readers split this line at every comma, quoted or not, and want a whole number first.
    head = f'0,"{name_of(year)}",NA,1.0,{year.lat:.5f},{year.lon:.5f},{year.elevation_m:z.1f}\n{",".join(names())}\n'
    local = year.at_hour_ends()
    clouds = 2 * _MISSING
    columns = [
        Column(local.ghi, 1, _NO_SOURCE + b","),
        Column(local.dni, 1, _NO_SOURCE + b","),
        Column(local.dhi, 1, _NO_SOURCE + len(_LUMINOUS) * _MISSING + clouds + b","),
        Column(local.temp_air, 1, _MODELLED + b","),
        Column(local.temp_dew, 1, _MODELLED + b","),
        Column(local.rel_hum, 1, _MODELLED + b","),
        Column(local.pressure, 1, _MODELLED + _MISSING + b","),  # then the direction of the wind
        Column(local.wind_speed, 1, _MODELLED + 5 * _MISSING + b",-9900" + _MISSING + b"\n"),
    ]
    return head.encode() + table(stamps(_STAMP, HOUR_END), columns)


FORMAT = Format(
    value="tmy3",
    extension=".csv",
    media_type="text/csv",
    convention=f"{LOCAL_END}, midnight is 24:00",
    write=write,
    tool="NREL TMY3",
)
