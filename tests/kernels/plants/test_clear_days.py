"""Clear days by both rules: against the weather that made-up plants had."""

import numpy as np
import pytest

from kernels.plants.clear_days import alike, plain
from kernels.plants.day_grid import day_grid
from kernels.plants.output import sun_angles
from tests.kernels.plants.cases import DAYS, clear_sky, modelled
from tests.support.made_plants import PLACES, made_plant, made_sky

HOURS = np.arange(24)
CLEAR = np.tile(np.maximum(5000 * np.sin((HOURS - 4) / 16 * np.pi), 0) * ((HOURS > 4) & (HOURS < 20)), (30, 1))
SUN = np.tile(45 * np.sin((HOURS - 4) / 16 * np.pi), (30, 1))
FREE = np.zeros(CLEAR.shape, bool)


def found(rule, fault: str) -> np.ndarray:
    """Of many plants: days that are clear, that are found, that are both; found under less than 0.9 of clear sky."""
    counts = []
    for number, place in enumerate(PLACES):
        sky = made_sky(place, ("2026-03-01", "2026-05-15", "2026-07-10")[number % 3], DAYS, number)
        plant = made_plant(sky, fault, number)
        grid = day_grid(sky.place[1], sky.hour_starts)
        elevation = sun_angles(*sky.place[:2], sky.hour_starts)[0]
        clear = clear_sky(plant)
        tables = [grid.spread(values) for values in (plant.measured, clear, elevation)]
        days = rule(*tables, np.zeros(tables[0].shape, bool))
        sunny, usual = (np.nansum(grid.spread(values), axis=1) for values in (modelled(plant, sky.ghi), clear))
        share = sunny / np.maximum(usual, 1)
        counts.append(((share > 0.95).sum(), days.sum(), (days & (share > 0.95)).sum(), (days & (share < 0.9)).sum()))
    return np.sum(counts, axis=0)


def test_plain_rule_finds_most_clear_days_and_few_others():
    clear, every, right, wrong = found(plain, "none")
    assert right > 0.6 * clear
    assert wrong < 0.1 * every


@pytest.mark.parametrize("fault", ["none", "tree", "azimuth"])
def test_likeness_finds_clear_days_of_faulty_plants(fault):
    clear, every, right, wrong = found(alike, fault)
    assert right > 0.75 * clear
    assert wrong < 0.05 * every


def test_day_below_the_band_is_not_plain_clear_and_above_it_is():
    level = np.where(np.arange(30) % 2 == 0, 0.58, 0.62)[:, None]
    np.testing.assert_array_equal(plain(level * CLEAR, CLEAR, SUN, FREE), np.arange(30) % 2 == 1)


def test_spread_within_the_day_decides():
    tilt = np.linspace(-1, 1, 24)
    assert plain(CLEAR * (1 + 0.12 * tilt), CLEAR, SUN, FREE).all()
    assert not plain(CLEAR * (1 + 0.35 * tilt), CLEAR, SUN, FREE).any()


def test_day_with_a_quarter_missing_is_not_judged():
    measured = CLEAR.copy()
    measured[:, 9:13] = np.nan
    assert not plain(measured, CLEAR, SUN, FREE).any()
    assert not alike(measured, CLEAR, SUN, FREE).any()
    limited = np.isnan(measured)
    assert plain(measured, CLEAR, SUN, limited).all(), "hours at the limit do not count as missing"


def test_days_of_the_same_overcast_level_are_no_clear_days_beside_clear_ones():
    measured = CLEAR * np.where(np.arange(30) % 5 == 0, 1.0, 0.5)[:, None]
    np.testing.assert_array_equal(alike(measured, CLEAR, SUN, FREE), np.arange(30) % 5 == 0)
