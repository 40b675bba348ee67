"""A peak at a known place over the curved earth: both algorithms find it there, and as high as the sphere has it."""

import pytest

from kernels.horizon.levels import Level
from tests.kernels.horizon import peaks
from tests.kernels.horizon.seeing import WAYS


def levels_for(way: str, scene: peaks.Scene) -> list[Level]:
    """Rays look at one level."""
    return scene.levels() if way == "block" else [scene.terrain()]


@pytest.mark.parametrize("scene", peaks.SCENES, ids=str)
@pytest.mark.parametrize("way", WAYS)
def test_a_peak_stands_where_and_as_high_as_the_sphere_has_it(scene: peaks.Scene, way: str) -> None:
    seen = WAYS[way](levels_for(way, scene), *scene.observer, 1.02 * scene.distance + 500)
    found = peaks.seen(seen.elevation)
    assert peaks.agrees(found, scene.expected())
    assert seen.distance[scene.bin] == pytest.approx(scene.distance, rel=0.02)
    mutants = peaks.MUTANTS | (peaks.FAR_MUTANTS if scene.distance > 100e3 else {})
    assert [name for name, mutant in mutants.items() if peaks.agrees(found, mutant(scene))] == []


@pytest.mark.parametrize("way", WAYS)
def test_what_lies_beyond_the_reach_is_not_seen(way: str) -> None:
    scene = next(s for s in peaks.SCENES if s.distance == 30e3)
    seen = WAYS[way](levels_for(way, scene), *scene.observer, 20e3)
    assert seen.elevation.max() < 0.01
