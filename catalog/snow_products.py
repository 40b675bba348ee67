"""Products whose cells can be fetched from the snow authority one by one, and what such a cell holds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.sources.data_origin import DataOrigin
from catalog.sources.nve_gts import Point, SnowData, day_of
from tiles.grid import SENORGE1KM
from tiles.product import Product
from tiles.products import snow_history, snow_outlook

KEPT_FOR = timedelta(days=30)
_AHEAD = timedelta(days=8)


@dataclass(frozen=True, eq=False)
class SnowCell:
    """A cell of a product, as a published version would hold it.

    Parameters
    ----------
    point : (easting, northing)
        Centre of the 1 km cell, m, UTM 33.
    first : int
        First value of the product's own axis.
    values : mapping of str to float64 (n,) or ()
        The product's variables; NaN is missing.
    observed_until : int
        The last day that is observed, days since 1970-01-01.
    data_origin : {"live", "simulated"}
    version : str
        Differs wherever anything else does.
    sources : tuple of mapping
        `name`, `licence` and `attribution` of each.
    on_demand : bool
        Whether the authority was asked for this cell alone; else it was read from a published version.
    """

    point: Point
    first: int
    values: Mapping[str, NDArray[np.float64]]
    observed_until: int
    data_origin: DataOrigin
    version: str
    sources: tuple[Mapping[str, str], ...]
    on_demand: bool = True

    @property
    def altitude(self) -> float:
        """Height of the cell, m; NaN where it is not known."""
        return float(self.values["altitude"])


@dataclass(frozen=True, eq=False)
class CellProduct:
    """How cells of a product are fetched, and for how long they are kept.

    Parameters
    ----------
    product : Product
    quantities : tuple of str
        What the authority is asked for.
    period : callable
        Returns the first and last day of an answer, from the date of the newest forecast.
    values : callable
        Returns the first value of the product's own axis, and of each variable (n, n_cells) or (n_cells,).
    nearest : bool
        Whether points are centres of 3 km cells, each with the data of the nearest 1 km cell that has some within
        5 km; else they are those of 1 km cells.
    max_bytes : int
        Of all files together.
    complete : callable
        Whether a cell is as it should be, by the date of the newest forecast; else it is fetched again after `retry`.
    retry, kept_for : timedelta
        From when it was fetched; until `kept_for` a cell answers where no newer one can be fetched.
    """

    product: Product
    quantities: tuple[str, ...]
    period: Callable[[date], tuple[date, date]]
    values: Callable[[SnowData], tuple[int, Mapping[str, NDArray[Any]]]]
    nearest: bool
    max_bytes: int
    complete: Callable[[SnowCell, date], bool] = lambda _, __: True
    retry: timedelta = timedelta(days=1)
    kept_for: timedelta = KEPT_FOR


def whole_years(today: date) -> tuple[date, date]:
    """Return 1 September 1957 and the last 31 August that is observed."""
    return date(snow_history.FIRST_YEAR, 9, 1), _season_start(today) - timedelta(days=1)


def _season(today: date) -> tuple[date, date]:
    return _season_start(today), today + _AHEAD


def _season_start(day: date) -> date:
    began = date(day.year, 9, 1)
    return began if began <= day else date(day.year - 1, 9, 1)


def _daily(data: SnowData) -> tuple[int, Mapping[str, NDArray[Any]]]:
    x, y = np.array(data.points).T
    places = {
        "altitude": data.altitude,
        "snow_row": (y - SENORGE1KM.y0) // SENORGE1KM.size,
        "snow_column": (x - SENORGE1KM.x0) // SENORGE1KM.size,
    }
    return int(data.days[0]), {**{name: data.values[name] for name in snow_history.SERIES}, **places}


def _is_observed(cell: SnowCell, today: date) -> bool:
    return cell.observed_until >= day_of(today) - 1


HISTORY = CellProduct(
    snow_history.PRODUCT, snow_history.SERIES, whole_years, _daily, nearest=True, max_bytes=500_000_000
)
OUTLOOK = CellProduct(
    snow_outlook.PRODUCT,
    snow_history.SERIES,
    _season,
    _daily,
    nearest=True,
    max_bytes=100_000_000,
    complete=_is_observed,  # else it was made before the authority's own morning was
    retry=timedelta(hours=1),
    kept_for=timedelta(days=9),
)
