"""Snow on demand as tests ask for it: where, when, and of whom."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from catalog.snow_cells import SnowCells
from catalog.sources.http import Deadline
from catalog.sources.nve_gts import SnowData
from tests.support.nve_gts import Point, SnowAuthority

CENTRE, NEXT = (262_500, 6_649_500), (263_500, 6_649_500)
MORNING = datetime(2026, 11, 23, 8, tzinfo=UTC)
DAY = timedelta(days=1)
WHOLE_SEARCH, ONE_FETCH = 1, 5


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


def cells(authority: SnowAuthority, folder: Path, clock: At) -> SnowCells:
    return SnowCells(authority.url, "test", folder, clock)  # type: ignore[arg-type]


def outlook(kept: SnowCells, point: Point = CENTRE, seconds: float = 20) -> SnowData:
    return kept.outlook(point, Deadline(seconds))


def history(kept: SnowCells, point: Point = CENTRE, seconds: float = 20) -> SnowData:
    return kept.history(point, Deadline(seconds))
