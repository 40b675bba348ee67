"""An application over made-up winters and square municipalities, on a day in November."""

import csv
import io
import shutil
from collections.abc import Iterable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from api.snowload.annex import AnnexTable
from api.snowload.schemas import SnowloadQuery
from api.snowload.site import Inputs, parse_query
from catalog.snow_products import SnowCell
from catalog.sources.nve_gts import Point
from tests.api.conftest import Api, MovableClock, StartKept, usual_store
from tests.api.snow.conftest import authority, compiled, impatient, later  # noqa: F401 -- fixtures of this folder too
from tests.support.snowload import CENTRE, FIRST_YEAR, LAT, LON, publish_snowload, publish_squares
from tiles.store import open_store

PATH = "/api/snowload/calc"
NOVEMBER = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)


@pytest.fixture(scope="session")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with municipalities and winters, which no test changes."""
    folder = tmp_path_factory.mktemp("loaded")
    path = usual_store(folder / "tiles")
    store = open_store(str(path))
    publish_squares(store, folder / "borders")
    publish_snowload(store)
    return path


@pytest.fixture
def own(loaded: Path, tmp_path: Path) -> Path:
    """A copy of it that the test may change."""
    return Path(shutil.copytree(loaded, tmp_path / "loaded"))


@pytest.fixture(scope="module")
def kept(start_kept: StartKept, loaded: Path, tmp_path_factory: pytest.TempPathFactory) -> Api:
    """An application over it."""
    state = tmp_path_factory.mktemp("snowload-state")
    return start_kept(store_folder=loaded, state_folder=state, clock=MovableClock(NOVEMBER))


def listed(*points: tuple[int, int]) -> str:
    """Cells as the parameter has them."""
    return ",".join(f"{x}_{y}" for x, y in points)


def address(**query: object) -> str:
    """The address of a question, about the middle of what is built where no point is named."""
    point = {} if {"x", "y", "lat", "lon"} & set(query) else {"lat": LAT, "lon": LON}
    return f"{PATH}?{'&'.join(f'{name}={value}' for name, value in {**point, **query}.items())}"


async def calc(api: Api, **query: object) -> Any:
    """Ask for an answer that there is."""
    return await api.good(address(**query))


def warns(answer: Any, *words: str) -> bool:
    """Return whether one of the warnings has all of some words."""
    return any(all(word in warning for word in words) for warning in answer["warnings"])


def points_of(cells: Iterable[Any]) -> list[tuple[int, int]]:
    """Return where cells of an answer lie."""
    return [(cell["x"], cell["y"]) for cell in cells]


def read_csv(text: str) -> tuple[list[str], list[dict[str, str]]]:
    """Return the comments and the rows of a file."""
    lines = text.splitlines(keepends=True)
    comments = [line[2:].strip() for line in lines if line.startswith("# ")]
    return comments, list(csv.DictReader(io.StringIO("".join(lines[len(comments) :]))))


def maxima(swe: Any, altitude: float = 100.0, data_origin: Any = "live", point: Point = CENTRE) -> SnowCell:
    """The winters of a cell since 1957."""
    sources = ({"name": data_origin, "licence": "NLOD", "attribution": "made up"},)
    values = {"swe_max": np.asarray(swe, np.float64), "altitude": np.array(altitude)}
    return SnowCell(point, FIRST_YEAR, values, 0, data_origin, "v", sources, on_demand=False)


def inputs_of(data: dict[Point, SnowCell], **query: Any) -> Inputs:
    """What a query about the usual place is answered from, in November 2026."""
    site = parse_query(SnowloadQuery(x=CENTRE[0], y=CENTRE[1], **query), date(2026, 8, 31))
    return Inputs(site, data, None, AnnexTable())
