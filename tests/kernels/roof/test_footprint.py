"""The edge of a roof, from the outline of the walls and the cells that lie on its planes."""

import numpy as np
import pytest
import shapely
from shapely import Polygon, affinity, box

from kernels.roof.field import Field
from kernels.roof.footprint import region_of, roof_edge

WALLS = box(-6, -4, 6, 4)


def found(roof: Polygon, outline: Polygon, turn: float) -> float:
    """Farthest distance between the edge found in cells of 1 m and the true one, m."""
    roof, outline = (affinity.rotate(one, turn, (0, 0)) for one in (roof, outline))
    empty = np.zeros((30, 30))
    field = Field(empty, empty, np.array([-14.6, -14.3, 1.0, 0.0, 0.0, 1.0]))
    edge = roof_edge(outline, field, shapely.contains_xy(roof, *field.positions()), region_of(outline, []))
    return float(shapely.hausdorff_distance(edge, roof))


@pytest.mark.parametrize("shift", [(0.0, 0.0), (0.6, -0.4), (-0.5, 0.7)])
def test_edges_together_tell_overhang_and_shift_to_a_fraction_of_a_cell(shift: tuple[float, float]) -> None:
    roof = WALLS.buffer(0.5, join_style="mitre")
    far = [found(roof, affinity.translate(WALLS, *shift), turn) for turn in range(5, 90, 10)]
    assert np.median(far) < 0.12
    assert max(far) < 0.5  # at 45 degrees the rows are 0.7 m apart


def test_an_edge_with_an_overhang_of_its_own_keeps_it() -> None:
    far = [found(box(-6.2, -4.2, 6.2, 5.2), WALLS, turn) for turn in range(5, 90, 10)]
    assert max(far) < 0.5
