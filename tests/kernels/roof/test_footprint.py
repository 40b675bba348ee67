"""The edge of a roof, from the outline of the walls and the cells that lie on its planes."""

import numpy as np
import pytest
import shapely
from shapely import Polygon, affinity, box, union_all

from kernels.roof.field import Field
from kernels.roof.footprint import region_of, roof_edge


def found(roof: Polygon, walls: Polygon, turn: float, origin: tuple[float, float] = (0, 0)) -> float:
    """Farthest distance between the edge found in cells of 1 m and the true one, m."""
    roof, walls = (affinity.rotate(one, turn, (0, 0)) for one in (roof, walls))
    empty = np.zeros((36, 36))
    field = Field(empty, empty, np.array([origin[0] - 18, origin[1] - 18, 1.0, 0.0, 0.0, 1.0]))
    edge = roof_edge(walls, field, shapely.contains_xy(roof, *field.positions()), region_of(walls, []))
    return float(shapely.hausdorff_distance(edge, roof))


@pytest.mark.parametrize(
    ("gable", "shifted", "mean"),
    # where each edge goes by its own cells the means are 0.13, 0.14 and 0.12 m
    [(1.0, 0.0, 0.04), (1.0, 0.7, 0.12), (0.5, 0.0, 0.1)],
)
def test_edges_together_tell_overhang_and_shift_to_a_fraction_of_a_cell(
    gable: float, shifted: float, mean: float
) -> None:
    draw, far = np.random.default_rng(1), list[float]()
    for _ in range(40):
        length, width, over = draw.uniform(9, 16), draw.uniform(6, 10), draw.uniform(0.2, 0.9)
        walls = box(-length / 2, -width / 2, length / 2, width / 2)
        roof = box(-length / 2 - gable * over, -width / 2 - over, length / 2 + gable * over, width / 2 + over)
        walls = affinity.translate(walls, *draw.uniform(-shifted, shifted, 2))
        far.append(found(roof, walls, draw.uniform(0, 90), (draw.uniform(0, 1), draw.uniform(0, 1))))
    assert np.mean(far) < mean


def test_an_edge_with_an_overhang_of_its_own_keeps_it() -> None:
    walls = box(-6, -4, 6, 4)
    far = [found(box(-6.2, -4.2, 6.2, 5.2), walls, turn) for turn in range(5, 90, 10)]
    assert np.mean(far) < 0.25


def test_short_edges_move_with_the_outline() -> None:
    house = union_all([box(-6, -4, 6, 4), box(0, 4, 1.2, 6)])
    far = [found(house, affinity.translate(house, 0.6, 0), turn) for turn in range(5, 90, 10)]
    assert np.mean(far) < 0.2
