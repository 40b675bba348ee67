"""A snow authority that plays the functions of `catalog.sources.nve_gts`, and notes what it was asked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.sources import nve_gts
from catalog.sources.errors import SourceError
from catalog.sources.nve_gts import NoCell, Point, SnowData, day_of
from catalog.versions import read_index
from tiles.manifest import Manifest
from tiles.store import Store

Days = NDArray[np.int64]
URL = "http://authority"


def day(text: str) -> int:
    """Return days since 1970-01-01."""
    return int(np.datetime64(text, "D").astype(int))


def said_of(store: Store, product: str, version: str) -> dict[str, Any]:
    """Return the provenance of a published version."""
    entry = read_index(store, product).get(version)
    assert entry is not None
    return Manifest.read(store, entry.manifest).provenance


def no_snow(days: Days, point: Point) -> dict[str, NDArray[np.float64]]:
    """Bare ground at 4 degrees."""
    bare = np.zeros(days.size)
    return {"swe": bare, "snow_depth": bare, "new_snow": bare, "new_snow_depth": bare, "temp_air": bare + 4.0}


def snowy(days: Days, point: Point) -> dict[str, NDArray[np.float64]]:
    """Ten centimetres of new snow a day, in the frost."""
    fell = np.full(days.size, 10.0)
    lies = np.cumsum(fell)
    return {"swe": lies, "snow_depth": 5 * lies, "new_snow": fell, "new_snow_depth": 10 * fell, "temp_air": fell - 20}


def nothing(days: Days, point: Point) -> dict[str, NDArray[np.float64]]:
    """An authority that knows a cell, and no day of it."""
    return dict.fromkeys(no_snow(days, point), np.full(days.size, np.nan))


@dataclass
class Asked:
    """One call of `at_points`."""

    points: tuple[Point, ...]
    first: date
    last: date
    quantities: tuple[str, ...] = nve_gts.QUANTITIES


@dataclass
class FakeAuthority:
    """In place of the module; `there` says which cells it has, `values` what lies there."""

    values: Callable[[Days, Point], dict[str, Any]] = snowy
    there: Callable[[Point], bool] = lambda _: True
    data_origin: Any = "simulated"
    down: bool = False
    calls: list[Asked] = field(default_factory=list)
    searched: list[tuple[Point, ...]] = field(default_factory=list)

    NAME = nve_gts.NAME

    def Authority(self, *_: Any) -> "FakeAuthority":  # noqa: N802 - the module's class
        """As the module's."""
        return self

    def _answer(self) -> None:
        if self.down:
            raise SourceError("nve_gts: the authority does not answer")

    def with_data(self, points: Sequence[Point], day: date) -> tuple[Point, ...]:
        """As the module's."""
        self._answer()
        assert isinstance(day, date)
        self.searched.append(tuple(points))
        return tuple(point for point in points if self.there(point))

    def at_points(
        self,
        points: Sequence[Point],
        first: date,
        last: date,
        *,
        today: date,
        quantities: Sequence[str] = nve_gts.QUANTITIES,
    ) -> SnowData:
        """As the module's."""
        self._answer()
        self.calls.append(Asked(tuple(points), first, last, tuple(quantities)))
        days = np.arange(day_of(first), day_of(last) + 1)
        each = {point: self.values(days, point) for point in points if self.there(point)}
        each = {p: v for p, v in each.items() if not all(np.isnan(v[n]).all() for n in quantities)}
        if not each:
            raise NoCell("nve_gts: no cell of these")
        return SnowData(
            days=days,
            points=tuple(each),
            altitude=np.full(len(each), 120.0),
            values={n: np.stack([v[n] for v in each.values()], 1).astype(np.float32) for n in quantities},
            observed_until=min(day_of(today) - 1, int(days[-1])),
            data_origin=self.data_origin,
        )

    def asked_days(self) -> set[tuple[date, date]]:
        """Which days were asked for."""
        return {(call.first, call.last) for call in self.calls}

    def forget(self) -> None:
        """Begin to note anew."""
        self.calls.clear()
        self.searched.clear()
