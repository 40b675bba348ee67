"""Applications beside whose sunny weather snow factors are published."""

import shutil
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.api.conftest import Api, Asked, MovableClock, Start
from tests.api.forecast.conftest import PLANT
from tests.support.snow_factors import publish_factors
from tiles.store import open_store

Ask = Callable[..., Awaitable[Asked]]


@pytest.fixture
def clock() -> MovableClock:
    """Half past two on the first of June, until a test says otherwise."""
    return MovableClock()


@pytest.fixture(scope="session")
def factors_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the usual factors, issued the day before at six."""
    folder = tmp_path_factory.mktemp("snow-factors")
    publish_factors(open_store(str(folder)))
    return folder


@pytest.fixture
def snowy_store(sunny_store: Path, factors_folder: Path) -> Path:
    """A store with weather and factors."""
    shutil.copytree(factors_folder, sunny_store, dirs_exist_ok=True)
    return sunny_store


@pytest_asyncio.fixture
async def snowy(start: Start, sunny_state: Path, snowy_store: Path, clock: MovableClock) -> Api:
    """An application."""
    return await start(clock=clock, state_folder=sunny_state, store_folder=snowy_store)


async def ask_for_snow(api: Api, **more: Any) -> Asked:
    """Ask for the usual plant with snow, but for what is given."""
    return await api.ask("/api/forecast", "POST", json={**PLANT, "snow": True, **more})


@pytest.fixture
def ask(snowy: Api) -> Ask:
    """Ask the application so."""
    return partial(ask_for_snow, snowy)
