"""Which areas hold a point: against the rule itself in fractions, and where areas share borders exactly one does."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kernels.polygons import Rings

coordinate = st.integers(-12, 12)
point = st.tuples(coordinate, coordinate)
corners = st.lists(point, min_size=3, max_size=9)


def made(*walks, area=None):
    """Rings of closed walks whose first point is not repeated, each of an area of its own."""
    closed = [[*walk, walk[0]] for walk in walks]
    first = np.cumsum([0, *(len(ring) for ring in closed)])
    x, y = np.array([place for ring in closed for place in ring], np.int32).T
    return Rings(x, y, first, np.arange(len(walks)) if area is None else np.array(area))


def held(of, x, y):
    return np.flatnonzero(of.around(x, y, 0)[0]).tolist()


def odd(walk, x, y):
    """Whether an odd number of a ring's edges is east of a point, moved a little east and far less north."""
    px, py = x + Fraction(1, 10**6), y + Fraction(1, 10**12)
    crossed = 0
    for (x0, y0), (x1, y1) in pairwise([*walk, walk[0]]):
        if (y0 < py) != (y1 < py):
            crossed += px < x0 + (py - y0) * (x1 - x0) / (y1 - y0)
    return crossed % 2 == 1


def away(walk, x, y):
    """How far the nearest edge of a ring is, of a great many points along each."""
    ends = np.array([*walk, walk[0]], float)
    along = np.linspace(0, 1, 2001)[:, None]
    return min(np.hypot(*(a + along * (b - a) - (x, y)).T).min() for a, b in pairwise(ends))


@given(st.lists(corners, min_size=1, max_size=4), st.lists(point, min_size=1, max_size=8), st.integers(0, 11))
def test_it_is_the_rule_on_corners_and_edges_too(walks, points, which):
    of = made(*walks)
    middle = [((x0 + x1) // 2, (y0 + y1) // 2) for (x0, y0), (x1, y1) in pairwise(walks[0])]
    for x, y in [*points, *middle, *walks[which % len(walks)]]:
        assert held(of, x, y) == [k for k, walk in enumerate(walks) if odd(walk, x, y)]


@st.composite
def patchwork(draw):
    """Four by four areas that share crooked borders, each walked from anywhere and either way."""
    off = draw(st.lists(st.tuples(st.integers(-1, 1), st.integers(-1, 1)), min_size=25, max_size=25))
    nodes = {
        (i, j): (4 * i + off[5 * i + j][0] * (0 < i < 4), 4 * j + off[5 * i + j][1] * (0 < j < 4))
        for i in range(5)
        for j in range(5)
    }
    walks = []
    for i in range(4):
        for j in range(4):
            walk = [nodes[i, j], nodes[i + 1, j], nodes[i + 1, j + 1], nodes[i, j + 1]]
            start, back = draw(st.integers(0, 3)), draw(st.booleans())
            walk = walk[start:] + walk[:start]
            walks.append(walk[::-1] if back else walk)
    return walks


@given(patchwork())
@settings(max_examples=25)
def test_of_areas_that_share_borders_exactly_one_holds_a_point(walks):
    of = made(*walks)
    for x in range(-1, 18):
        for y in range(-1, 18):
            lies_in = 0 <= x < 16 and 0 <= y < 16  # the far edges are of who is beyond
            assert len(held(of, x, y)) == lies_in


def test_a_hole_is_a_ring_more():
    of = made([(0, 0), (10, 0), (10, 10), (0, 10)], [(4, 4), (6, 4), (6, 6), (4, 6)], area=[0, 0])
    assert held(of, 2, 2) == [0]
    assert held(of, 5, 5) == held(of, 4, 4) == []
    assert held(of, 6, 6) == [0], "the hole's far corner is not of the hole"
    assert held(of, 10, 5) == held(of, 5, 10) == held(of, -1, 5) == []


def test_nothing_is_rounded_far_out():
    far = 2**30
    of = made([(-far, -far), (far, far), (far, -far)])
    assert held(of, 12_345_678, 12_345_678) == [0], "on the edge"
    assert held(of, 12_345_677, 12_345_678) == []
    slender = made([(-far, -far), (far, far - 1), (far, -far)])
    assert held(slender, 0, 0) == []
    assert held(slender, 0, -1) == [0]


@given(st.lists(corners, min_size=1, max_size=4), point, st.sampled_from([1.5, 6.0, 100.0]))
def test_how_far_a_ring_is(walks, place, reach):
    expected = {k: away(walk, *place) for k, walk in enumerate(walks)}
    assume(all(abs(distance - reach) > 0.1 for distance in expected.values()))
    _, distance = made(*walks).around(*place, reach)
    near = np.array([k for k, away in expected.items() if away <= reach], int)
    np.testing.assert_allclose(distance[near], [expected[k] for k in near.tolist()], atol=0.01)
    assert (np.delete(distance, near) > reach).all()


def test_an_edge_that_passes_between_far_corners_is_near():
    of = made([(-1000, 0), (1000, 0), (0, 5000)], [(0, -3), (9, -3), (5, -9)], [(9, 20), (12, 20), (5, 29)])
    assert of.around(0, 4, 7.0)[1].tolist() == [4.0, 7.0, np.inf]
