"""A store with land and municipalities, an authority, and the command that builds a morning."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from dags.areas import Area
from dags.build.snow import snow_daily, snow_factors
from tests.support.context import context_of
from tests.support.snow_authority import URL, FakeAuthority
from tests.support.snow_morning import CLOCK, OSLO_AREA, REFERENCES
from tiles.store import Store, open_store


@pytest.fixture
def store(real_borders: Store, tmp_path: Path) -> Store:
    return open_store(str(shutil.copytree(real_borders.url, tmp_path / "tiles")))


@pytest.fixture
def fake(fake: FakeAuthority, monkeypatch: pytest.MonkeyPatch) -> FakeAuthority:
    monkeypatch.setattr(snow_factors, "reference_cells", lambda *_: REFERENCES)
    return fake


@pytest.fixture
def build(store: Store, shared_data: Path) -> Any:
    def building(morning: str = "2026-11-23", *areas: Area, url: str = URL, clock: str = CLOCK) -> list[str]:
        said: list[str] = []
        addresses = {"nve_gts": url, "kartverket": str(shared_data / "borders")}
        where = areas or (OSLO_AREA,)
        snow_daily.build(context_of(store, clock, where, partition=morning, addresses=addresses, report=said.append))
        return said

    return building
