"""An application whose tile holds the weather that production takes."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.api.conftest import Api, Asked, Start
from tests.api.fabricated import CYCLE, WEATHER, entry, hydrate, series, usual_cells, write_index
from tiles.grid import FORECAST

SOUTH = {"name": "sør", "kwp": 6.4, "tilt_deg": 30, "azimuth_deg": 180}
WEST = {"name": "vest", "kwp": 3.2, "tilt_deg": 30, "azimuth_deg": 270}
PLANT: dict[str, Any] = {"latitude": 59.91, "longitude": 10.75, "arrays": [SOUTH, WEST]}
BERGEN = (60.39, 5.32)
TRONDHEIM = (63.43, 10.4)

Post = Callable[..., Awaitable[Asked]]


@pytest.fixture(scope="session")
def sunny_state(checked_once: Callable[[Path], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder with the weather of three towns; one cell is missing, one damaged."""
    folder = tmp_path_factory.mktemp("sunny")
    more = {FORECAST.cell_at(*BERGEN): series(3000), FORECAST.cell_at(*TRONDHEIM): series(7000)}
    hydrate(folder, entry(CYCLE, variables=WEATHER), {**usual_cells(), **more})
    return checked_once(folder)


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
