"""Where the terrain category changes, and the wind behind the change, against published numbers and laws."""

import numpy as np
import pytest

from kernels.terrain.change import Change, nearest_change, wind_behind
from kernels.terrain.roughness import around
from kernels.terrain.wind import wind_at
from tests.kernels.terrain import covers, scenes


def test_unknown_land_is_no_change_of_category() -> None:
    site = covers.disc(3000, covers.UNKNOWN, covers.FOREST)
    away = covers.disc(3000, covers.FOREST, covers.UNKNOWN)
    for codes in (site, away, covers.all_of(covers.UNKNOWN)):
        assert nearest_change(around(*scenes.land(codes)), 0) is None
    known = nearest_change(around(*scenes.land(covers.disc(3000, covers.FOREST, covers.FARM))), 0)
    assert known == (2, 3, 3.0)


def test_change_is_where_the_category_of_most_of_what_lies_beyond_begins() -> None:
    belts = scenes.land(
        lambda a, r: np.select([np.hypot(a, r) < 1500, np.hypot(a, r) < 3000], [covers.FOREST, covers.FARM], covers.SEA)
    )
    assert nearest_change(around(*belts), 0) == (0, 3, 3.0)


@pytest.mark.parametrize(
    ("upwind", "site", "distance", "c_s", "v_m", "q_p"),
    [(0, 3, 1.0, 1.318, 26.44, 936.2), (3, 0, 2.0, 0.787, 26.56, 1069.1)],
)
def test_wind_behind_a_change_is_as_published(
    upwind: int, site: int, distance: float, c_s: float, v_m: float, q_p: float
) -> None:
    found = wind_behind(Change(upwind, site, distance), 26.0, 10.0)
    assert found.c_s == pytest.approx(c_s, abs=5e-4)
    assert found.v_m == pytest.approx(v_m, abs=5e-3)
    assert found.q_p == pytest.approx(q_p, rel=1e-4)


@pytest.mark.parametrize(("upwind", "site"), [(0, 3), (3, 0), (1, 2), (4, 2)])
def test_wind_ten_kilometres_behind_a_change_is_that_of_the_site(upwind: int, site: int) -> None:
    found, alone = wind_behind(Change(upwind, site, 10.0), 26.0, 10.0), wind_at(26.0, site, 10.0)
    np.testing.assert_allclose(found[1:], [alone.v_m, alone.i_v, alone.q_p], rtol=1e-12)


def test_no_change_changes_nothing() -> None:
    found, alone = wind_behind(Change(2, 2, 1.0), 26.0, 10.0, 1.2), wind_at(26.0, 2, 10.0, 1.2)
    np.testing.assert_allclose(found, [1.0, alone.v_m, alone.i_v, alone.q_p], rtol=1e-12)


def test_wind_behind_a_change_lies_between_both() -> None:
    for upwind in range(5):
        for site in range(5):
            far, near = (float(wind_at(26.0, category, 10.0).v_m) for category in (upwind, site))
            for distance in (0.1, 1.0, 5.0, 9.9):
                found = wind_behind(Change(upwind, site, distance), 26.0, 10.0).v_m
                assert min(far, near) - 1e-9 <= found <= max(far, near) + 1e-9, (upwind, site, distance)
