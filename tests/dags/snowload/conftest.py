"""A store, an authority, land everywhere, and the command that builds the maxima of seasons."""

from typing import Any

import numpy as np
import pytest

from dags.areas import Area
from dags.build.snow import snowload
from tests.support.context import context_of
from tests.support.snow_authority import URL, FakeAuthority
from tests.support.snowload_build import OSLO_AREA, winters
from tiles.grid import SENORGE1KM
from tiles.store import Store


@pytest.fixture
def fake(fake: FakeAuthority) -> FakeAuthority:
    fake.values = winters
    return fake


@pytest.fixture
def land(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The share of land of each cell, by the borders; a test may take some away."""
    share = np.ones(SENORGE1KM.shape)
    monkeypatch.setattr(snowload, "land_of", lambda _: share)
    return share


@pytest.fixture
def build(store: Store, fake: FakeAuthority, land: Any) -> Any:
    def building(*areas: Area, year: int = 2026, url: str = URL, run: str = "a run") -> list[str]:
        said: list[str] = []
        clock, addresses = f"{year}-10-16T02:00:00Z!", {"nve_gts": url, "kartverket": "http://borders"}
        where = areas or (OSLO_AREA,)
        snowload.build(context_of(store, clock, where, run=run, addresses=addresses, report=said.append))
        return said

    return building
