"""The simulated land: the same in every window, with a plausible relief, coasts, and houses that have roofs."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from infra.simulator.heights import ground, surface
from infra.simulator.heights.noise import octave, uniform
from kernels import utm

DEMO = {
    "Oslo": (59.91, 10.75),
    "Bergen": (60.39, 5.32),
    "Trondheim": (63.43, 10.39),
    "Tromso": (69.65, 18.96),
    "Finse": (60.60, 7.50),
}
Axis = NDArray[np.float64]


def around(lat: float, lon: float, cells: int, cell: float) -> tuple[Axis, Axis]:
    x, y = (cell * np.round(float(value) / cell) for value in utm.forward(lat, lon))
    along = (np.arange(cells) - cells // 2 + 0.5) * cell
    return x + along, y + along


@pytest.mark.parametrize("name", DEMO)
def test_the_demo_places_are_land(name: str) -> None:
    z = ground.heights(*around(*DEMO[name], 200, 1), 1)
    assert z.min() > 0
    assert z.max() < (1700 if name == "Finse" else 500)


@pytest.mark.parametrize("name", ["Oslo", "Bergen", "Trondheim", "Tromso"])
def test_houses_stand_around_the_demo_places(name: str) -> None:
    x, y = around(*DEMO[name], 200, 1)
    above = surface.heights(x, y, 1) - ground.heights(x, y, 1)
    assert 0.08 < np.mean(above > 3) < 0.6


@pytest.mark.parametrize("of", [ground.heights, surface.heights])
def test_any_window_shows_the_same_land(of: object) -> None:
    assert callable(of)
    x, y = around(*DEMO["Tromso"], 300, 1)
    whole = of(x, y, 1)
    part = of(x[120:180], y[40:90], 1)
    np.testing.assert_allclose(part, whole[40:90, 120:180], atol=0.01)


def test_a_coarse_window_is_a_smoother_picture_of_the_same_land() -> None:
    lat, lon = 61.5, 8.5
    x, y = around(lat, lon, 400, 10)
    fine = ground.heights(x, y, 1)
    for cell, off in ((10, 2.0), (50, 8.0), (250, 40.0)):
        assert np.abs(ground.heights(x, y, cell) - fine).max() < off
    assert np.ptp(fine) > 4 * 8


def test_mountains_have_hundreds_of_metres_of_relief_and_lowlands_tens() -> None:
    jotunheimen = ground.heights(*around(61.6, 8.4, 400, 50), 50)
    assert 400 < np.ptp(jotunheimen) < 2300
    assert jotunheimen.max() < 2500
    hedmark = ground.heights(*around(60.4, 11.6, 200, 50), 50)
    assert 30 < np.ptp(hedmark) < 500


def test_the_sea_is_flat_and_the_coast_rises_from_it() -> None:
    x, y = around(62.9, 6.9, 1000, 50)
    z = np.nan_to_num(ground.heights(x, y, 50))
    assert 0.1 < np.mean(z == 0) < 0.9
    assert (z[z > 0] > 0.5).all()
    shore = (z[:, 1:] == 0) != (z[:, :-1] == 0)
    assert np.maximum(z[:, 1:], z[:, :-1])[shore].mean() < 30


def test_beyond_the_border_and_far_out_nothing_is_known() -> None:
    for lat, lon in ((60.0, 14.0), (65.0, 3.0), (68.3, 24.0)):
        assert np.isnan(ground.heights(*around(lat, lon, 5, 50), 50)).all()
    assert not np.isnan(ground.heights(*around(69.3, 25.0, 5, 50), 50)).any()


def test_noise_has_the_deviation_it_says_and_hashes_are_even() -> None:
    field = octave(np.arange(0, 60_000, 60.0), np.arange(0, 60_000, 60.0), 500, 7)
    assert field.std() == pytest.approx(1, abs=0.08)
    assert abs(field.mean()) < 0.05
    draws = uniform(5, np.arange(40_000))
    assert np.histogram(draws, bins=10, range=(0, 1))[0].min() > 3700


def houses(place: tuple[float, float], lots: int, cell: float) -> Iterator[tuple[NDArray[np.float32], Axis, Axis]]:
    """Give the roofs of whole lots around a place: above the ground in the lot's middle, and the places, all (n,)."""
    x, y = ((np.floor(axis[0] / surface.LOT_M) + 0.5) * surface.LOT_M for axis in around(*place, 1, 1))
    for east, north in itertools.product(range(lots), repeat=2):
        middle = x + east * surface.LOT_M, y + north * surface.LOT_M
        along = np.arange(-surface.LOT_M / 2 + cell / 2, surface.LOT_M / 2, cell)
        roof, settled = surface.roofs(middle[0] + along, middle[1] + along, cell)
        foot = ground.heights(*(np.array([axis]) for axis in middle), cell)[0, 0]
        rows, columns = np.nonzero(np.isfinite(roof))
        assert settled.all() == (rows.size > 0)
        if rows.size:
            yield roof[rows, columns] - foot, along[columns], along[rows]


def test_a_gabled_roof_has_a_ridge_between_two_planes_and_a_flat_one_none() -> None:
    """Of many whole houses: each kind is there, 4-9 m high, and slopes as roofs do."""
    kinds = {"ridge": 0, "flat": 0, "other": 0}
    for z, x, y in houses((60.794, 11.068), 14, 0.5):  # Hamar: no blocks
        assert 3.9 <= z.max() <= 9.01
        if np.ptp(z) < 1e-3:
            kinds["flat"] += 1
            continue
        # a ridge is a line: the highest cells reach from gable to gable, and lie within a cell of it
        high = np.column_stack([x, y])[z > z.max() - 0.2 * np.ptp(z)]
        deviations = np.sqrt(np.maximum(np.linalg.eigvalsh(np.cov(high.T)), 0)) * np.sqrt(12)
        assert 1.0 < np.ptp(z) < 4.5
        kinds["ridge" if deviations[1] > 8 and deviations[0] < 3 else "other"] += 1
    assert kinds["ridge"] > 50
    assert kinds["flat"] > 10
    assert kinds["other"] > 20  # hipped: its ridge is short


def test_the_middle_of_a_city_has_blocks() -> None:
    tall = [z.max() for z, _, _ in houses(DEMO["Oslo"], 12, 1) if z.max() > 10]
    assert len(tall) > 20
    assert min(tall) >= 15
    assert max(tall) <= 25


def test_houses_are_level_though_the_ground_is_not() -> None:
    x, y = around(*DEMO["Bergen"], 300, 1)
    low, high = ground.heights(x, y, 1), surface.heights(x, y, 1)
    roof, _ = surface.roofs(x, y, 1)
    np.testing.assert_allclose(high[np.isfinite(roof)], np.maximum(roof, low)[np.isfinite(roof)], atol=0.01)
    assert any(np.ptp(z) < 1e-3 for z, _, _ in houses(DEMO["Bergen"], 6, 1))
    assert np.ptp(low) > 5


def test_above_the_tree_line_nothing_grows_and_in_the_wild_no_house_stands() -> None:
    x, y = around(61.6, 8.4, 600, 5)
    low, high = ground.heights(x, y, 5), surface.heights(x, y, 5)
    assert low.min() > 1050
    assert np.mean(high - low > 0.5) < 1e-3
    wood = around(60.9, 12.3, 400, 2)
    assert not surface.roofs(*wood, 2)[1].all()
    above = (surface.heights(*wood, 2) - ground.heights(*wood, 2))[~surface.roofs(*wood, 2)[1]]
    assert 0.05 < np.mean(above > 4) < 0.9
    assert np.percentile(above, 99.9) <= 20
