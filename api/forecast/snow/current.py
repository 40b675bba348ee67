"""What answers for snow now: the factors that are fresh, and the borders by which a position has its municipality."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.data.published import Published
from api.forecast.snow.factors import VARIABLE, Factors, Near, open_factors
from api.forecast.snow.responses import AbsentReason
from tiles.grid import NORWAY3KM, OutsideGrid
from tiles.product import FILL

_NUMBER = "number"
REACH_KM = 6.0
"""So far from a position a cell may lie that answers for it, where its own lies in no municipality."""
# A plant is asked for again every hour, and looking around in a fjord costs 2 ms.
_REMEMBERED = 4096


NumberAt = Callable[[float, float], int | None]


def borders_of(number: NDArray[np.uint16]) -> NumberAt:
    """Return what gives the kommunenummer of the cell that holds a position, or of the nearest that has one.

    Positions are degrees north and east; it gives None where no such cell lies within 6 km.

    Parameters
    ----------
    number : uint16 (n_rows, n_cols)
        Of each cell of NORWAY3KM; `FILL` where there is none.
    """
    known = number != FILL

    @lru_cache(_REMEMBERED)
    def number_at(lat: float, lon: float) -> int | None:
        with suppress(OutsideGrid):
            cell = NORWAY3KM.cell_at(lat, lon)
            if known[cell]:
                return int(number[cell])
        found = NORWAY3KM.nearest(lat, lon, known, REACH_KM)
        return None if found is None else int(number[found[0]])

    return number_at


class Current(NamedTuple):
    """What is published, of each product one version.

    Parameters
    ----------
    factors : Factors
    number_at : callable or None
        From `borders_of`; None where no borders are published, or they cannot be opened.
    name : str
        What tells it from all other pairs of versions.
    """

    factors: Factors
    number_at: NumberAt | None
    name: str

    def near(self, lat: float, lon: float) -> Near:
        """Return the municipality that answers for a position: the one it lies in, or else the nearest.

        Parameters
        ----------
        lat, lon : float
            Degrees north and east.
        """
        return self.factors.near(lat, lon, None if self.number_at is None else self.number_at(lat, lon))


class Absent(NamedTuple):
    """Why there are no factors now.

    Parameters
    ----------
    reason : str
    issued_at : datetime or None
        Of the newest, which is too old.
    """

    reason: AbsentReason
    issued_at: datetime | None = None


class SnowFactors:
    """Follows what is published."""

    def __init__(self, published: Published) -> None:
        self._factors = published.follow("snow_factors", VARIABLE, open_factors)
        self._borders = published.follow("municipality", _NUMBER, lambda _, tile: borders_of(tile.table(_NUMBER)))

    def current(self, now: datetime) -> Current | Absent:
        """Return what is fresh at a moment, or why there are no factors."""
        serving, borders = self._factors.current(VARIABLE, now), self._borders.current(_NUMBER, now)
        if serving is not None:
            name = f"{serving.entry.path}+{borders and borders.entry.path}"
            return Current(serving.prepared, None if borders is None else borders.prepared, name)
        newest, limit = self._factors.index.newest(now, VARIABLE), self._factors.product.expires_after
        if newest is not None and limit is not None and now - newest.issued_at > limit:
            return Absent("snow_data_stale", newest.issued_at)
        return Absent("snow_blob_unavailable")
