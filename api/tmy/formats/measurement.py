"""`measurement`: as a logger at a plant would have written it."""

from api.tmy.formats.common.declaration import UTC_START, Format
from api.tmy.formats.common.rows import HOUR_START, Column, stamps, table
from api.tmy.year import TypicalYear

_NAMES = b"timestamp_utc,ghi_wm2,temp_c,wind_ms,quality\n"
# The flag of every row: nothing here was measured.
_ROW_END = {"live": b",modelled\n", "simulated": b",simulated\n"}


def write(year: TypicalYear) -> bytes:
    """Return the file."""
    columns = [
        Column(year.ghi, 1),
        Column(year.temp_air, 2),
        Column(year.wind_speed, 2, _ROW_END[year.data_origin]),
    ]
    return _NAMES + table(stamps("{t:%Y-%m-%dT%H:%M:%SZ},", HOUR_START), columns)


FORMAT = Format(
    value="measurement",
    extension=".csv",
    media_type="text/csv",
    convention=UTC_START,
    write=write,
    lacks=("dni", "dhi", "rel_hum", "mslp"),
)
