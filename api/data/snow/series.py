"""The days of snow of one place, from a tile or from the snow authority."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from api.data.versions import Version, credits_of, require_provenance
from catalog.snow_products import OUTLOOK, SnowCell
from catalog.sources.nve_gts import day_of
from catalog.versions import Entry
from kernels.snow.days import SnowWeather
from tiles.chunked import ChunkedTile
from tiles.grid import NORWAY3KM, SENORGE1KM, Cell

OPENED_BY = "snow_depth"
_EPOCH = date(1970, 1, 1)


def date_of(number: int) -> date:
    """Return the date of a day since 1970-01-01."""
    return _EPOCH + timedelta(int(number))


@dataclass(frozen=True)
class CellVersion(Version):
    """A published version of snow.

    Parameters
    ----------
    first : int
        First value of the product's own axis.
    observed_until : int
        Last day that is no forecast, days since 1970-01-01.
    """

    first: int
    observed_until: int

    def cell(self, cell: Cell, known_by: str, variables: Sequence[str]) -> SnowCell | None:
        """Read variables of a cell; None where the one that says so is missing: it is not built.

        Raises
        ------
        ApiError
            `DAMAGED`.
        """
        with self.reading() as tile:
            values = {known_by: tile.values(known_by, cell)}
            if np.isnan(values[known_by]):
                return None
            values |= {name: tile.values(name, cell) for name in variables}
        # a cell of 3 km names the one of 1 km whose snow it has
        row, column = values.get("snow_row", cell[0]), values.get("snow_column", cell[1])
        return SnowCell(
            SENORGE1KM.middle((int(row), int(column))),
            self.first,
            values,
            self.observed_until,
            self.data_origin,
            self.name,
            tuple(self.sources),
            on_demand=False,
        )


def open_snow(entry: Entry, tile: ChunkedTile) -> CellVersion:
    """Open a version of the history or the outlook.

    Raises
    ------
    ValueError
        Its provenance does not describe it.
    """
    until = ("observed_until",) if entry.product == OUTLOOK.product.name else ()
    require_provenance(entry, tile, "sources", "method", "generator", "days", *until)
    provenance = tile.manifest.provenance
    first, last, *observed = (
        day_of(date.fromisoformat(day)) for day in (*provenance["days"], *(provenance[name] for name in until))
    )
    n_days, held = last - first + 1, tile.shape(OPENED_BY)[0]
    if n_days != held:
        raise ValueError(f"{entry.path} says that it holds {n_days} days, and holds {held}: build it anew")
    return CellVersion(entry, tile, first, *(observed or [last]))


@dataclass(frozen=True, eq=False, kw_only=True)
class Series(SnowCell):
    """Consecutive days of one snow cell; its values are float32.

    Parameters
    ----------
    days : int64 (n,)
        Days since 1970-01-01; a day runs from 06 to 06 UTC.
    weather : SnowWeather
        Of these days.
    offset_m : float
        From the centre of the cell of 3 km to the snow cell.
    issued : datetime
        When the forecast was made, or would have been.
    behind : bool
        Whether there are newer years, which cannot be fetched now.
    """

    days: NDArray[np.int64]
    weather: SnowWeather
    offset_m: float
    issued: datetime
    behind: bool = False

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return self.days.nbytes + sum(values.nbytes for values in self.weather)

    def left_behind(self) -> "Series":
        """Return the same where newer years are missing; as answers say so, it is another version."""
        return replace(self, behind=True, version=f"{self.version}/behind")


def series_of(held: SnowCell, cell: Cell, issued: datetime) -> Series:
    """Return the days of the snow cell that a cell of NORWAY3KM has."""
    weather = SnowWeather(*(held.values[name].astype(np.float32) for name in SnowWeather._fields))
    return Series(
        **{**vars(held), "values": {"altitude": held.values["altitude"]}},
        days=held.first + np.arange(weather.snow_depth.size, dtype=np.int64),
        weather=weather,
        offset_m=math.dist(NORWAY3KM.middle(cell), held.point),
        issued=issued,
    )


_DAY = "A date names the day that runs from 06 UTC of that date to 06 UTC of the next; depth is that at its end"
FEW_YEARS = 10


def method_of(series: Series) -> str:
    """Return where days of snow come from, in words."""
    where = f"the snow authority's 1 km cell at {series.point[0]} E, {series.point[1]} N (UTM 33)"
    days = f"{date_of(series.days[0])} to {date_of(series.days[-1])}"
    how = "fetched for this cell on demand" if series.on_demand else f"published as {series.version.split('/')[0]}"
    quantities = "daily new snow, snow depth and temperature"
    return f"{quantities} of {where}, {days}, {how}, {series.data_origin}: {credits_of(series.sources)}. {_DAY}"


def warnings_of(series: Series) -> list[str]:
    """Return what readers must know of where the snow comes from."""
    warnings = []
    if series.on_demand:
        warnings.append("The snow of this cell is not published: it was fetched from the snow authority on demand.")
    if series.behind:
        warnings.append(f"The snow series ends on {date_of(series.days[-1])}: newer years cannot be fetched now.")
    return warnings
