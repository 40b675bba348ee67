"""`json`: the service's own, with everything that is known of the year."""

from collections.abc import Sequence

import orjson

from api.core.body import JSON
from api.tmy.formats.common.declaration import UTC_START, FileFormat
from api.tmy.formats.common.metadata import UNITS, metadata
from api.tmy.formats.common.rows import HOUR_START, stamps, table
from api.tmy.year import QUANTITIES, TypicalYear

_STAMPS = {"utc": '"{t:%Y-%m-%dT%H:%M:%SZ}",', "local": '"{t:%Y-%m-%dT%H:%M:%S}+01:00",'}
_ELEMENTS = {name: f"{{{name}:.{2 if name in ('temp_air', 'wind_speed') else 1}f}}," for name in QUANTITIES}


def write(year: TypicalYear, warnings: Sequence[str] = ()) -> bytes:
    """Return the file."""
    rows = year.in_zone()
    lists = {"time": stamps(_STAMPS[year.tz], HOUR_START).text.tobytes()}
    lists |= {name: table(rows, element, HOUR_START) for name, element in _ELEMENTS.items()}
    # Joined here: orjson would take half as long again for copying what is printed already.
    parts: list[bytes | memoryview] = [b'{"meta":', orjson.dumps(metadata(year)), b',"hourly":']
    for number, (name, elements) in enumerate(lists.items()):
        parts += [b"," if number else b"{", orjson.dumps(name), b":[", memoryview(elements)[:-1], b"]"]
    tail = {"units": UNITS} | ({"warnings": warnings} if warnings else {})
    return b"".join([*parts, b"},", orjson.dumps(tail)[1:]])


FORMAT = FileFormat(
    value="json",
    extension=".json",
    media_type=JSON,
    convention=f"{UTC_START} (with `tz=local` UTC+1, hour-start)",
    write=write,
    inline=True,
    warned=True,
)
