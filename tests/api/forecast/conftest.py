"""An application whose tile holds the weather that production takes."""

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from sqlalchemy.ext.asyncio import AsyncEngine

from api.access import keys
from api.access.secret import load_secret
from api.database.engine import address, make_async_engine
from catalog.versions import Entry
from tests.api.conftest import HALF_PAST_TWO, Api, Asked, Start
from tests.api.fabricated import CYCLE, WEATHER, Cells, entry, hydrate, series, usual_cells, write_index
from tiles.grid import FORECAST

SOUTH = {"name": "sør", "kwp": 6.4, "tilt_deg": 30, "azimuth_deg": 180}
WEST = {"name": "vest", "kwp": 3.2, "tilt_deg": 30, "azimuth_deg": 270}
PLANT: dict[str, Any] = {"latitude": 59.91, "longitude": 10.75, "arrays": [SOUTH, WEST]}
BERGEN = (60.39, 5.32)
TRONDHEIM = (63.43, 10.4)

Post = Callable[..., Awaitable[Asked]]
Serve = Callable[..., Awaitable[Api]]


@pytest.fixture(scope="session")
def sunny_state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder with the weather of three towns; one cell is missing, one damaged."""
    folder = tmp_path_factory.mktemp("sunny")
    more = {FORECAST.cell_at(*BERGEN): series(3000), FORECAST.cell_at(*TRONDHEIM): series(7000)}
    hydrate(folder, entry(CYCLE, variables=WEATHER), {**usual_cells(), **more})
    return folder


@pytest.fixture
def sunny_store(tmp_path: Path) -> Path:
    """A store in which it is published."""
    folder = tmp_path / "sunny"
    write_index(folder, entry(CYCLE, variables=WEATHER))
    return folder


@pytest_asyncio.fixture
async def sunny(start: Start, sunny_state: Path, sunny_store: Path) -> Api:
    """An application at half past two."""
    return await start(state_folder=sunny_state, store_folder=sunny_store)


@pytest.fixture
def post(sunny: Api) -> Post:
    """Post a plant, the usual one but for what is given."""

    async def posting(path: str = "/api/forecast", body: Any = PLANT, **more: Any) -> Asked:
        return await sunny.ask(path, "POST", json={**body, **more})

    return posting


@pytest.fixture
def serve(start: Start, tmp_path: Path) -> Serve:
    """Start an application that has nothing but some versions of the forecast."""

    async def serving(*made: Entry, cells: Cells | None = None, **settings: Any) -> Api:
        for one in made:
            hydrate(tmp_path / "state", one, cells)
        write_index(tmp_path / "own", *made)
        return await start(state_folder=tmp_path / "state", store_folder=tmp_path / "own", **settings)

    return serving


class Counted:
    """An API that counts, and keys for it."""

    def __init__(self, api: Api, engine: AsyncEngine, state: Path) -> None:
        self._api, self._engine, self._secret = api, engine, load_secret(None, state)

    async def key(self, plan: str) -> str:
        """Issue a key."""
        return await keys.issue(self._engine, self._secret, f"{plan}@b.no", plan, HALF_PAST_TWO)

    async def ask(self, key: str | None, path: str, body: Any = None) -> Asked:
        """Ask with a key, by GET or with a body."""
        headers = {"X-API-Key": key} if key else {}
        return await self._api.ask(path, "GET" if body is None else "POST", json=body, headers=headers)


CountedStart = Callable[..., Awaitable[Counted]]


@pytest_asyncio.fixture
async def start_counted(start: Start, migrated_sqlite: Path, tmp_path: Path) -> AsyncIterator[CountedStart]:
    """Start an application that counts, on a database of its own."""
    database = f"sqlite:///{shutil.copy(migrated_sqlite, tmp_path / 'counted.sqlite')}"
    engines = []

    async def starting(state_folder: Path, **settings: Any) -> Counted:
        api = await start(access="keys", database=database, state_folder=state_folder, **settings)
        engines.append(make_async_engine(address(database, state_folder)))
        return Counted(api, engines[-1], state_folder)

    yield starting
    for engine in engines:
        await engine.dispose()


def left(asked: Asked) -> tuple[int, int]:
    """Return how many requests and plants are left."""
    return int(asked.headers["X-Quota-Remaining"]), int(asked.headers["X-Quota-Plants-Remaining"])
