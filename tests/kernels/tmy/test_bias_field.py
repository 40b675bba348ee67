"""Bias between stations: a planted field comes back, leave one out, and the rules of who counts."""

import numpy as np
import pytest

from kernels.tmy.bias_field import Sites, interpolate, leave_one_out, separation

OSLO = Sites([59.95], [10.72], [94])


def spread_out(n: int, seed: int = 0) -> Sites:
    draw = np.random.default_rng(seed)
    return Sites(draw.uniform(58, 64, n), draw.uniform(5, 12, n), draw.uniform(0, 400, n))


def planted(sites: Sites) -> np.ndarray:
    months = np.cos(2 * np.pi * np.arange(12) / 12)
    lat, lon = np.asarray(sites.lat), np.asarray(sites.lon)
    return ((lat - 59) * 1.5 + (lon - 8))[:, None] * (1.2 - months) + 4


@pytest.mark.parametrize("seed", range(2))
def test_planted_field_is_recovered_leave_one_out(seed: int) -> None:
    stations, cells = spread_out(50, seed), spread_out(200, seed + 100)
    bias = planted(stations) + np.random.default_rng(seed).normal(0, 0.5, (50, 12))
    before, after = leave_one_out(stations, bias)
    assert after < 0.4 * before
    got, _ = interpolate(cells, stations, bias)
    assert np.abs(got - planted(cells)).mean() < 0.4 * np.abs(planted(cells)).mean()


@pytest.mark.parametrize(("n", "part"), [(1, 1 / 3), (12, 12 / 14), (30, 12 / 14)])
def test_one_station_moves_a_cell_by_a_third_and_twelve_by_six_sevenths(n: int, part: float) -> None:
    stations = Sites(np.full(n, 59.9), 10.5 + 0.01 * np.arange(n), np.full(n, 100))
    got, used = interpolate(OSLO, stations, np.full((n, 12), 9.0))
    np.testing.assert_allclose(got, 9.0 * part)
    assert used.tolist() == [min(n, 12)]


@pytest.mark.parametrize("stations", [Sites([63.5], [10.7], [94]), Sites([], [], [])], ids=["far", "none"])
def test_stations_out_of_reach_and_none_at_all_leave_a_cell_as_it_is(stations: Sites) -> None:
    got, used = interpolate(OSLO, stations, np.full((len(stations.lat), 12), 9.0))
    assert (got == 0).all()
    assert used.tolist() == [0]


def test_months_take_the_stations_that_know_them() -> None:
    bias = np.full((2, 12), 6.0)
    bias[0, 2] = np.nan
    got, used = interpolate(OSLO, Sites([59.9, 60.1], [10.7, 10.7], [94, 94]), bias)
    assert got[0, [2, 3]].tolist() == pytest.approx([6 / 3, 6 / 2])
    assert used.tolist() == [2]


def test_a_hundred_metres_up_are_ten_kilometres_away() -> None:
    bergen = Sites([59.95, 60.39, 60.39], [10.72, 5.33, 5.33], [394, 94, 1094])
    near, level, above = separation(OSLO, bergen)[0]
    assert (near, level) == (pytest.approx(30), pytest.approx(304, abs=3))
    assert above == pytest.approx(np.hypot(level, 100))


def test_station_left_out_does_not_correct_itself() -> None:
    apart = Sites([58.0, 63.0, 69.0], [8.0, 11.0, 19.0], [10, 10, 10])
    assert leave_one_out(apart, np.full((3, 12), 6.0)) == (6.0, 6.0)


def test_what_cannot_be_done_is_refused() -> None:
    with pytest.raises(ValueError, match=r"bias has shape \(2, 12\), not \(1, 12\)"):
        interpolate(OSLO, OSLO, np.zeros((2, 12)))
    with pytest.raises(ValueError, match="at least two stations"):
        leave_one_out(OSLO, np.zeros((1, 12)))
