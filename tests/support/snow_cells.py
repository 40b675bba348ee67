"""Snow on demand as tests ask for it: where, when, and of whom."""

import time
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np

from api.snowload.maxima import SNOWLOAD
from catalog.snow_cells import Fetched, SnowCells
from catalog.snow_products import HISTORY, OUTLOOK, CellProduct, SnowCell, whole_years
from catalog.sources.http import Deadline
from tests.support.nve_gts import Point, SnowAuthority

CENTRE, NEXT = (262_500, 6_649_500), (263_500, 6_649_500)
MORNING = datetime(2026, 11, 23, 8, tzinfo=UTC)
DAY = timedelta(days=1)
FETCH = 5
"""Questions for the five quantities of a cell; one more finds out which cell is nearest."""
WEST, SOUTH = 300_500, 6_800_500
FIRST = date(2024, 9, 1)
WINTERS = replace(SNOWLOAD, period=lambda today: (FIRST, whole_years(today)[1]))
"""Season maxima of 1 km cells, of two winters so that a question is answered at once."""


@dataclass
class At:
    """A clock that stands where the test puts it."""

    moment: datetime = MORNING

    def now(self) -> datetime:
        return self.moment


@dataclass
class Later:
    """The time by which the authority is spared, which passes as the test says."""

    passed: float = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.passed


def grid(columns: int = 3, rows: int = 3, *, east: int = 0) -> list[Point]:
    """Cells beside each other, none of them in Oslo."""
    return [(WEST + 1000 * (east + i), SOUTH + 1000 * j) for j in range(rows) for i in range(columns)]


def height(theme: str, point: Point, stamp: date) -> float:
    """A value that no other cell has on that day, in the answer's unit."""
    told = (point[0] // 1000 * 7 + point[1] // 1000 * 31 + stamp.toordinal()) % 997
    return told / 50 if theme == "tm" else float(told % 200 if theme == "fsw" else told)


def maxima(point: Point, last: date = date(2026, 8, 31), first: date = FIRST) -> list[float]:
    """The largest swe of each season, whose days are answered with the stamps of their ends."""
    years = range(first.year, last.year)
    stamps = [range(date(y, 9, 2).toordinal(), date(y + 1, 9, 2).toordinal()) for y in years]
    return [max(height("swe", point, date.fromordinal(n)) for n in season) for season in stamps]


def cells(authority: SnowAuthority, folder: Path, clock: At) -> SnowCells:
    products = (HISTORY, OUTLOOK, WINTERS, SNOWLOAD)
    return SnowCells(authority.url, "test", folder, clock, products)  # type: ignore[arg-type]


def fetch(kept: SnowCells, of: CellProduct, points: list[Point], seconds: float = 20) -> Fetched:
    return kept.fetch(of, points, Deadline(seconds))


def one(kept: SnowCells, of: CellProduct, point: Point = CENTRE, seconds: float = 20) -> SnowCell:
    """A cell that is found; what fails is raised."""
    fetched = fetch(kept, of, [point], seconds)
    if fetched.failed is not None and point not in fetched.found:
        raise fetched.failed
    cell = fetched.found[point]
    assert cell is not None
    return cell


def days(cell: SnowCell) -> list[int]:
    """The days of a daily product, since 1970-01-01."""
    return list(range(cell.first, cell.first + cell.values["swe"].size))


def known(cell: SnowCell | None) -> list[float]:
    """The season maxima of a cell, NaN as -1."""
    assert cell is not None
    return np.nan_to_num(cell.values["swe_max"], nan=-1.0).tolist()
