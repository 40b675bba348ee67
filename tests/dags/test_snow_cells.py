"""Which snow cell stands for a cell: against a search done another way, and what it costs to find."""

from collections.abc import Callable
from datetime import date
from typing import Any

import numpy as np
import pytest

from dags.build.snow.authority import Authority
from dags.build.snow.nearest_cells import candidates, find, point_of
from tests.support.snow_authority import FakeAuthority
from tiles.grid import SENORGE1KM

DAY = date(2026, 11, 21)
RNG = np.random.default_rng(8)


@pytest.fixture
def authority(fake: FakeAuthority) -> Any:
    with Authority("http://authority", DAY) as asked:
        yield fake, asked


def search(cells: Any, authority: Any, share: Any, known: Any = None) -> tuple[Any, list[str]]:
    said: list[str] = []
    land: Callable[[], Any] = (lambda: share) if share is not None else pytest.fail
    return find(cells, known or {}, authority[1], DAY, land, said.append), said


def test_what_is_mostly_land_comes_first_then_what_is_near() -> None:
    share = np.zeros(SENORGE1KM.shape)
    share[199, 337], share[200, 338], share[203, 337], share[203, 341], share[199, 342] = 0.2, 0.4, 0.6, 0.9, 1.0
    # 5 and 4.5 km away do not count
    assert candidates((66, 112), share) == [(203, 337), (199, 337), (200, 338)]


def test_the_nearest_that_has_data_is_found_as_one_by_one(authority: Any) -> None:
    share = RNG.choice([0.0, 1.0], SENORGE1KM.shape, p=[0.3, 0.7])
    held = RNG.random(SENORGE1KM.shape) < 0.6
    authority[0].there = lambda p: bool(held[(p[1] - 6_450_000) // 1000, (p[0] + 75_000) // 1000])
    cells = [(int(r), int(c)) for r, c in RNG.integers(5, 300, (60, 2))]
    found, _ = search(cells, authority, share)
    for cell in cells:
        middle = np.array(cell) * 3 + 1
        there = [
            (int(r), int(c))
            for r in range(middle[0] - 4, middle[0] + 5)
            for c in range(middle[1] - 4, middle[1] + 5)
            if share[r, c] and held[r, c]
        ]
        nearest = min(np.hypot(*(np.array(t) - middle)) for t in there)
        assert np.hypot(*(np.array(found[cell]) - middle)) == pytest.approx(nearest)


def test_nothing_is_asked_at_sea_or_twice_or_of_what_is_known(authority: Any) -> None:
    share = np.zeros(SENORGE1KM.shape)
    share[199, 337] = share[199, 340] = 1.0
    cells = [(66, 112), (66, 113), (67, 112), (10, 10), (66, 111)]
    known = {(67, 112): (202, 337), (66, 111): None}
    found, said = search(cells, authority, share, known)
    assert found == {(66, 112): (199, 337), (66, 113): (199, 340), (67, 112): (202, 337)}
    assert authority[0].searched == [(point_of((199, 337)), point_of((199, 340)))]
    assert said == ["2 of 5 cells are left out: the snow authority has none within 4 km"]


def test_a_cell_is_given_up_after_some_tries(authority: Any) -> None:
    authority[0].there = lambda _: False
    found, said = search([(66, 112), (66, 113)], authority, np.ones(SENORGE1KM.shape))
    assert found == {}
    assert len(authority[0].searched) == 8
    assert all(len(points) <= 2 for points in authority[0].searched)
    assert "2 of 2 cells are left out" in said[0]
