"""Water of cells on demand as tests ask for it: which cells, and of whom."""

from datetime import date
from pathlib import Path

from catalog.snow_water import Fetched, SnowWater
from catalog.sources.http import Deadline
from tests.support.nve_gts import Point, SnowAuthority
from tests.support.snow_cells import At

WEST, SOUTH = 300_500, 6_800_500


def grid(columns: int = 3, rows: int = 3, *, east: int = 0) -> list[Point]:
    """Cells beside each other, none of them in Oslo."""
    return [(WEST + 1000 * (east + i), SOUTH + 1000 * j) for j in range(rows) for i in range(columns)]


def height(theme: str, point: Point, stamp: date) -> float:
    """A water equivalent that no other cell has on that day, mm."""
    return float((point[0] // 1000 * 7 + point[1] // 1000 * 31 + stamp.toordinal()) % 997)


def expected(point: Point, first: date, last: date) -> list[float]:
    """The heights of days, of which each is answered with the stamp of its end."""
    stamps = [date.fromordinal(n) for n in range(first.toordinal() + 1, last.toordinal() + 2)]
    return [height("swe", point, stamp) for stamp in stamps]


def water(authority: SnowAuthority, folder: Path, clock: At) -> SnowWater:
    return SnowWater(authority.url, "test", folder, clock)  # type: ignore[arg-type]


def fetch(kept: SnowWater, points: list[Point], seconds: float = 20) -> Fetched:
    return kept.fetch(points, Deadline(seconds))


def posted(authority: SnowAuthority) -> list[tuple[Point, ...]]:
    """The cells of each question."""
    assert all(q.method == "POST" and q.theme == "swe" for q in authority.questions)
    return [q.points for q in authority.questions]
