"""Laws of a layout on 500 made-up roofs, whatever the rules."""

import numpy as np
import pytest

from kernels.roof.layout.layout import lay_out
from kernels.roof.layout.rules import Module
from tests.kernels.roof.layout.scenes import (
    LATITUDE,
    any_options,
    any_roof,
    any_rules,
    faults,
    mirrored,
    shifted,
    turned,
)


@pytest.mark.parametrize("batch", range(10))
def test_no_module_crosses_a_setback_an_obstacle_or_another_module(batch):
    laid = 0
    for seed in range(50 * batch, 50 * batch + 50):
        random = np.random.default_rng(seed)
        roof, rules, options = any_roof(random), any_rules(random), any_options(random)
        module = Module(400, *random.uniform((1.4, 0.9), (2.4, 1.3)))
        found = lay_out(roof, module, options, rules, latitude=LATITUDE)
        assert faults(roof, found, rules) == [], seed
        laid += found.count
    assert laid > 500


def test_a_roof_that_is_moved_turned_or_mirrored_holds_as_many_modules():
    """Racks along a building's axis turn with it; zones of shade do not, and are left out."""
    before, after = 0, np.zeros(3)
    for seed in range(60):
        random = np.random.default_rng(seed)
        roof, rules = any_roof(random), any_rules(random)
        rules = rules.__class__(**{**vars(rules), "obstacle_north_factor": 0, "obstacle_ew_factor": 0,
                                   "obstacle_south_m": 0, "pitched_north_max_tilt_deg": 90,
                                   "pitched_access_edge": False})  # fmt: skip
        options = any_options(random)
        options = options.__class__(**{**vars(options), "direction": "building", "row_azimuth": None,
                                       "mounting": "east_west"})  # fmt: skip

        def count(scene, rules=rules, options=options):
            return lay_out(scene, Module(), options, rules, latitude=LATITUDE).count

        here = count(roof)
        there = [count(shifted(roof, 431.7, -77.3)), count(mirrored(roof)), count(turned(roof, 180))]
        assert np.all(np.abs(np.array(there) - here) <= max(0.02 * here, 1)), seed
        before += here
        after += there
    assert after == pytest.approx(before, rel=0.005)


def test_the_same_roof_gives_the_same_modules_twice():
    random = np.random.default_rng(3)
    roof, rules, options = any_roof(random), any_rules(random), any_options(random)
    one, two = (lay_out(roof, Module(), options, rules, latitude=LATITUDE) for _ in range(2))
    assert all(np.array_equal(a.modules, b.modules) for a, b in zip(one.surfaces, two.surfaces, strict=True))
