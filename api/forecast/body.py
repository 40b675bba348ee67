"""The answer's body: all of it that does not depend on the point is prepared when a tile is opened.

Of a row only the number changes, and a number is one of 65534 texts: the rows are prepared parts and table
entries, joined. This takes about 7 us, against 40 us for building dicts and serialising them.
"""

import logging
import struct
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from api import texts
from api.errors import Unavailable
from api.forecast.place import Place
from api.forecast.rows import Layout, Table
from api.forecast.selection import Model
from api.ready import Parts, Prepared, json_parts
from catalog.versions import Entry
from kernels.sun import SunTable, sun_table
from tiles.clock import iso
from tiles.errors import TileCorrupt
from tiles.grid import FORECAST
from tiles.hydrated import HydratedTile
from tiles.product import CORRUPT

log = logging.getLogger("solflis.api")

TIME_CONVENTION = "timestamp: start of the hour, UTC; ghi_wm2: mean over [timestamp, timestamp + 1 h)"
HOUR_S = 3600
MAX_AGE_S = 60
RETRY_S = 120
_TEMPERATURE, _WIND = "temp_air", "wind_speed"


class Sums(NamedTuple):
    """Sum and largest of a point's irradiance, tenths of W/m2."""

    total: int
    peak: int


class Irradiance(NamedTuple):
    """A point's irradiance as it is printed.

    Parameters
    ----------
    text : bytes
        JSON of `ghi_timeseries`.
    sums : Sums
    """

    text: bytes
    sums: Sums


class Series:
    """One model's variable of one tile, ready to answer for any point.

    Attributes
    ----------
    headers : Prepared
        Of every answer from it.
    times : int64 (n,)
        Starts of all hours, unix seconds.
    units : float64 (3, 2)
        Scale and offset of each variable of packed weather.
    cycle_time, data_mode, origin : str
        As answers report them.
    """

    def __init__(self, model: Model, entry: Entry, tile: HydratedTile, code_version: str) -> None:
        self._tile, self._model = tile, model
        self._scale, self._offset = tile.scale(model.variable)
        self._numbers = _numbers(self._scale, self._offset)
        weather, absent = (model.variable, _TEMPERATURE, _WIND), (np.nan, np.nan)
        self.units = np.array([tile.scale(n) if n in tile.variables else absent for n in weather], np.float64)
        there = [name for name in weather if name in tile.variables]
        self._read_ghi, self._read_all = tile.reader(model.variable), tile.reader(*there)
        self._read_warmth = tile.reader(*[name for name in there if name != _WIND])
        self._unpack = struct.Struct(f"<{tile.n_times}H")
        self._table = (0, _table(tile, 0))
        self._sun = sun_table(tile.times + HOUR_S // 2)
        self._issued = entry.issued_at.timestamp()
        self._version, self._source = entry.version, entry.source
        self._etag = f"{entry.version}.{entry.attempt}.{code_version}.{model.choice}"
        self.cycle_time, self.data_mode, self.origin = iso(entry.issued_at), model.choice, entry.data_origin
        self.headers = answer_headers(entry)
        self.times = tile.times

    def etag(self, cell: tuple[int, int], first: int = 0, layout: Layout = "rows") -> str:
        """Return a cell's ETag: weak, because bodies of one cycle differ in its age alone."""
        more = f".{first}" if first else ""
        return self.etag_of(f"{cell[0]}.{cell[1]}{more}" if layout == "rows" else f"{cell[0]}.{cell[1]}{more}.{layout}")

    def etag_of(self, what: str) -> str:
        """Return the ETag of an answer made from this version by this code."""
        return f'W/"{self._etag}.{what}"'

    def row_at(self, start: datetime) -> int | None:
        """Return the row of the hour that starts at a moment, or None where the series does not reach it."""
        row = int(start.timestamp() - self._tile.times[0]) // HOUR_S
        return row if 0 <= row < self._tile.n_times else None

    def require(self, variable: str) -> None:
        """Refuse where the tile lacks a variable.

        Raises
        ------
        Unavailable
        """
        if variable not in self._tile.variables:
            raise Unavailable(texts.NO_WEATHER.format(variable=variable, source=self._source), RETRY_S)

    def packed(self, cell: tuple[int, int], first: int = 0) -> tuple[int, ...]:
        """Return a cell's packed irradiance from a row on.

        Raises
        ------
        Unavailable
            The cell has no data, or they are damaged.
        """
        return self.packed_ghi(self._read(self._read_ghi, cell), first)

    def packed_weather(self, cell: tuple[int, int], *, wind: bool = True) -> bytes:
        """Return a cell's packed values of all that production takes; they outlive the tile.

        Parameters
        ----------
        cell : (int, int)
        wind : bool
            Whether it is wanted, where there is any.

        Raises
        ------
        Unavailable
            As `packed`; or the tile lacks the temperature.
        """
        self.require(_TEMPERATURE)
        return self._read(self._read_all if wind else self._read_warmth, cell)

    def packed_ghi(self, packed: bytes, first: int = 0) -> tuple[int, ...]:
        """Return the packed irradiance that packed weather begins with, from a row on."""
        return self._unpack.unpack_from(packed)[first:]

    def variables_of(self, packed: bytes) -> int:
        """Return how many variables packed weather is of: 3 where there is wind, else 2."""
        return len(packed) // self._unpack.size

    def sun(self, first: int = 0) -> SunTable:
        """Return the sun in the middle of each hour, from a row on."""
        return self._sun.part(first) if first else self._sun

    def ghi(self, packed: tuple[int, ...]) -> NDArray[np.float64]:
        """Return packed irradiance in W/m2."""
        return np.array(packed, np.float64) * self._scale + self._offset

    def _read(self, read: Callable[[int, int], bytes], cell: tuple[int, int]) -> bytes:
        try:
            packed = read(*cell)
        except (OSError, TileCorrupt) as error:  # a file of the state folder cut short is damage like any other
            raise self._damaged(cell, repr(error)) from error
        # 65534 and 65535 have such an upper byte: where there is none, neither is there.
        if b"\xff" in packed[1::2]:
            for numbers in np.frombuffer(packed, "<u2").reshape(-1, self._tile.n_times):
                if numbers.max() >= CORRUPT:  # a place at sea is none, not damaged
                    raise self._absent(cell, CORRUPT in numbers)
        return packed

    def _absent(self, cell: tuple[int, int], corrupt: bool) -> Unavailable:
        return self._damaged(cell, "its shard failed the checksum") if corrupt else Unavailable(texts.NO_CELL)

    def table(self, first: int = 0) -> Table:
        """Return the prepared rows from one on; it changes at midnight only."""
        at, table = self._table
        if at != first:
            table = _table(self._tile, first)
            self._table = (first, table)  # one assignment: bulk calls ask from threads
        return table

    def sums(self, packed: tuple[int, ...]) -> Sums:
        """Return sum and largest of packed irradiance."""
        total, peak = sum(packed) * self._scale + len(packed) * self._offset, max(packed) * self._scale + self._offset
        return Sums(round(total * 10), round(peak * 10))

    def irradiance(self, packed: tuple[int, ...], first: int = 0, layout: Layout = "rows") -> Irradiance:
        """Print packed irradiance, which begins with a row."""
        numbers: tuple[bytes, ...] = itemgetter(*packed)(self._numbers)
        return Irradiance(self.table(first).render(numbers, layout), self.sums(packed))

    def head(self, place: Place, cell: tuple[int, int], sums: Sums, now: datetime) -> dict[str, Any]:
        """Return what a point's answer says before its series, in its order.

        Rounding to whole numbers (a half to the even one), then dividing, takes a fifth of the time of rounding to
        decimals.
        """
        return {
            "site": place.name,
            "latitude": place.lat,
            "longitude": place.lon,
            "grid_index": {"i_lat": cell[0], "i_lon": cell[1]},
            "cycle_time": self.cycle_time,
            "model": self._model.name,
            "data_mode": self.data_mode,
            "peak_ghi_wm2": sums.peak / 10,
            "daily_ghi_kwh_m2": round(sums.total / 10) / 1000,
            "time_convention": TIME_CONVENTION,
            "cycle_age_hours": round((now.timestamp() - self._issued) / 36) / 100,
            "data_origin": self.origin,
        }

    def body(
        self, place: Place, cell: tuple[int, int], now: datetime, first: int = 0, layout: Layout = "rows"
    ) -> Parts:
        """Return the JSON body of a point, from a row on.

        Raises
        ------
        Unavailable
            The cell has no data, or they are damaged.
        """
        text, sums = self.irradiance(self.packed(cell, first), first, layout)
        return json_parts(self.head(place, cell, sums, now), {"ghi_timeseries": text})

    def description(self) -> bytes:
        """Return the JSON body that describes the cycle."""
        rows, columns = FORECAST.shape
        starts = (datetime.fromtimestamp(t, UTC) for t in self._tile.times.tolist())
        return orjson.dumps(
            {
                "cycle_time": self.cycle_time,
                "model": self._model.name,
                "n_times": self._tile.n_times,
                "n_lat": rows,
                "n_lon": columns,
                "ghi_max": self._tile.header["variables"][self._model.variable]["max"],
                "timestamps": [f"{start:%Y-%m-%dT%H:%M:%S}.000Z" for start in starts],
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


def _table(tile: HydratedTile, first: int) -> Table:
    """Return the rows from one on, without their numbers."""
    starts = [iso(datetime.fromtimestamp(t, UTC)) for t in tile.times[first:].tolist()]
    return Table({"hour": range(len(starts)), "timestamp": starts}, "ghi_wm2")


@lru_cache(maxsize=2)
def _numbers(scale: float, offset: float) -> tuple[bytes, ...]:
    """Return the text of every packed value, rounded to 0.1."""
    return tuple(f"{packed * scale + offset:.1f}".encode() for packed in range(CORRUPT))
