"""Carrying a field along a motion: what comes where, and what is missing."""

import numpy as np
import pytest

from kernels.motion import march, sample

SHAPE = (60, 80)


def grid():
    row, column = np.meshgrid(np.arange(SHAPE[0]), np.arange(SHAPE[1]), indexing="ij")
    return row.astype(np.float32), column.astype(np.float32)


def everywhere(value):
    return np.full(SHAPE, value, np.float32)


def looked_up(field, row, column):
    out = np.empty(row.size, np.float32)
    sample(field, row.ravel(), column.ravel(), out)
    return out.reshape(row.shape)


def carried(field, row_speed, column_speed, seconds, n_steps=1):
    row, column = (a.ravel().copy() for a in grid())
    march(row, column, row_speed, column_speed, np.full(row.size, seconds, np.float32), n_steps)
    return looked_up(field, row, column).reshape(SHAPE)


def test_a_field_arrives_where_the_motion_takes_it():
    """A sign, or rows for columns: one hour at 3 rows and 5 columns an hour."""
    row, column = grid()
    field = (np.sin(row / 7) + np.cos(column / 5)).astype(np.float32)
    later = carried(field, everywhere(3 / 3600), everywhere(5 / 3600), 3600)
    np.testing.assert_allclose(later[3:, 5:], field[:-3, :-5], atol=2e-4)
    earlier = carried(field, everywhere(3 / 3600), everywhere(5 / 3600), -3600)
    np.testing.assert_allclose(earlier[:-3, :-5], field[3:, 5:], atol=2e-4)


def test_what_comes_from_beyond_the_edge_is_missing():
    later = carried(everywhere(1), everywhere(0), everywhere(10 / 3600), 3600)
    assert np.isnan(later[:, :9]).all()
    assert (later[:, 10:] == 1).all()


def test_no_time_changes_nothing():
    draw = np.random.default_rng(1)
    field, speed = draw.random(SHAPE, np.float32), draw.random(SHAPE, np.float32)
    np.testing.assert_array_equal(carried(field, speed, speed, 0), field)


def test_a_turning_motion_is_followed_round():
    """A quarter of a turn around the middle: straight lines would leave the circle by half its radius."""
    row, column = grid()
    middle, turn = (29.5, 39.5), np.float32(np.pi / 2 / 3600)
    row_speed, column_speed = turn * (column - middle[1]), -turn * (row - middle[0])
    at_row, at_column = np.array([middle[0]], np.float32), np.array([middle[1] + 20], np.float32)
    march(at_row, at_column, row_speed, column_speed, np.array([3600], np.float32), 16)
    # backwards: what is east of the middle now was south of it (at lower rows) before
    np.testing.assert_allclose((at_row[0], at_column[0]), (middle[0] - 20, middle[1]), atol=0.1)


def test_values_lie_between_their_neighbours_and_a_plane_is_kept():
    row, column = grid()
    draw = np.random.default_rng(2)
    at_row, at_column = (59 * draw.random(500)).astype(np.float32), (79 * draw.random(500)).astype(np.float32)
    np.testing.assert_allclose(
        looked_up(0.5 * row - 0.25 * column, at_row, at_column), 0.5 * at_row - 0.25 * at_column, atol=1e-4
    )
    noise = draw.random(SHAPE, np.float32)
    found = looked_up(noise, at_row, at_column)
    assert ((found >= noise.min()) & (found <= noise.max())).all()


@pytest.mark.parametrize(
    ("row", "column", "expected"),
    [
        (10.0, 20.4, 1.0),  # the missing neighbour weighs 0.4: the others speak
        (10.0, 20.6, np.nan),  # it weighs 0.6: nobody knows
        (10.0, 21.0, np.nan),
        (10.0, 20.0, 1.0),
        (-0.4, 0.0, 1.0),  # within half a cell of the outermost centres
        (-0.6, 0.0, np.nan),
        (59.4, 79.4, 1.0),
        (59.6, 79.0, np.nan),
        (np.nan, 5.0, np.nan),
        (5.0, np.inf, np.nan),
    ],
)
def test_missing_neighbours(row, column, expected):
    field = everywhere(1)
    field[10, 21] = np.nan
    found = looked_up(field, np.array([row], np.float32), np.array([column], np.float32))
    np.testing.assert_array_equal(found, np.float32(expected))


def test_wrong_sizes_are_refused():
    three, two = np.zeros(3, np.float32), np.zeros(2, np.float32)
    with pytest.raises(ValueError, match="column has shape"):
        sample(everywhere(1), three, two, three)
    with pytest.raises(ValueError, match=r"not at least \(2, 2\)"):
        sample(np.zeros((1, 9), np.float32), three, three, three)
    with pytest.raises(ValueError, match="row_speed has shape"):
        march(three, three, everywhere(0), np.zeros((9, 9), np.float32), three)
    with pytest.raises(ValueError, match="n_steps"):
        march(three, three, everywhere(0), everywhere(0), three, 0)
