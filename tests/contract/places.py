"""Where in the country the questions are about."""

import itertools
from collections import defaultdict
from collections.abc import Iterator
from math import cos, radians
from random import Random
from typing import Any

from schemathesis.generation.meta import TestPhase

from api.forecast.place import LAT, LON
from dags.areas import Area
from infra.settings import Settings
from tests.api.fabricated import DAMAGED_CELL, MISSING_CELL
from tests.support import tmy
from tiles.grid import FORECAST

AREAS = Settings.from_environment({}).areas
NO_DATA = [(float(FORECAST.lats[i]), float(FORECAST.lons[j])) for i, j in (MISSING_CELL, DAMAGED_CELL)]
WHERE = ("area", "anywhere", "no data", "anywhere", "area", "anywhere", "as it is", "area", "anywhere")

# So many good questions to a path, and the next comes from somebody who has an answer already.
HAS_ONE_EVERY = 3
WHERE_FEW_ARE_BUILT = ("/api/tmy", "/api/pv", "/api/snow", "/api/horizon/terrain")
TMY = (tmy.OSLO, tmy.NOT_BUILT, tmy.OSLO, tmy.OPEN_SEA, tmy.TROMSO, tmy.QUAY)


class Places:
    """Gives most queries that are meant to be good a place: in a demo area, anywhere covered, or without data.

    Hypothesis itself prefers few and simple numbers, which would all be one corner of the country.
    """

    def __init__(self) -> None:
        self._random, self._where = Random(1), itertools.cycle(WHERE)
        # of each path its own: what another route is asked changes nothing
        self._tmy: defaultdict[str, Iterator[tuple[float, float]]] = defaultdict(lambda: itertools.cycle(TMY))
        self._asked: defaultdict[str, Iterator[int]] = defaultdict(lambda: itertools.count(1))

    def __call__(self, _: Any, case: Any) -> Any:
        names = {parameter.name for parameter in case.operation.query}
        if {"lat", "lon"} <= names and case.query is not None:
            about = case.meta.phase.data.parameter
            query = dict(case.query)
            if case.meta.phase.name == TestPhase.FUZZING and case.meta.generation.mode.is_positive:
                self._has_one(case)
                few = case.operation.path.startswith(WHERE_FEW_ARE_BUILT)
                query |= self._tmy_place(case.operation.path) if few else self._place()
            if {"site", "lat"} <= query.keys():  # both together are refused, which would hide everything else
                unwanted = ("lat", "lon") if about == "site" else ("site",)
                query = {name: value for name, value in query.items() if name not in unwanted}
            if about != "anlegg_id":  # no plant is registered: it would be 404 whatever else is asked
                query.pop("anlegg_id", None)
            case.query = query
        return case

    def _has_one(self, case: Any) -> None:
        """Let it ask for what has changed; of texts that nobody chose, none is ever an ETag."""
        conditional = any(header.name == "If-None-Match" for header in case.operation.headers)
        if conditional and not next(self._asked[case.operation.path]) % HAS_ONE_EVERY:
            case.headers["If-None-Match"] = "*"

    def _tmy_place(self, path: str) -> dict[str, float]:
        lat, lon = next(self._tmy[path])
        return {"lat": lat, "lon": lon}

    def _place(self) -> dict[str, float]:
        where = next(self._where)
        if where == "as it is":
            return {}
        if where == "no data":
            lat, lon = self._random.choice(NO_DATA)
        elif where == "anywhere":
            lat, lon = self._random.uniform(*LAT), self._random.uniform(*LON)
        else:
            area = self._random.choice(AREAS)
            high, wide = _half_sides(area)
            lat = area.lat + self._random.uniform(-1, 1) * high
            lon = area.lon + self._random.uniform(-1, 1) * wide
        return {"lat": lat, "lon": lon}


def _half_sides(area: Area) -> tuple[float, float]:
    half = area.side_km / 2 / 111.2
    return half, half / cos(radians(area.lat))
