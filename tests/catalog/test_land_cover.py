"""Land cover of a window from two simulated sources: which of them gives what, and what happens when one is away."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytest_asyncio
from aiohttp.test_utils import TestServer

from catalog.land_cover import LandCover, land_cover
from catalog.sources.errors import SourceError
from catalog.sources.land_cover import UNKNOWN
from infra.simulator.keys import RULES
from infra.simulator.landcover.codes import codes
from infra.simulator.misbehave import Rule
from infra.simulator.server import create_app
from tiles.clock import Clock

# By the fjord of Trondheim. A missing sheet is the quarter in the south-west.
WEST, SOUTH, SIZE, CELL = 314_000, 7_070_000, 2000, 10
HALF = SIZE // CELL // 2
AWAY = {"mode": "error", "status": 400}


class Simulator:
    """AR50 and CORINE."""

    def __init__(self, server: TestServer) -> None:
        self.server = server

    def misbehave(self, name: str, **rule: Any) -> None:
        self.server.app[RULES].append(Rule.model_validate({"path": f"/{name}", **rule}))

    async def ask(self, away: set[str] | None = None) -> LandCover:
        return await asyncio.to_thread(
            land_cover,
            lambda name: str(self.server.make_url(f"/{name}")),
            (WEST, SOUTH, WEST + SIZE, SOUTH + SIZE),
            CELL,
            user_agent="test",
            seconds=20,
            away=away,
        )


@pytest_asyncio.fixture
async def simulator(tmp_path: Path) -> AsyncIterator[Simulator]:
    async with TestServer(create_app(Clock.parse("2026-05-01T06:20:00Z!"), tmp_path, 60)) as server:
        yield Simulator(server)


def truth(cell: int) -> Any:
    """Land cover on a lattice of coarser cells, in ours."""
    x, y = (first + cell * (np.arange(SIZE // cell) + 0.5) for first in (WEST, SOUTH))
    return np.kron(codes(x, y), np.ones((cell // CELL, cell // CELL), np.uint8))


FINE, COARSE = truth(50), truth(100)


async def test_ar50_that_knows_everything_is_the_only_source(simulator: Simulator) -> None:
    simulator.misbehave("corine", **AWAY)
    found = await simulator.ask()
    np.testing.assert_array_equal(found.codes, FINE)
    assert found.codes.dtype == np.uint8
    assert (found.sources, found.failed, found.data_origin) == ({"ar50": 1.0}, (), "simulated")
    assert [one["url"] for one in found.inputs] == [str(simulator.server.make_url("/ar50"))]


async def test_corine_fills_what_ar50_lacks(simulator: Simulator) -> None:
    simulator.misbehave("ar50", mode="holes")
    found = await simulator.ask()
    expected = FINE.copy()
    expected[:HALF, :HALF] = COARSE[:HALF, :HALF]
    assert (expected != FINE).any()
    # of CORINE's colours that cover no 5 x 5 pixels anywhere nothing is known
    known = found.codes != UNKNOWN
    assert known.mean() > 0.99
    np.testing.assert_array_equal(found.codes[known], expected[known])
    assert found.sources == pytest.approx({"ar50": 0.75, "corine": 0.25}, abs=0.01)
    assert sum(found.sources.values()) == pytest.approx(known.mean())
    assert (found.failed, len(found.inputs)) == ((), 2)


async def test_what_no_source_knows_is_unknown(simulator: Simulator) -> None:
    for name in ("ar50", "corine"):
        simulator.misbehave(name, mode="holes")
    found = await simulator.ask()
    assert (found.codes[:HALF, :HALF] == UNKNOWN).all()
    np.testing.assert_array_equal(found.codes[HALF:], FINE[HALF:])
    assert found.sources == {"ar50": 0.75, "corine": 0.0}


async def test_corine_stands_in_for_ar50_that_is_away_only_where_that_is_allowed(simulator: Simulator) -> None:
    simulator.misbehave("ar50", mode="exception")
    with pytest.raises(SourceError, match=r"^ar50: .*answered no features: Internal error"):
        await simulator.ask()
    away = set[str]()
    found = await simulator.ask(away)
    known = found.codes != UNKNOWN
    np.testing.assert_array_equal(found.codes[known], COARSE[known])
    assert (found.failed, away, set(found.sources)) == (("ar50",), {"ar50"}, {"corine"})


async def test_ar50_with_holes_is_an_answer_though_corine_is_away_where_that_is_allowed(simulator: Simulator) -> None:
    simulator.misbehave("ar50", mode="holes")
    simulator.misbehave("corine", mode="exception")
    with pytest.raises(SourceError, match=r"^corine: "):
        await simulator.ask()
    found = await simulator.ask(set())
    np.testing.assert_array_equal(found.codes[HALF:], FINE[HALF:])
    assert (found.codes[:HALF, :HALF] == UNKNOWN).all()
    assert (found.failed, found.sources) == (("corine",), {"ar50": 0.75})


async def test_a_source_that_was_away_is_not_asked_again(simulator: Simulator) -> None:
    away = {"ar50"}
    found = await simulator.ask(away)  # it would answer now
    assert (found.failed, set(found.sources), away) == (("ar50",), {"corine"}, {"ar50"})


async def test_with_both_away_ar50s_failure_is_the_error(simulator: Simulator) -> None:
    simulator.misbehave("ar50", mode="exception")
    simulator.misbehave("corine", mode="garbage")
    away = set[str]()
    with pytest.raises(SourceError, match=r"^ar50: .*answered no features"):
        await simulator.ask(away)
    assert away == {"ar50", "corine"}
