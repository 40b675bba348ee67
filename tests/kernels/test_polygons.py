"""Which areas hold a point: against the rule itself in fractions, and where areas share borders exactly one does."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kernels.polygons import Rings

point = st.tuples(st.integers(-12, 12), st.integers(-12, 12))
walks_of_areas = st.lists(st.lists(point, min_size=3, max_size=9), min_size=1, max_size=4)


def edges(walk):
    return list(pairwise([*walk, walk[0]]))


def made(*walks, area=None):
    """Rings of closed walks whose first point is not repeated, each of an area of its own."""
    first = np.cumsum([0, *(len(walk) + 1 for walk in walks)])
    x, y = np.array([place for walk in walks for place in [*walk, walk[0]]], np.int32).T
    return Rings(x, y, first, np.arange(len(walks)) if area is None else np.array(area))


def held(of, x, y):
    return np.flatnonzero(of.around(x, y, 0)[0]).tolist()


def odd(walk, x, y):
    """Whether an odd number of a ring's edges is east of a point, moved a little east and far less north."""
    px, py = x + Fraction(1, 10**6), y + Fraction(1, 10**12)
    crossing = [((x0, y0), (x1, y1)) for (x0, y0), (x1, y1) in edges(walk) if (y0 < py) != (y1 < py)]
    return sum(px < x0 + (py - y0) * (x1 - x0) / (y1 - y0) for (x0, y0), (x1, y1) in crossing) % 2 == 1


@given(walks_of_areas, st.lists(point, min_size=1, max_size=8))
def test_point_is_held_by_the_even_odd_rule_on_corners_and_edges_too(walks, points):
    of = made(*walks)
    middle = [((x0 + x1) // 2, (y0 + y1) // 2) for (x0, y0), (x1, y1) in edges(walks[0])]
    for x, y in [*points, *middle, *walks[-1]]:
        assert held(of, x, y) == [k for k, walk in enumerate(walks) if odd(walk, x, y)]


@st.composite
def patchwork(draw):
    """Four by four areas that share crooked borders, each walked from anywhere and either way."""
    crooked = st.tuples(st.integers(-1, 1), st.integers(-1, 1))
    nodes = {}
    for i, j in product(range(5), repeat=2):
        x, y = draw(crooked)
        nodes[i, j] = (4 * i + x * (0 < i < 4), 4 * j + y * (0 < j < 4))
    walks = []
    for i, j in product(range(4), repeat=2):
        walk = [nodes[i, j], nodes[i + 1, j], nodes[i + 1, j + 1], nodes[i, j + 1]]
        start = draw(st.integers(0, 3))
        walks.append((walk[start:] + walk[:start])[:: draw(st.sampled_from([1, -1]))])
    return walks


@given(patchwork())
@settings(max_examples=15)
def test_of_areas_that_share_borders_exactly_one_holds_a_point(walks):
    """The far edges are of who is beyond."""
    of = made(*walks)
    for x, y in product(range(-1, 18), repeat=2):
        assert len(held(of, x, y)) == (0 <= x < 16 and 0 <= y < 16)


def test_hole_is_a_ring_more():
    of = made([(0, 0), (10, 0), (10, 10), (0, 10)], [(4, 4), (6, 4), (6, 6), (4, 6)], area=[0, 0])
    assert held(of, 2, 2) == [0]
    assert held(of, 5, 5) == held(of, 4, 4) == []
    assert held(of, 6, 6) == [0], "the hole's far corner is not of the hole"


def test_nothing_is_rounded_far_out():
    far = 2**30
    of = made([(-far, -far), (far, far), (far, -far)])
    assert held(of, 12_345_678, 12_345_678) == [0], "on the edge"
    assert held(of, 12_345_677, 12_345_678) == []
    slender = made([(-far, -far), (far, far - 1), (far, -far)])
    assert held(slender, 0, 0) == []
    assert held(slender, 0, -1) == [0]


def away(walk, x, y):
    """How far the nearest edge of a ring is, of a great many points along each."""
    ends = np.array(edges(walk), float)
    along = ends[:, :1] + np.linspace(0, 1, 2001)[:, None] * (ends[:, 1:] - ends[:, :1])
    return np.hypot(*(along - (x, y)).T).min()


@given(walks_of_areas, point, st.sampled_from([1.5, 6.0, 100.0]))
@settings(max_examples=50)
def test_distance_of_a_ring_is_that_of_its_nearest_edge(walks, place, reach):
    expected = np.array([away(walk, *place) for walk in walks])
    assume((np.abs(expected - reach) > 0.1).all())
    _, distance = made(*walks).around(*place, reach)
    near = expected <= reach
    np.testing.assert_allclose(distance[near], expected[near], atol=0.01)
    assert (distance[~near] > reach).all()
