"""Rectangles of outlines: what models of roofs are laid over."""

import numpy as np
import pytest
from shapely import Polygon, affinity, box, union_all

from kernels.roof.rectangles import partitions

L = union_all([box(0, 0, 14, 8), box(9, 8, 14, 16)])


@pytest.mark.parametrize("turn", [0.0, 0.4])
def test_an_l_is_cut_both_ways(turn: float) -> None:
    found = partitions(affinity.rotate(L, turn, (0, 0), use_radians=True), turn)
    areas = sorted(sorted(round(one.area, 3) for one in parts) for parts in found)
    assert areas == [[40, 112], [72, 80]]
    for parts in found:
        level = affinity.rotate(union_all(parts), -turn, (0, 0), use_radians=True)
        assert level.symmetric_difference(L).area == pytest.approx(0, abs=1e-6)


def test_a_rectangle_is_one_and_small_steps_do_not_count() -> None:
    assert [len(parts) for parts in partitions(box(0, 0, 12, 8), 0.0)] == [1]
    step = Polygon([(0, 0), (12, 0), (12, 8), (6, 8), (6, 7.4), (0, 7.4)])
    assert [len(parts) for parts in partitions(step, 0.0)] == [1]


def test_what_is_not_made_of_few_rectangles_has_none() -> None:
    angles = np.linspace(0, 2 * np.pi, 9)[:-1]
    assert partitions(Polygon(np.column_stack([9 * np.cos(angles), 9 * np.sin(angles)])), 0.0) == []
