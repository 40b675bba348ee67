"""`tool_b`: PV*SOL's climate data as text. Layout: the vendor's answers in its forum, topics 305, 307 and 10534."""

from api.tmy.formats.common.declaration import LOCAL_END, Format
from api.tmy.formats.common.rows import Column, table
from api.tmy.formats.common.words import name_of
from api.tmy.year import TypicalYear

_MINUTES = 60
# East of Greenwich is negative, also in hours; the interval's middle lies 30 minutes before the full hour.
_ZONE, _MIDDLE = -1, -30


def degrees_minutes(degrees: float) -> str:
    """Return degrees as `degrees.minutes`: of 48.1866 that is 48.11."""
    whole = round(abs(degrees) * _MINUTES)
    sign = "-" if degrees < 0 and whole else ""
    return f"{sign}{whole // _MINUTES}.{whole % _MINUTES:02d}"


def write(year: TypicalYear) -> bytes:
    """Return the file."""
    place = f"{degrees_minutes(year.lat)},{degrees_minutes(-year.lon)},{year.elevation_m:z.0f},{_ZONE},{_MIDDLE}"
    head = f'"{name_of(year)}"\r\n{place}\r\n\r\nTa\tGh\tFF\tRH\r\n'
    local = year.at_hour_ends()
    columns = [
        Column(local.temp_air, 2, b"\t"),
        Column(local.ghi, 1, b"\t"),
        Column(local.wind_speed, 2, b"\t"),
        Column(local.rel_hum, 1, b"\r\n"),
    ]
    return head.encode() + table(None, columns)


FORMAT = Format(
    value="tool_b",
    extension=".dat",
    media_type="text/plain",
    convention=f"{LOCAL_END}, rows without stamps from 01:00 on",
    write=write,
    tool="PV*SOL",
    aliases=("pvsol",),
    lacks=("dni", "dhi", "mslp"),
)
