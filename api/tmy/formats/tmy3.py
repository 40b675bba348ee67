"""`tmy3`: NREL's TMY3. Layout: Wilcox & Marion, Users Manual for TMY3 Data Sets, NREL/TP-581-43156, 2008."""

from api.tmy.formats.common.declaration import LOCAL_END, FileFormat
from api.tmy.formats.common.rows import HOUR_END, writer
from api.tmy.formats.common.words import name_of
from api.tmy.year import TypicalYear

_NO_SOURCE, _MODELLED = ",?,0,", ",E,9,"
_MISSING = f"-9900{_NO_SOURCE}"

# TRAP: the uncertainty of the first illuminance alone is called by another name.
_NAMES = (
    "Date (MM/DD/YYYY),Time (HH:MM),ETR (W/m^2),ETRN (W/m^2),GHI (W/m^2),GHI source,GHI uncert (%),DNI (W/m^2),"
    "DNI source,DNI uncert (%),DHI (W/m^2),DHI source,DHI uncert (%),GH illum (lx),GH illum source,"
    "Global illum uncert (%),DN illum (lx),DN illum source,DN illum uncert (%),DH illum (lx),DH illum source,"
    "DH illum uncert (%),Zenith lum (cd/m^2),Zenith lum source,Zenith lum uncert (%),TotCld (tenths),TotCld source,"
    "TotCld uncert (code),OpqCld (tenths),OpqCld source,OpqCld uncert (code),Dry-bulb (C),Dry-bulb source,"
    "Dry-bulb uncert (code),Dew-point (C),Dew-point source,Dew-point uncert (code),RHum (%),RHum source,"
    "RHum uncert (code),Pressure (mbar),Pressure source,Pressure uncert (code),Wdir (degrees),Wdir source,"
    "Wdir uncert (code),Wspd (m/s),Wspd source,Wspd uncert (code),Hvis (m),Hvis source,Hvis uncert (code),"
    "CeilHgt (m),CeilHgt source,CeilHgt uncert (code),Pwat (cm),Pwat source,Pwat uncert (code),AOD (unitless),"
    "AOD source,AOD uncert (code),Alb (unitless),Alb source,Alb uncert (code),Lprecip depth (mm),"
    "Lprecip quantity (hr),Lprecip source,Lprecip uncert (code)"
)
_ROW = (
    "{day:%m/%d/%Y},{hour:02d}:00,-9900,-9900,"  # the last two are extraterrestrial
    f"{{ghi:.1f}}{_NO_SOURCE}{{dni:.1f}}{_NO_SOURCE}{{dhi:.1f}}{_NO_SOURCE}"
    f"{6 * _MISSING}"  # four of light, two of clouds
    f"{{temp_air:.1f}}{_MODELLED}{{temp_dew:.1f}}{_MODELLED}{{rel_hum:.1f}}{_MODELLED}{{pressure:.1f}}{_MODELLED}"
    f"{_MISSING}{{wind_speed:.1f}}{_MODELLED}"  # before it the direction of the wind
    f"{5 * _MISSING}-9900,-9900,?,0\n"
)


def _head(year: TypicalYear) -> list[str]:
    # TRAP: readers split this line at every comma, quoted or not, and want a whole number first.
    place = f"{year.lat:.5f},{year.lon:.5f},{year.elevation_m:z.1f}"
    return [f'0,"{name_of(year)}",NA,1.0,{place}', _NAMES]


FORMAT = FileFormat(
    value="tmy3",
    convention=f"{LOCAL_END}, midnight is 24:00",
    write=writer(_head, _ROW, HOUR_END),
    tool="NREL TMY3",
)
