"""`wbv`: a plain table under the name of PV*SOL's packed climate file, whose layout is not public."""

from api.tmy.formats.common.declaration import LOCAL_END, FileFormat
from api.tmy.formats.common.rows import HOUR_END, writer
from api.tmy.formats.common.words import remarks
from api.tmy.year import TypicalYear

_UNVERIFIED = (
    "a plain-text layout of our own, for that of PV*SOL's .wbv is not public: whether PV*SOL reads it is not known, "
    "its users take tool_b"
)
_NAMES = "month\tday\thour\tghi\tdni\tdhi\ttemp_air\trel_hum\twind_speed\tpressure"
_UNITS = "#\tday\thour of the day 1-24\tW/m2\tW/m2\tW/m2\tdegC\t%\tm/s\thPa"
_ROW = (
    "{day.month}\t{day.day}\t{hour}\t"
    "{ghi:.1f}\t{dni:.1f}\t{dhi:.1f}\t{temp_air:.2f}\t{rel_hum:.1f}\t{wind_speed:.2f}\t{pressure:.1f}\r\n"
)


def _head(year: TypicalYear) -> list[str]:
    return [
        "#layout: climate table as text, version 1",
        *(f"#{remark}" for remark in remarks(year, _UNVERIFIED)),
        f"#latitude: {year.lat:.5f}",
        f"#longitude: {year.lon:.5f}",
        f"#elevation: {year.elevation_m:z.1f}",
        "#time: UTC+1 without daylight saving, the hour that ends at the label, 8760 rows from 1 January 01:00 on",
        _UNITS,
        _NAMES,
    ]


FORMAT = FileFormat(
    value="wbv",
    extension=".wbv",
    media_type="text/plain",
    convention=LOCAL_END,
    write=writer(_head, _ROW, HOUR_END),
    unverified=_UNVERIFIED,
)
