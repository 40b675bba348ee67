"""A store with land and municipalities, an authority, and the command that builds a morning."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from dags.areas import Area
from dags.build.borders import municipality, municipality_borders
from dags.build.snow import authority as snow_asking
from dags.build.snow import snow_daily, snow_factors
from tests.support.context import context_of
from tests.support.snow_authority import FakeAuthority
from tests.support.snow_morning import (
    CLOCK,
    OSLO_AREA,
    REFERENCES,
    URL,
)
from tiles.store import Store, open_store


@pytest.fixture(scope="session")
def borders(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A store with land and municipalities, and where their borders are."""
    folder, url = tmp_path_factory.mktemp("borders"), str(shared_data / "borders")
    for product in (municipality, municipality_borders):
        product.build(context_of(folder, CLOCK, addresses={"kartverket": url}))
    return folder, url


@pytest.fixture
def store(borders: tuple[Path, str], tmp_path: Path) -> Store:
    shutil.copytree(borders[0], tmp_path / "tiles")
    return open_store(str(tmp_path / "tiles"))


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeAuthority:
    authority = FakeAuthority()
    monkeypatch.setattr(snow_asking, "nve_gts", authority)
    monkeypatch.setattr(snow_factors, "reference_cells", lambda *_: REFERENCES)
    return authority


@pytest.fixture
def build(store: Store, borders: tuple[Path, str]) -> Any:
    def building(morning: str = "2026-11-23", *areas: Area, url: str = URL, clock: str = CLOCK) -> list[str]:
        said: list[str] = []
        addresses = {"nve_gts": url, "kartverket": borders[1]}
        where = areas or (OSLO_AREA,)
        snow_daily.build(context_of(store, clock, where, partition=morning, addresses=addresses, report=said.append))
        return said

    return building
