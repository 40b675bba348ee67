"""Snow years of cells that were computed, kept while there is room: all themes of them come at once."""

import threading
from collections import OrderedDict
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # the server starts without numpy and pvlib: who asks for snow first loads them
    import numpy as np
    from numpy.typing import NDArray

MOST_BYTES = 256 << 20
_EPOCH = date(1970, 1, 1).toordinal()


class Kept(NamedTuple):
    """Days of n cells; arrays (n_days, n) from day `first` on."""

    first: int
    swe_mm: "NDArray[np.uint16]"
    depth_cm: "NDArray[np.uint16]"
    new_snow_mm: "NDArray[np.uint8]"
    tenths_of_degree: "NDArray[np.int16]"

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(field.nbytes for field in self[1:])


class SnowStore:
    """The days of cells, computed by one thread at a time.

    Parameters
    ----------
    most_bytes : int
        How much is kept.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[tuple[bytes, int, int, int | None], Kept] = OrderedDict()
        self._lock = threading.Lock()

    def days(self, cells: "NDArray[np.int64]", first: int, last: int, today: int) -> Kept:
        """Return the days of cells from 1 September before `first` to at least `last`.

        Parameters
        ----------
        cells : int64 (n,)
            See `cells`.
        first, last : int
            Since 1970; a day begins at 06 UTC.
        today : int
            From this day on it is a forecast, which changes with it.
        """
        begins = _snow_year(first)
        key = (cells.tobytes(), begins, last, today if last >= today else None)
        with self._lock:
            if (found := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return found
            made = _make(cells, range(begins, _snow_year(last) + 1), last, today)
            self._kept[key] = made
            self._bytes += made.size
            while self._bytes > self._most_bytes and len(self._kept) > 1:
                self._bytes -= self._kept.popitem(last=False)[1].size
            return made


def day_number(day: date) -> int:
    """Return days since 1970."""
    return day.toordinal() - _EPOCH


def _snow_year(day: int) -> int:
    """Return the year in whose September a day's snow year begins."""
    calendar = date.fromordinal(day + _EPOCH)
    return calendar.year if calendar.month >= 9 else calendar.year - 1


def _make(cells: "NDArray[np.int64]", years: range, last: int, today: int) -> Kept:
    import numpy as np

    from infra.simulator.snow.pack import first_day, snow

    made = snow(cells, years, last, today)
    return Kept(
        first_day(years[0]),
        np.round(made.swe).astype(np.uint16),
        np.round(made.snow_depth / 10).astype(np.uint16),
        np.minimum(np.round(made.new_snow), 254).astype(np.uint8),
        np.round(made.temp_air * 10).astype(np.int16),
    )
