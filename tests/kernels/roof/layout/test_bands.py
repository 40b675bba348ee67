"""Packing against plain searches that know nothing of corners' polygons."""

import math

import numpy as np
import pytest
import shapely
from shapely import Polygon, box
from shapely.affinity import rotate

from kernels.roof.layout.bands import best_lattice, best_rows, corner_edges

GAP = 0.02
PORTRAIT, LANDSCAPE = (1.134, 2.382), (2.382, 1.134)


def pitch_of(size):
    return size[0] + GAP, size[1] + GAP


def pack(region, size, pitch, min_run=1):
    return best_lattice(corner_edges(region, *size), pitch, min_run)


def pack_rows(region, size, pitch, *, align):
    return best_rows(corner_edges(region, *size), pitch, align=align)


def any_region(random):
    """A polygon of 5 to 9 corners, some 10 x 8 m, with holes."""
    corners = int(random.integers(5, 10))
    angles = np.sort(random.uniform(0, 2 * np.pi, corners))
    radii = random.uniform(2.5, 6, corners)
    region = Polygon(np.column_stack([1.3 * radii * np.cos(angles), radii * np.sin(angles)])).buffer(0)
    for _ in range(random.integers(3)):
        x, y = random.uniform(-3, 3, 2)
        region = region.difference(rotate(box(x, y, x + 0.7, y + 0.7), random.uniform(0, 90)))
    return region


def runs_of(inside, min_run):
    """Number of modules in runs that are long enough, by row."""
    total = 0
    for row in inside:
        run = 0
        for one in [*row, False]:
            run = run + 1 if one else 0 * (total := total + (run if run >= min_run else 0))
    return total


def plain_lattice(region, size, min_run):
    """The most modules at any of many offsets, each module tried on its own."""
    (w, h), (west, south, east, north), best = size, region.bounds, 0
    (pu, pv), inner = pitch_of(size), region.buffer(1e-7)
    shapely.prepare(inner)
    for du in np.arange(0, pu, 0.05):
        for dv in np.arange(0, pv, 0.05):
            u, v = np.meshgrid(np.arange(west + du, east - w, pu), np.arange(south + dv, north - h, pv))
            if u.size:
                best = max(best, runs_of(shapely.covers(inner, shapely.box(u, v, u + w, v + h)), min_run))
    return best


def plain_rows(region, size, min_run, slack=0.0):
    """The row optimum by strips, of a region that is larger by a slack: what of a strip is not free is projected."""
    region = region.buffer(slack)
    (w, h), (west, south, east, north) = size, region.bounds
    heights = np.arange(south, north - h + 1e-9, 0.01)
    taken = np.zeros(heights.size)
    for i, v in enumerate(heights):
        missing = box(west - 1, v, east + 1, v + h).difference(region)
        sides = sorted(part.bounds[::2] for part in shapely.get_parts(missing) if part.area > 1e-9)
        reached = -math.inf
        for low, high in sides:
            if reached > -math.inf:
                number = math.floor((low - reached + GAP) / (w + GAP) + 1e-9)
                taken[i] += number if number >= max(min_run, 1) else 0
            reached = max(reached, high)
    total = np.zeros(heights.size + 1)
    after = np.searchsorted(heights, heights + h + GAP - 1e-9)
    for i in range(heights.size - 1, -1, -1):
        total[i] = max(total[i + 1], taken[i] + total[after[i]])
    return int(total[0])


@pytest.mark.parametrize("seed", range(24))
def test_lattice_is_no_worse_than_an_exhaustive_search_and_no_better_than_rows(seed):
    random = np.random.default_rng(seed)
    region, size = any_region(random), PORTRAIT if seed % 2 else LANDSCAPE
    min_run = 1 + seed % 3
    edges = corner_edges(region, *size)
    if not len(edges):
        return
    lattice = best_lattice(edges, pitch_of(size), min_run)
    rows = best_rows(edges, pitch_of(size), min_run)
    columns = best_rows(edges, pitch_of(size), min_run, align=True)
    assert plain_lattice(region, size, min_run) <= lattice.row.size <= columns.row.size <= rows.row.size
    assert plain_rows(region, size, min_run) - 1 <= rows.row.size <= plain_rows(region, size, min_run, 0.012)


@pytest.mark.parametrize(("across", "up"), [(1, 1), (5, 2), (10, 4)])
def test_a_rectangle_that_fits_exactly_is_filled(across, up):
    w, h = PORTRAIT
    exact = box(0, 0, across * (w + GAP) - GAP, up * (h + GAP) - GAP)
    turned = rotate(rotate(exact, 37.0, origin=(3, 4)), -37.0, origin=(3, 4))
    for region in (exact, turned):
        found = pack(region, PORTRAIT, pitch_of(PORTRAIT))
        assert found.row.size == across * up
        assert found.rectangularity == 1.0
    smaller = box(0, 0, exact.bounds[2] - 1e-3, exact.bounds[3])
    assert pack(smaller, PORTRAIT, pitch_of(PORTRAIT)).row.size == (across - 1) * up


def test_rows_shorter_than_the_shortest_run_are_left_out():
    step = box(0, 0, 6, 2.5).union(box(0, 2.5, 2.4, 5))
    counts = [pack(step, PORTRAIT, pitch_of(PORTRAIT), min_run=run).row.size for run in (1, 2, 3, 6)]
    assert counts == [7, 7, 5, 0]


def test_rows_that_begin_anywhere_hold_more_on_a_slant():
    slanted = Polygon([(0, 0), (4.05, 0), (6.4, 9.8), (2.35, 9.8)])
    lattice = pack(slanted, PORTRAIT, pitch_of(PORTRAIT))
    rows = pack_rows(slanted, PORTRAIT, pitch_of(PORTRAIT), align=False)
    assert (lattice.order, rows.order) == ("lattice", "rows")
    assert rows.row.size >= 1.1 * lattice.row.size
    assert pack_rows(box(0, 0, 10, 5), PORTRAIT, pitch_of(PORTRAIT), align=False).order == "lattice"


def test_rows_in_columns_hold_more_around_a_thing_in_the_middle():
    """Between rows 1 and 2 of a lattice is room for 0.02 m, and the thing is 0.5 m wide."""
    region = box(0, 0, 6, 5.5).difference(box(0, 2.45, 6, 2.95))
    lattice = pack(region, PORTRAIT, pitch_of(PORTRAIT))
    columns = pack_rows(region, PORTRAIT, pitch_of(PORTRAIT), align=True)
    assert (lattice.row.size, columns.row.size, columns.order) == (5, 10, "columns")
    offsets = np.mod(columns.corner[:, 0] - columns.corner[0, 0] + 0.1, pitch_of(PORTRAIT)[0])
    assert offsets == pytest.approx(0.1)
    assert columns.column.tolist() == 2 * columns.column[:5].tolist()


def test_modules_dropped_from_a_row_take_short_remainders_with_them():
    found = pack(box(0, 0, 7, 2.5), PORTRAIT, pitch_of(PORTRAIT), min_run=2)
    assert found.row.size == 6
    mask = np.ones(6, bool)
    mask[1] = False
    assert found.keep(mask, 2).column.tolist() == found.column[2:].tolist()
    assert found.keep(mask, 1).row.size == 5
    assert found.keep(np.zeros(6, bool), 1).row.size == 0


def test_of_equal_lattices_the_most_rectangular_one_is_chosen():
    """Below is room for 3 modules with 0.9 m to spare, above for 3 that may stand under them or a column aside."""
    pu, pv = pitch_of(PORTRAIT)
    region = box(0, 0, 3 * pu + 0.9, pv).union(box(0.5, pv, 0.5 + 3 * pu + 0.9, 2 * pv))
    found = pack(region, PORTRAIT, pitch_of(PORTRAIT))
    assert (found.row.size, found.rectangularity) == (6, 1.0)


def test_a_region_without_room_holds_nothing():
    for region in (Polygon(), box(0, 0, 1, 1), box(0, 0, 5, 2.38), box(0, 0, 1.13, 9)):
        assert pack(region, PORTRAIT, pitch_of(PORTRAIT)).row.size == 0
