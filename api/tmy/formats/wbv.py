"""`wbv`: a plain table under the name of PV*SOL's packed climate file, whose layout is not public."""

from api.tmy.formats.common.declaration import LOCAL_END, Format
from api.tmy.formats.common.rows import HOUR_END, Column, stamps, table
from api.tmy.formats.common.words import remarks
from api.tmy.year import TypicalYear

_UNVERIFIED = (
    "a plain-text layout of our own, for that of PV*SOL's .wbv is not public: whether PV*SOL reads it is not known, "
    "its users take tool_b"
)
_NAMES = "month\tday\thour\tghi\tdni\tdhi\ttemp_air\trel_hum\twind_speed\tpressure"
_UNITS = "#\tday\thour of the day 1-24\tW/m2\tW/m2\tW/m2\tdegC\t%\tm/s\thPa"


def _header(year: TypicalYear) -> bytes:
    lines = [
        "#layout: climate table as text, version 1",
        *(f"#{remark}" for remark in remarks(year, _UNVERIFIED)),
        f"#latitude: {year.lat:.5f}",
        f"#longitude: {year.lon:.5f}",
        f"#elevation: {year.elevation_m:z.1f}",
        "#time: UTC+1 without daylight saving, the hour that ends at the label, 8760 rows from 1 January 01:00 on",
        _UNITS,
        _NAMES,
    ]
    return ("\r\n".join(lines) + "\r\n").encode()


def write(year: TypicalYear) -> bytes:
    """Return the file."""
    local = year.at_hour_ends()
    columns = [
        Column(local.ghi, 1, b"\t"),
        Column(local.dni, 1, b"\t"),
        Column(local.dhi, 1, b"\t"),
        Column(local.temp_air, 2, b"\t"),
        Column(local.rel_hum, 1, b"\t"),
        Column(local.wind_speed, 2, b"\t"),
        Column(local.pressure, 1, b"\r\n"),
    ]
    return _header(year) + table(stamps("{day.month}\t{day.day}\t{hour}\t", HOUR_END), columns)


FORMAT = Format(
    value="wbv",
    extension=".wbv",
    media_type="text/plain",
    convention=LOCAL_END,
    write=write,
    unverified=_UNVERIFIED,
)
