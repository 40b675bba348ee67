"""One model's series of one tile: all of an answer that does not depend on the point is prepared when it is opened.

Of a row only the number changes, and a number is one of 65534 texts: the rows are prepared parts and table
entries, joined. This takes about 7 us, against 40 us for building dicts and serialising them.
"""

import logging
import struct
from datetime import datetime
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from api.core.errors import ApiError
from api.core.response import Prepared
from api.forecast import problems
from api.forecast.days import Days, days_of
from api.forecast.place import Place
from api.forecast.rows import Layout, RowTemplate, stamps
from catalog.versions import Entry
from kernels.sun import SunTable, sun_table
from tiles.clock import iso
from tiles.errors import TileCorrupt
from tiles.grid import FORECAST, Cell
from tiles.hydrated import HydratedTile
from tiles.product import CORRUPT

log = logging.getLogger("solflis.api")

TIME_CONVENTION = "timestamp: start of the hour, UTC; ghi_wm2: mean over [timestamp, timestamp + 1 h)"
HOUR_S = 3600
CACHE_CONTROL = "private, max-age=60"
"""Private: the answer carries the caller's quota."""
_TEMPERATURE, _WIND = "temp_air", "wind_speed"
# Midnight moves on while a tile is served.
_MOST_STARTS, _MOST_ZONES = 3, 64


class Sums(NamedTuple):
    """Sums and largest of a point's irradiance, tenths of W/m2.

    Parameters
    ----------
    total, peak : int
    days : list of int (d)
    """

    total: int
    peak: int
    days: list[int]


class Series:
    """One model's variable of one tile, ready to answer for any point.

    Attributes
    ----------
    times : int64 (n,)
        Starts of all hours, unix seconds.
    variables : tuple of str
        What the tile has of irradiance, temperature and wind, in this order; irradiance by the name it has there.
    units : float64 (k, 2)
        Scale and offset of each.
    name : str
        Tells this series, and the code that answers from it, from all others.
    cycle_time, mode, origin : str
        As answers report them.
    row_at : callable
        Of the tile.
    template : callable
        Returns the prepared rows from one on.
    days : callable
        Returns the days from a row on (by default from the first on), in a time zone (by default UTC).
    """

    def __init__(
        self, mode: str, model: str, variable: str, code_version: str, entry: Entry, tile: HydratedTile
    ) -> None:
        self._tile, self._variable, self.model, self.mode, self.row_at = tile, variable, model, mode, tile.row_at
        self._scale, self._offset = tile.scale(variable)
        self._in_tenths = (self._scale, self._offset) == (0.1, 0.0)
        self._numbers = _numbers(self._scale, self._offset)
        self.variables = tuple(name for name in (variable, _TEMPERATURE, _WIND) if name in tile.variables)
        self.units = np.array([tile.scale(name) for name in self.variables], np.float64)
        self._readers = [tile.reader(*self.variables[:most]) for most in (1, 2, 3)]
        self._unpack = struct.Struct(f"<{tile.n_times}H")
        self.template = lru_cache(_MOST_STARTS)(partial(_template, tile.times))
        self.template(0)  # so that no answer waits for it
        self.days = lru_cache(_MOST_ZONES)(partial(_days, tile.times))
        self._sun = sun_table(tile.times + HOUR_S // 2)
        self._issued, self._version = entry.issued_at.timestamp(), entry.version
        self.name = f"{entry.version}.{entry.attempt}.{code_version}.{mode}"
        self.cycle_time, self.origin, self.times = iso(entry.issued_at), entry.data_origin, tile.times

    def etag(self, *parts: object) -> str:
        """Return the ETag of an answer: weak, because bodies of one cycle differ in its age alone."""
        return f'W/"{self.name}.{".".join(map(str, parts))}"'

    def require_temperature(self) -> None:
        """Refuse where the tile lacks what all production takes.

        Raises
        ------
        ApiError
        """
        if _TEMPERATURE not in self.variables:
            raise problems.NO_WEATHER(variable=_TEMPERATURE)

    def packed(self, cell: Cell, first: int = 0) -> tuple[int, ...]:
        """Return a cell's packed irradiance from a row on.

        Raises
        ------
        ApiError
            The cell has no data, or they are damaged.
        """
        return self.packed_ghi(self.packed_weather(cell, 1), first)

    def packed_weather(self, cell: Cell, most: int = 3) -> bytes:
        """Return a cell's packed values of `variables`, or of the first of them; they outlive the tile.

        Raises
        ------
        ApiError
            As `packed`.
        """
        try:
            packed: bytes = self._readers[most - 1](*cell)
        except (OSError, TileCorrupt) as error:  # a file of the state folder cut short is damage like any other
            raise self._damaged(cell, repr(error)) from error
        # 65534 and 65535 have such an upper byte: where there is none, neither is there.
        if b"\xff" in packed[1::2]:
            for numbers in np.frombuffer(packed, "<u2").reshape(-1, self._tile.n_times):
                if numbers.max() >= CORRUPT:  # a place at sea is none, not damaged
                    damaged = CORRUPT in numbers
                    raise self._damaged(cell, "its shard failed the checksum") if damaged else problems.NO_CELL()
        return packed

    def packed_ghi(self, packed: bytes, first: int = 0) -> tuple[int, ...]:
        """Return the packed irradiance that packed weather begins with, from a row on."""
        return self._unpack.unpack_from(packed)[first:]

    def variables_of(self, packed: bytes) -> tuple[str, ...]:
        """Return the variables that packed weather is of."""
        return self.variables[: len(packed) // self._unpack.size]

    def part(self, packed: bytes, most: int) -> bytes:
        """Return the first variables of packed weather."""
        return packed[: most * self._unpack.size]

    def sun(self, first: int = 0) -> SunTable:
        """Return the sun in the middle of each hour, from a row on."""
        return self._sun.part(first) if first else self._sun

    def ghi(self, packed: tuple[int, ...]) -> NDArray[np.float64]:
        """Return packed irradiance in W/m2, rounded as it is printed."""
        return np.round(np.array(packed, np.float64) * self._scale + self._offset, 1)

    def sums(self, packed: tuple[int, ...], days: Days) -> Sums:
        """Return sums and largest of packed irradiance."""
        by_day, peak = [sum(packed[begin:end]) for begin, end in days.spans], max(packed)
        if not self._in_tenths:
            scale, offset = self._scale * 10, self._offset * 10
            hours = (end - begin for begin, end in days.spans)
            by_day = [round(day * scale + n * offset) for day, n in zip(by_day, hours, strict=True)]
            peak = round(peak * scale + offset)
        return Sums(sum(by_day), peak, by_day)

    def print(self, packed: tuple[int, ...], first: int = 0, layout: Layout = "rows") -> bytes:
        """Return packed irradiance, which begins with a row, as JSON."""
        return self.template(first).render(itemgetter(*packed)(self._numbers), layout)

    def head(self, place: Place, cell: Cell, sums: Sums, days: Any, now: datetime) -> dict[str, Any]:
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
            "model": self.model,
            "data_mode": self.mode,
            "peak_ghi_wm2": sums.peak / 10,
            "daily_ghi_kwh_m2": round(sums.total / 10) / 1000,
            "time_convention": TIME_CONVENTION,
            "cycle_age_hours": round((now.timestamp() - self._issued) / 36) / 100,
            "data_origin": self.origin,
            "days": days,
        }

    def description(self) -> bytes:
        """Return the JSON body that describes the cycle."""
        rows, columns = FORECAST.shape
        fields = {
            "cycle_time": self.cycle_time,
            "model": self.model,
            "n_times": self._tile.n_times,
            "n_lat": rows,
            "n_lon": columns,
            "ghi_max": self._tile.header["variables"][self._variable]["max"],
            "timestamps": stamps(self.times, "ms"),
        }
        return orjson.dumps(fields)

    def _damaged(self, cell: Cell, why: str) -> ApiError:
        lat, lon = FORECAST.centre(cell)
        where = f"{cell} (near {lat:.1f}, {lon:.1f}) of {self.model} {self._version}"
        log.error("damaged cell %s: %s", where, why)
        return problems.DAMAGED_CELL()


@lru_cache(maxsize=16)
def headers_of(origin: str, cache_control: str = CACHE_CONTROL) -> Prepared:
    """Return the headers of a JSON answer of an origin."""
    return Prepared({"Content-Type": "application/json", "X-Data-Origin": origin, "Cache-Control": cache_control})


def _template(times: NDArray[np.int64], first: int) -> RowTemplate:
    starts = stamps(times[first:])
    return RowTemplate({"hour": range(len(starts)), "timestamp": starts}, "ghi_wm2")


def _days(times: NDArray[np.int64], first: int = 0, zone: str = "UTC") -> Days:
    return days_of(times[first:], zone)


@lru_cache(maxsize=2)
def _numbers(scale: float, offset: float) -> tuple[bytes, ...]:
    """Return the text of every packed value, rounded to 0.1."""
    return tuple(f"{packed * scale + offset:.1f}".encode() for packed in range(CORRUPT))
