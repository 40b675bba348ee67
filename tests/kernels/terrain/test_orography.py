"""The orography factor: against plain formulas, at published values, and where it may jump."""

from collections.abc import Callable

import numpy as np
import pytest

from kernels.terrain.orography import must_count, orography_factor
from tests.kernels.terrain import plain

INF = np.inf


def shapes(count: int = 1000) -> np.ndarray:
    """H, L_u, L_d, x, z: slopes from flat to a wall, sites beyond both ends, half of them escarpments."""
    rng = np.random.default_rng(7)
    h = rng.uniform(5, 400, count)
    l_u = h / np.exp(rng.uniform(np.log(0.03), np.log(3), count))
    l_d = np.where(rng.random(count) < 0.5, INF, h / np.exp(rng.uniform(np.log(0.05), np.log(3), count)))
    l_e = np.maximum(l_u, h / 0.3)
    unit = np.where(np.isinf(l_d), l_e, l_d)
    x = np.where(rng.random(count) < 0.4, -1.7 * l_u * rng.random(count), 4 * unit * rng.random(count) ** 2)
    return np.array([h, l_u, l_d, x, rng.uniform(0, 2.2, count) ** 2 / 2.2 * l_e])


def test_factor_of_any_shape_is_that_of_the_plain_formulas() -> None:
    cases = shapes()
    expected = [plain.c_o(*case, cliff=np.isinf(case[2])) for case in cases.T]
    found = orography_factor(*cases).c_o
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert len(np.unique(np.round(found, 6))) > 400


def test_bridge_behind_an_edge_begins_at_the_factor_of_the_crest() -> None:
    """Lower than 0.1 L_e too, where the curve behind the bridge is that of 0.1 L_e."""
    crest, edge, middle = orography_factor(80, 400, INF, [0.0, 1e-9, 20.0], 10.0).s
    assert edge == pytest.approx(crest, abs=1e-9)
    assert middle == pytest.approx((crest + plain.s_cliff(40.0, 10.0, 400)) / 2, abs=1e-9)


def test_shapes_reach_every_branch() -> None:
    h, l_u, l_d, x, z = shapes()
    phi, l_e, cliff = h / l_u, np.maximum(l_u, h / 0.3), np.isinf(l_d)
    for slope in (phi < 0.05, (phi > 0.05) & (phi < 0.3), phi > 0.3):
        for height in (z < 0.1 * l_e, (z > 0.1 * l_e) & (z < 2 * l_e), z > 2 * l_e):
            places = (x < -1.5 * l_u, (x > -1.5 * l_u) & (x < 0), (x > 0) & ~cliff & (x < 2 * l_d),
                      ~cliff & (x > 2 * l_d), cliff & (x > 0) & (x < 0.1 * l_e),
                      cliff & (x > 0.1 * l_e) & (x < 3.5 * l_e))  # fmt: skip
            assert (slope & height).any()
            assert all((slope & place).any() for place in places)


@pytest.mark.parametrize(
    ("h", "l_u", "l_d", "x", "z", "c_o"),
    [
        (100, 400, 800, 0, 10, 1.4829),
        (100, 400, 800, 200, 10, 1.3127),
        (80, 100, INF, 80 / 0.3 / 10, 20, 1.5137),
        (20, 500, 500, 0, 10, 1.0),
    ],
)
def test_factor_is_as_published(h: float, l_u: float, l_d: float, x: float, z: float, c_o: float) -> None:
    assert orography_factor(h, l_u, l_d, x, z).c_o == pytest.approx(c_o, abs=5e-5)


@pytest.mark.parametrize(
    ("height", "s"),
    [
        (0.1, {0: 0.839, 0.1: 0.856, 0.5: 0.510, 1: 0.355, 3.5: 0.065}),
        (1.0, {0: 0.212, 0.1: 0.197, 0.5: 0.188, 1: 0.161, 3.5: 0.074}),
    ],
)
def test_location_factor_behind_an_edge_is_as_published(height: float, s: dict[float, float]) -> None:
    found = orography_factor(100, 500, INF, 500 * np.array(list(s)), 500 * height).s
    np.testing.assert_allclose(found, list(s.values()), atol=6e-4)


# A place on each side of a boundary, by a small step; the rest of the shape.
Side = Callable[[float], tuple[float, float, float, float, float]]
SMOOTH: dict[str, Side] = {
    "crest of a hill": lambda e: (100, 400, 800, e, 10),
    "crest of a steep hill": lambda e: (100, 200, 300, e, 10),
    "edge of an escarpment, low": lambda e: (80, 400, INF, e, 10),
    "edge of an escarpment, high": lambda e: (80, 400, INF, e, 100),
    "end of the bridge": lambda e: (80, 400, INF, 40 + e, 10),
    "end of the bridge of a wall": lambda e: (80, 80, INF, 80 / 3 + e, 30),
    "slope of 0.3 at the crest": lambda e: (120 + e, 400, 800, 0, 10),
    "slope of 0.3 before the crest": lambda e: (120 + e, 400, 800, -100, 10),
    "slope of 0.3 behind an edge": lambda e: (120 + e, 400, INF, 100, 10),
    "height of 0.1 L_e behind an edge": lambda e: (80, 400, INF, 200, 40 + e),
    "height of 0.1 L_e on a hill": lambda e: (80, 400, 400, 200, 40 + e),
}
JUMPING: dict[str, Side] = {
    "slope of 0.05": lambda e: (20 + e, 400, 800, 0, 10),
    "1.5 L_u before the crest": lambda e: (100, 400, 800, -600 + e, 10),
    "2 L_d behind the crest": lambda e: (100, 400, 800, 1600 + e, 10),
    "3.5 L_e behind an edge": lambda e: (80, 400, INF, 1400 + e, 10),
    "2 L_e above a crest": lambda e: (100, 100, 200, 0, 2 / 0.3 * 100 + e),
    "2 L_e above ground behind an edge": lambda e: (100, 100, INF, 300, 2 / 0.3 * 100 + e),
}


def _jump(side: Side) -> float:
    """The change of c_o over a boundary, by a step so small that c_o itself does not change."""
    found = orography_factor(*np.array([side(-1e-7), side(1e-7)]).T).c_o
    return float(abs(found[1] - found[0]))


@pytest.mark.parametrize("name", SMOOTH)
def test_factor_is_continuous_over(name: str) -> None:
    assert _jump(SMOOTH[name]) < 1e-6


@pytest.mark.parametrize("name", JUMPING)
def test_factor_jumps_where_the_standard_does(name: str) -> None:
    assert 0.002 < _jump(JUMPING[name]) < 0.11


def test_factor_is_never_below_one_and_at_most_that_of_a_wall() -> None:
    found = orography_factor(*shapes())
    assert np.isfinite(found.c_o).all()
    assert (found.c_o >= 1).all()
    assert (found.c_o <= 1 + 0.6 * 1.0124).all()


def test_flat_ground_has_a_factor_of_one() -> None:
    found = orography_factor(0, 1, 1, 0, 0)
    assert (found.c_o, found.phi, found.s) == (1, 0, 0)


def test_standard_asks_for_the_factor_where_the_plain_rules_do() -> None:
    h, l_u, l_d, x, _ = cases = shapes()
    listed = ~((x < 0) & (h / l_u > 0.3))
    expected = [plain.must_count(*case[:4], cliff=np.isinf(case[2])) for case in cases.T]
    found = must_count(h, l_u, l_d, x)
    np.testing.assert_array_equal(found[listed], np.array(expected)[listed])
    assert 100 < found.sum() < 900


@pytest.mark.parametrize("l_d", [800.0, INF])
def test_factor_counts_before_a_steep_crest_too_where_the_standard_names_none(l_d: float) -> None:
    """A.3(3) names slopes up to 0.3 before a crest; a site there is no better off where it is steeper."""
    h, l_u = 200.0, 400.0
    np.testing.assert_array_equal(must_count(h, l_u, l_d, [-201.0, -199.0, -1.0, 0.0]), [False, True, True, True])
