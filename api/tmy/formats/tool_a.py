"""`tool_a`: PVsyst's standard format for hourly data."""

from api.tmy.formats.common.declaration import LOCAL_END, Format
from api.tmy.formats.common.rows import HOUR_END, Column, stamps, table
from api.tmy.formats.common.words import name_of, remarks
from api.tmy.year import TypicalYear

# PVsyst takes a label for the start of its hour; these are its end. Which sign moves them back is not confirmed.
_TIME_SHIFT_MINUTES = -60
_UNVERIFIED = (
    "the sign of the time shift is confirmed by no public document, "
    "compare a clear day with the clear sky that PVsyst draws after the import"
)
_NAMES = "Year;Month;Day;Hour;Minute;GHI;DHI;DNI;Tamb;WindVel;RelHum"
_UNITS = ";;;;;W/m2;W/m2;W/m2;deg.C;m/sec;%"


def _header(year: TypicalYear) -> bytes:
    lines = [
        "#TMY hourly data",
        *(f"#Comment;{remark}" for remark in remarks(year, _UNVERIFIED)),
        f"#Site;{name_of(year)}",
        "#Country;Norway",
        f"#Data Source;{year.product}",
        "#Time step;60;minute",
        f"#Latitude;{year.lat:.5f}",
        f"#Longitude;{year.lon:.5f}",
        f"#Altitude;{year.elevation_m:z.0f}",
        "#Time Zone;1",
        f"#Time shift;{_TIME_SHIFT_MINUTES};minute",
        _NAMES,
        _UNITS,
    ]
    return ("\r\n".join(lines) + "\r\n").encode()


def write(year: TypicalYear) -> bytes:
    """Return the file."""
    local = year.at_hour_ends()
    columns = [
        Column(local.ghi, 1, b";"),
        Column(local.dhi, 1, b";"),
        Column(local.dni, 1, b";"),
        Column(local.temp_air, 2, b";"),
        Column(local.wind_speed, 2, b";"),
        Column(local.rel_hum, 1, b"\r\n"),
    ]
    return _header(year) + table(stamps("{t.year};{t.month};{t.day};{t.hour};0;", HOUR_END), columns)


FORMAT = Format(
    value="tool_a",
    extension=".csv",
    media_type="text/csv",
    convention=f"{LOCAL_END}, midnight is 00:00 of the next day",
    write=write,
    tool="PVsyst",
    aliases=("pvsyst",),
    lacks=("mslp",),
    unverified=_UNVERIFIED,
)
