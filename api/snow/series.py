"""The days of snow of one place, wherever they come from: a tile, or the authority itself."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from typing import Literal

import google_crc32c
import numpy as np
from numpy.typing import NDArray

from api.snow.current import QUANTITIES, Version, date_of
from catalog.sources.nve_gts import ATTRIBUTION, LICENCE, NAME, Point, SnowData
from catalog.sources.terms import terms
from tiles.grid import NORWAY3KM, SENORGE1KM, Cell, UtmGrid
from tiles.product import FILL

# The authority's forecast begins with the day that does.
_ISSUED = time(6)


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
        row, column = (tile.series(name, cell) for name in ("snow_row", "snow_column"))
        if row == FILL or column == FILL:
            return None
        packed = {name: tile.series(name, cell) for name in QUANTITIES}
        values = {name: _unpacked(of, *tile.scale(name)) for name, of in packed.items()}
        altitude = float(_unpacked(tile.series("altitude", cell), *tile.scale("altitude")))
    point = _middle(SENORGE1KM, int(row), int(column))
    return Series(
        days=version.days,
        values=values,
        altitude=altitude,
        point=point,
        offset_m=math.dist(centre_of(cell), point),
        observed_until=int(version.days[-1]) if version.observed_until is None else version.observed_until,
        issued=version.entry.issued_at,
        version=version.name,
        data_origin="live" if version.entry.data_origin == "live" else "simulated",
        on_demand=False,
        sources=tuple(version.sources),
    )


def from_source(data: SnowData, cell: Cell) -> Series:
    """Return what the authority answered for the one point that was asked for beside a cell."""
    [point] = data.points
    values = {name: np.ascontiguousarray(data.values[name][:, 0], np.float32) for name in QUANTITIES}
    first, last = date_of(data.days[0]), date_of(data.days[-1])
    checksum = google_crc32c.value(b"".join(of.tobytes() for of in values.values()))
    return Series(
        days=data.days,
        values=values,
        altitude=float(data.altitude[0]),
        point=point,
        offset_m=math.dist(centre_of(cell), point),
        observed_until=data.observed_until,
        issued=datetime.combine(date_of(data.observed_until + 1), _ISSUED, UTC),
        version=f"{NAME}/{point[0]},{point[1]}/{first}/{last}/{data.observed_until}/{checksum:08x}",
        data_origin=data.data_origin,
        on_demand=True,
        sources=({"name": NAME, **terms(NAME, LICENCE, ATTRIBUTION, simulated=data.data_origin == "simulated")},),
    )


def _unpacked(packed: NDArray[np.uint16], scale: float, offset: float) -> NDArray[np.float32]:
    """Return physical values, NaN where missing."""
    values: NDArray[np.float32] = np.where(packed == FILL, np.nan, packed * np.float64(scale) + offset).astype(
        np.float32
    )
    return values
