"""Roofs of the simulator's towns, through the real protocol; and its faults."""

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from tests.api.conftest import MovableClock
from tests.api.horizon.rooftop.conftest import Roofs, Serve
from tests.support.simulated import simulated


@pytest_asyncio.fixture
async def roofs(serve: Serve, tmp_path: Path) -> AsyncIterator[Roofs]:
    async with simulated("kartverket_wcs", MovableClock(), tmp_path / "simulator") as service:
        yield await serve(kartverket_wcs_url=service.url)


async def test_houses_and_trees_stand_around_a_town(roofs: Roofs) -> None:
    told = (await roofs.ask()).json
    assert told["data_origin"] == "simulated"
    assert told["dom_year"] is not None
    assert told["dtm_ground_z_m"] == pytest.approx(told["observer_z_masl"] - 3, abs=0.001)
    near = np.array(told["near_horizon_only"])
    high = np.array((await roofs.ask(observer_height_m=40)).json["near_horizon_only"])
    assert near.max() > 5  # a street between houses
    assert high.mean() < near.mean()
    assert high.max() < 20
    assert (np.abs(np.diff(near)) > 1).sum() >= 4  # edges of roofs and trees
