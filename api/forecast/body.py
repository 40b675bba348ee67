"""The answer's body: all of it that does not depend on the point is prepared when a tile is opened.

Of a row only the number changes, and a number is one of 65534 texts: the rows are prepared parts and table
entries, joined. This takes about 7 us, against 40 us for building dicts and serialising them.
"""

import logging
import struct
from datetime import UTC, datetime
from functools import lru_cache
from operator import itemgetter

import orjson

from api import texts
from api.errors import Unavailable
from api.forecast.place import Place
from api.forecast.selection import Model
from api.ready import Prepared
from catalog.versions import Entry
from tiles.clock import iso
from tiles.grid import FORECAST
from tiles.hydrated import HydratedTile
from tiles.product import CORRUPT

log = logging.getLogger("solflis.api")

TIME_CONVENTION = "timestamp: start of the hour, UTC; ghi_wm2: mean over [timestamp, timestamp + 1 h)"
MAX_AGE_S = 60
RETRY_S = 120


class Series:
    """One model's variable of one tile, ready to answer for any point.

    Attributes
    ----------
    headers : Prepared
        Of every answer from it.
    """

    def __init__(self, model: Model, entry: Entry, tile: HydratedTile, code_version: str) -> None:
        self._tile, self._model = tile, model
        self._scale, self._offset = tile.scale(model.variable)
        self._numbers = _numbers(self._scale, self._offset)
        self._unpack = struct.Struct(f"<{tile.n_times}H")
        self._rows = _row_parts(tile)
        self._issued = entry.issued_at.timestamp()
        self._version = entry.version
        self._etag = f"{entry.version}.{entry.attempt}.{code_version}.{model.choice}"
        self._cycle_time, self._origin = iso(entry.issued_at), entry.data_origin
        self.headers = answer_headers(entry)

    def etag(self, cell: tuple[int, int]) -> str:
        """Return a cell's ETag: weak, because bodies of one cycle differ in its age alone."""
        return self.etag_of(f"{cell[0]}.{cell[1]}")

    def etag_of(self, what: str) -> str:
        """Return the ETag of an answer made from this version by this code."""
        return f'W/"{self._etag}.{what}"'

    def body(self, place: Place, cell: tuple[int, int], now: datetime) -> bytes:
        """Return the JSON body of a point.

        Raises
        ------
        Unavailable
            The cell has no data, or they are damaged.
        """
        try:
            packed = self._unpack.unpack(self._tile.raw(self._model.variable, *cell))
        except (OSError, struct.error) as error:
            # A file of the state folder cut short under an open tile: damage like any other.
            raise self._damaged(cell, repr(error)) from error
        highest = max(packed)
        if highest >= CORRUPT:
            if CORRUPT in packed:
                raise self._damaged(cell, "its shard failed the checksum")
            raise Unavailable(texts.NO_CELL)
        parts = self._rows.copy()
        parts[1::2] = itemgetter(*packed)(self._numbers)
        total = sum(packed) * self._scale + len(packed) * self._offset
        return orjson.dumps(
            {
                "site": place.name,
                "latitude": place.lat,
                "longitude": place.lon,
                "grid_index": {"i_lat": cell[0], "i_lon": cell[1]},
                "cycle_time": self._cycle_time,
                "model": self._model.name,
                "data_mode": self._model.choice,
                "peak_ghi_wm2": orjson.Fragment(self._numbers[highest]),
                "daily_ghi_kwh_m2": round(total / 1000, 3),
                "time_convention": TIME_CONVENTION,
                "cycle_age_hours": round((now.timestamp() - self._issued) / 3600, 2),
                "data_origin": self._origin,
                "ghi_timeseries": orjson.Fragment(b"".join(parts)),
            }
        )

    def _damaged(self, cell: tuple[int, int], why: str) -> Unavailable:
        lat, lon = FORECAST.centre(cell)
        where = f"{cell} (near {lat:.1f}, {lon:.1f}) of {self._model.name} {self._version}"
        log.error("damaged cell %s: %s", where, why)
        return Unavailable(texts.DAMAGED_CELL, RETRY_S)


def answer_headers(entry: Entry) -> Prepared:
    """Return the headers of every answer from a version."""
    return Prepared(
        {
            "Content-Type": "application/json",
            "X-Data-Origin": entry.data_origin,
            # private: the answer will carry the caller's quota
            "Cache-Control": f"private, max-age={MAX_AGE_S}",
        }
    )


def latest_body(entry: Entry, tile: HydratedTile, model: Model) -> bytes:
    """Return the JSON body that describes a cycle."""
    rows, columns = FORECAST.shape
    starts = (datetime.fromtimestamp(t, UTC) for t in tile.times.tolist())
    return orjson.dumps(
        {
            "cycle_time": iso(entry.issued_at),
            "model": model.name,
            "n_times": tile.n_times,
            "n_lat": rows,
            "n_lon": columns,
            "ghi_max": tile.header["variables"][model.variable]["max"],
            "timestamps": [f"{start:%Y-%m-%dT%H:%M:%S}.000Z" for start in starts],
        }
    )


def _row_parts(tile: HydratedTile) -> list[bytes]:
    """Return what stands around the numbers, with room for a number at each odd place."""
    starts = [iso(datetime.fromtimestamp(t, UTC)) for t in tile.times.tolist()]
    heads = [b'{"hour":%d,"timestamp":"%s","ghi_wm2":' % (i, s.encode()) for i, s in enumerate(starts)]
    parts = [b"[" + heads[0], *(b"}," + head for head in heads[1:]), b"}]"]
    rows = [b""] * (2 * len(parts) - 1)
    rows[0::2] = parts
    return rows


@lru_cache(maxsize=2)
def _numbers(scale: float, offset: float) -> tuple[bytes, ...]:
    """Return the text of every packed value, rounded to 0.1."""
    return tuple(f"{packed * scale + offset:.1f}".encode() for packed in range(CORRUPT))
