"""`measurement`: as a logger at a plant would have written it."""

from api.tmy.formats.common.declaration import UTC_START, FileFormat
from api.tmy.formats.common.rows import HOUR_START, table
from api.tmy.year import TypicalYear

_NAMES = b"timestamp_utc,ghi_wm2,temp_c,wind_ms,quality\n"
_ROW = "{t:%Y-%m-%dT%H:%M:%SZ},{ghi:.1f},{temp_air:.2f},{wind_speed:.2f}"
# The flag of every row: nothing here was measured.
_ROW_END = {"live": ",modelled\n", "simulated": ",simulated\n"}


def write(year: TypicalYear) -> bytes:
    """Return the file."""
    return _NAMES + table(year, _ROW + _ROW_END[year.data_origin], HOUR_START)


FORMAT = FileFormat(
    value="measurement",
    convention=UTC_START,
    write=write,
    lacks=("dni", "dhi", "rel_hum", "mslp"),
)
