"""The snow authority as a build asks it: one connection for all of it, and every request is counted."""

from collections.abc import Sequence
from datetime import date
from hashlib import sha256
from typing import Any, Self

import httpx
import numpy as np

from catalog.sources import nve_gts
from catalog.sources.errors import SourceError
from catalog.sources.http import Deadline, make_client
from catalog.sources.nve_gts import NoCell, Point, SnowData
from catalog.sources.registry import SOURCES
from dags.build.provenance import user_agent
from tiles.products.snow_history import PRODUCT as HISTORY

DEADLINE_S = 3000.0
"""For one call, which may be many requests; a task has an hour."""
LEAST_SHARE = 0.5
"""Of the cells that the authority had data of, so many must have some again."""


class Authority:
    """The authority's cells, and how often they were asked for.

    Parameters
    ----------
    url : str
    today : date
        By the clock, UTC: what is not observed before it is forecast.
    """

    def __init__(self, url: str, today: date) -> None:
        self._url, self._today, self.mark, self.requests = url, today, mark_of(url), 0
        self._client = make_client(user_agent())
        self._client.event_hooks = {"request": [self._count]}

    def _count(self, _: httpx.Request) -> None:
        self.requests += 1

    def __enter__(self) -> Self:
        """Return itself; the connection ends with the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        self._client.close()

    def _ask(self) -> nve_gts.Authority:
        return nve_gts.Authority(self._url, self._client, Deadline(DEADLINE_S))

    def with_data(self, points: Sequence[Point], day: date) -> tuple[Point, ...]:
        """Return those of some points that the authority has data of; see `nve_gts.Authority`."""
        return self._ask().with_data(points, day)

    def series(
        self, points: Sequence[Point], first: date, last: date, quantities: Sequence[str] = nve_gts.QUANTITIES
    ) -> SnowData | None:
        """Return the days of some points, or None where none of them has any; see `nve_gts.Authority`.

        Raises
        ------
        SourceError
            The authority cannot be asked, or says what cannot be.
        """
        try:
            data = self._ask().at_points(points, first, last, today=self._today, quantities=quantities)
        except NoCell:
            return None
        _require_possible(data)
        return data


def _require_possible(data: SnowData) -> None:
    for name, values in data.values.items():
        declared = HISTORY.variable(name)
        wrong = np.argwhere((values < declared.valid_min) | (values > declared.valid_max))  # NaN compares false
        if wrong.size:
            day, cell = wrong[0]
            raise SourceError(
                f"nve_gts: {name} is {values[day, cell]:.5g} {declared.units} on {data.days[day].astype('M8[D]')} at "
                f"{data.points[cell]}, outside {declared.valid_min:g} to {declared.valid_max:g}: nothing is published"
            )


def mark_of(url: str) -> str:
    """Return what tells one authority from another (the simulator from the real one) without saying its address."""
    return sha256(url.rstrip("/").encode()).hexdigest()[:16]


def source_of(data_origin: str) -> dict[str, Any]:
    """Return how provenance names the authority, with its terms."""
    return dict(SOURCES[nve_gts.NAME].named(data_origin))
