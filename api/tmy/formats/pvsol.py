"""`tool_b`: PV*SOL's climate data as text. Layout: the vendor's answers in its forum, topics 305, 307 and 10534."""

from api.tmy.formats.common.declaration import LOCAL_END, FileFormat
from api.tmy.formats.common.rows import HOUR_END, writer
from api.tmy.formats.common.words import name_of
from api.tmy.year import TypicalYear

_MINUTES = 60
# East of Greenwich is negative, also in hours; the interval's middle lies 30 minutes before the full hour.
_ZONE, _MIDDLE = -1, -30
_ROW = "{temp_air:.2f}\t{ghi:.1f}\t{wind_speed:.2f}\t{rel_hum:.1f}\r\n"


def degrees_minutes(degrees: float) -> str:
    """Return degrees as `degrees.minutes`: of 48.1866 that is 48.11."""
    whole = round(abs(degrees) * _MINUTES)
    sign = "-" if degrees < 0 and whole else ""
    return f"{sign}{whole // _MINUTES}.{whole % _MINUTES:02d}"


def _head(year: TypicalYear) -> list[str]:
    place = f"{degrees_minutes(year.lat)},{degrees_minutes(-year.lon)},{year.elevation_m:z.0f},{_ZONE},{_MIDDLE}"
    return [f'"{name_of(year)}"', place, "", "Ta\tGh\tFF\tRH"]


FORMAT = FileFormat(
    value="tool_b",
    extension=".dat",
    media_type="text/plain",
    convention=f"{LOCAL_END}, rows without stamps from 01:00 on",
    write=writer(_head, _ROW, HOUR_END),
    tool="PV*SOL",
    aliases=("pvsol",),
    lacks=("dni", "dhi", "mslp"),
)
