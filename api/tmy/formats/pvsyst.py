"""`tool_a`: PVsyst's standard format for hourly data."""

from api.tmy.formats.common.declaration import LOCAL_END, FileFormat
from api.tmy.formats.common.rows import HOUR_END, writer
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
_ROW = (
    "{t.year};{t.month};{t.day};{t.hour};0;"
    "{ghi:.1f};{dhi:.1f};{dni:.1f};{temp_air:.2f};{wind_speed:.2f};{rel_hum:.1f}\r\n"
)


def _head(year: TypicalYear) -> list[str]:
    return [
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


FORMAT = FileFormat(
    value="tool_a",
    convention=f"{LOCAL_END}, midnight is 00:00 of the next day",
    write=writer(_head, _ROW, HOUR_END),
    tool="PVsyst",
    aliases=("pvsyst",),
    lacks=("mslp",),
    unverified=_UNVERIFIED,
)
