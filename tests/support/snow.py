"""Made-up snow of a few cells: its history and a season, published through the real writer; and an authority to ask."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import cache

import numpy as np
from numpy.typing import NDArray

from catalog.versions import Entry
from tests.support.tiles import blocks_of, draft_of_blocks, publish_at
from tests.support.tmy import OSLO_CELL, TROMSO_CELL
from tiles.grid import SENORGE1KM, Cell
from tiles.products.registry import product
from tiles.store import Store
from tiles.writer import Draft

EPOCH = date(1970, 1, 1)
FIRST, LAST = date(1957, 9, 1), date(2025, 8, 31)
VERSION = "1957-2025"
SERIES = ("swe", "snow_depth", "new_snow", "new_snow_depth", "temp_air")
SOURCE = {"name": "nve_gts", "licence": "NLOD 2.0", "attribution": "NVE, seNorge (NVE, MET Norway, Kartverket)"}
CELLS = (OSLO_CELL, TROMSO_CELL)
ALTITUDES = {OSLO_CELL: 112.0, TROMSO_CELL: 36.0}
_COLDER = {TROMSO_CELL: 4.0}

Days = NDArray[np.int64]
Values = dict[str, NDArray[np.float64]]
Weather = Callable[[Days, Cell], Values]


def number(day: date) -> int:
    """A date as days since 1970."""
    return (day - EPOCH).days


def days_of(first: date, last: date) -> Days:
    """All days from one to another."""
    return np.arange(number(first), number(last) + 1)


def from_new_snow(new_snow_depth: NDArray[np.float64], temp_air: NDArray[np.float64]) -> Values:
    """The days of what falls and how warm it is: it lies as a tenth of its depth in water, and melts by degrees."""
    water, lying = new_snow_depth / 10, np.empty(temp_air.size)
    held = 0.0
    for i in range(temp_air.size):
        held = lying[i] = max(held + water[i] - 3 * max(temp_air[i] - 0.5, 0), 0.0)
    return {
        "swe": np.round(lying),
        "snow_depth": np.round(lying * 4),
        "new_snow": water,
        "new_snow_depth": new_snow_depth,
        "temp_air": temp_air,
    }


@cache
def _long_weather(cell: Cell) -> Values:
    days = days_of(FIRST, date(2028, 8, 31))
    season = 2 * np.pi * (days - number(date(1970, 1, 20))) / 365.2425
    temp_air = 6 - 11 * np.cos(season) + 5 * np.sin(days / 4.7) + 2 * np.sin(days / 211.0) - _COLDER.get(cell, 0.0)
    falls = (np.sin(days / 2.9) > 0.55) & (temp_air < 0.5)
    return from_new_snow(np.where(falls, 60 + 40 * np.sin(days / 13.0), 0.0).round(), temp_air.round(1))


def weather(days: Days, cell: Cell) -> Values:
    """Winters with snow and summers without, as cold as the place."""
    start = int(days[0]) - number(FIRST)
    return {name: values[start : start + days.size] for name, values in _long_weather(cell).items()}


def missing_since(day: date) -> Weather:
    """The usual weather, of which nothing is known in Oslo from a day on."""

    def of(days: Days, where: Cell) -> Values:
        values = weather(days, where)
        unknown = (days >= number(day)) & (where == OSLO_CELL)
        return {name: np.where(unknown, np.nan, known) for name, known in values.items()}

    return of


def snow_cell(cell: Cell) -> Cell:
    """The snow cell that answers for a cell: in Oslo the middle one, elsewhere the one east of that."""
    return 3 * cell[0] + 1, 3 * cell[1] + 1 + (cell != OSLO_CELL)


def point_of(cell: Cell) -> tuple[int, int]:
    """Its centre, m."""
    row, column = snow_cell(cell)
    return int(SENORGE1KM.x0) + 1000 * column + 500, int(SENORGE1KM.y0) + 1000 * row + 500


def provenance(name: str, days: Days, data_origin: str = "simulated") -> dict[str, object]:
    """What a version of these days says of itself."""
    return {
        "source": "nve_gts",
        "data_origin": data_origin,
        "sources": [SOURCE],
        "licence": SOURCE["licence"],
        "attribution": SOURCE["attribution"],
        "method": "made up",
        "generator": f"made-up {name}",
        "missing_variables": [],
        "days": [str(EPOCH + timedelta(int(day))) for day in (days[0], days[-1])],
    }


def _draft(
    store: Store, name: str, version: str, days: Days, of: Weather, cells: Iterable[Cell], about: Mapping[str, object]
) -> Draft:
    declared, values = product(name), {}
    for cell in cells:
        row, column = snow_cell(cell)
        place = {"altitude": ALTITUDES.get(cell, 250.0), "snow_row": float(row), "snow_column": float(column)}
        values[cell] = {**of(days, cell), **place}
    return draft_of_blocks(store, declared, version, {"time": days}, blocks_of(declared, values), about)


def publish_history(
    store: Store,
    version: str = VERSION,
    of: Weather = weather,
    cells: Iterable[Cell] = CELLS,
    *,
    first: date = FIRST,
    last: date = LAST,
) -> Entry:
    """Publish the days since 1957."""
    days = days_of(first, last)
    about = provenance("snow_history", days)
    draft = _draft(store, "snow_history", version, days, of, cells, about)
    return publish_at(draft, datetime(2025, 10, 15, tzinfo=UTC))


def season_of(issued: date) -> date:
    """The 1 September that a day's season began with."""
    return date(issued.year - (issued.month < 9), 9, 1)


def publish_outlook(
    store: Store,
    issued: date,
    of: Weather = weather,
    cells: Iterable[Cell] = CELLS,
    *,
    observed_until: date | None = None,
) -> Entry:
    """Publish the season as it is known on a morning: observed to the day before, forecast for nine days."""
    at = datetime.combine(issued, time(6), UTC)
    observed = observed_until or issued - timedelta(1)
    days = days_of(season_of(issued), observed + timedelta(9))
    about = {
        **provenance("snow_outlook", days),
        "observed_until": str(observed),
        "snow_year_start": str(season_of(issued)),
        "requests": 10,
    }
    return publish_at(_draft(store, "snow_outlook", str(issued), days, of, cells, about), at, at + timedelta(9))


def publish_snow(store: Store, issued: date, cells: Iterable[Cell] = CELLS) -> None:
    """Publish the history, and the season as it is known on a morning."""
    held = tuple(cells)
    publish_history(store, cells=held)
    publish_outlook(store, issued, cells=held)
