"""A store, an authority, land everywhere, and the command that builds the maxima of seasons."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dags.areas import Area
from dags.build.context import BuildContext
from dags.build.snow import authority as snow_asking
from dags.build.snow import snowload
from tests.support.context import context_of
from tests.support.snow_authority import FakeAuthority
from tests.support.snowload_build import OSLO_AREA, URL, winters
from tiles.grid import SENORGE1KM
from tiles.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "tiles"))


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeAuthority:
    authority = FakeAuthority(values=winters)
    monkeypatch.setattr(snow_asking, "nve_gts", authority)
    return authority


@pytest.fixture
def land(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The share of land of each cell, by the borders; a test may take some away."""
    share = np.ones(SENORGE1KM.shape)
    monkeypatch.setattr(snowload, "land_of", lambda _: share)
    return share


@pytest.fixture
def ask(store: Store) -> Any:
    def asking(*areas: Area, year: int = 2026, url: str = URL, run: str = "a run") -> BuildContext:
        addresses = {"nve_gts": url, "kartverket": "http://borders"}
        return context_of(store, f"{year}-10-16T02:00:00Z!", areas or (OSLO_AREA,), run=run, addresses=addresses)

    return asking


@pytest.fixture
def build(ask: Any, fake: FakeAuthority, land: Any) -> Any:
    def building(*areas: Area, **more: Any) -> list[str]:
        said: list[str] = []
        snowload.build(replace(ask(*areas, **more), report=said.append))
        return said

    return building
