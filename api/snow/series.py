"""The days of snow of one place, wherever they come from: a tile, or the authority itself."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from api.snow.current import OPENED_BY, QUANTITIES, Version, date_of
from catalog.snow_products import SnowCell
from catalog.sources.nve_gts import Point
from tiles.grid import NORWAY3KM, SENORGE1KM, Cell, UtmGrid

# The authority's forecast begins with the day that does.
_ISSUED = time(6)
_PLACES = ("altitude", "snow_row", "snow_column")


@dataclass(frozen=True, eq=False)
class Series:
    """Consecutive days of one snow cell.

    Parameters
    ----------
    days : int64 (n,)
        Days since 1970-01-01; a day runs from 06 to 06 UTC.
    values : mapping of str to float32 (n,)
        What `QUANTITIES` names; NaN where missing.
    altitude : float
        Of the snow cell, m; NaN where it is not known.
    point : (int, int)
        Centre of the snow cell: easting and northing in UTM 33, m.
    offset_m : float
        From the centre of the cell of 3 km to it.
    observed_until : int
        Last day that is no forecast.
    issued : datetime
        When the forecast was made, or would have been.
    version : str
        Names what was read: for ETags and keys of caches.
    data_origin : `live` or `simulated`
    on_demand : bool
        Whether the authority was asked for this cell alone.
    sources : tuple of mapping
        `name`, `licence` and `attribution` of each.
    behind : bool
        Whether there are newer years, which cannot be fetched now.
    """

    days: NDArray[np.int64]
    values: Mapping[str, NDArray[np.float32]]
    altitude: float
    point: Point
    offset_m: float
    observed_until: int
    issued: datetime
    version: str
    data_origin: Literal["live", "simulated"]
    on_demand: bool
    sources: tuple[Mapping[str, str], ...]
    behind: bool = False

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return self.days.nbytes + sum(values.nbytes for values in self.values.values())

    def left_behind(self) -> "Series":
        """Return the same where newer years are missing; as answers say so, it is another version."""
        return replace(self, behind=True, version=f"{self.version}/behind")

    def since(self, day: int) -> "Series":
        """Return the same from a day on; nothing is copied."""
        start = int(np.searchsorted(self.days, day))
        values = {name: of[start:] for name, of in self.values.items()}
        return replace(self, days=self.days[start:], values=values)


def centre_of(cell: Cell) -> Point:
    """Return the centre of a cell of NORWAY3KM, which is that of its middle snow cell: UTM 33, m."""
    row, column = cell
    return _middle(NORWAY3KM, row, column)


def _middle(grid: UtmGrid, row: int, column: int) -> Point:
    half = grid.size / 2
    return round(grid.x0 + grid.size * column + half), round(grid.y0 + grid.size * row + half)


def from_tile(version: Version, cell: Cell) -> Series | None:
    """Read the days of a cell; None where it is not built.

    Raises
    ------
    Unavailable
        They cannot be read.
    """
    with version.reading() as tile:
        places = {name: tile.values(name, cell) for name in _PLACES}
        if np.isnan([places["snow_row"], places["snow_column"]]).any():
            return None
        values = places | {name: tile.values(name, cell) for name in QUANTITIES}
    return _series(
        values,
        cell,
        days=version.days,
        observed_until=int(version.days[-1]) if version.observed_until is None else version.observed_until,
        issued=version.entry.issued_at,
        version=version.name,
        data_origin="live" if version.entry.data_origin == "live" else "simulated",
        on_demand=False,
        sources=tuple(version.sources),
    )


def from_cell(held: SnowCell, cell: Cell) -> Series:
    """Return the days of the snow cell that was fetched for a cell."""
    return _series(
        held.values,
        cell,
        days=held.first + np.arange(held.values[OPENED_BY].size, dtype=np.int64),
        observed_until=held.observed_until,
        issued=datetime.combine(date_of(held.observed_until + 1), _ISSUED, UTC),
        version=held.version,
        data_origin=held.data_origin,
        on_demand=True,
        sources=held.sources,
    )


def _series(values: Mapping[str, NDArray[np.float64]], cell: Cell, **of: Any) -> Series:
    """Return the days of a cell from the values of a tile's variables."""
    point = _middle(SENORGE1KM, int(values["snow_row"]), int(values["snow_column"]))
    return Series(
        values={name: values[name].astype(np.float32) for name in QUANTITIES},
        altitude=float(values["altitude"]),
        point=point,
        offset_m=math.dist(centre_of(cell), point),
        **of,
    )
