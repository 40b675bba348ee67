"""Carrying a field along a motion: what comes where, and what is missing."""

import numpy as np
import pytest

from kernels.motion import march, sample

SHAPE = (60, 80)
ROW, COLUMN = np.indices(SHAPE).astype(np.float32)


def everywhere(value):
    return np.full(SHAPE, value, np.float32)


def looked_up(field, row, column):
    out = np.empty(np.size(row), np.float32)
    sample(field, np.ravel(row).astype(np.float32), np.ravel(column).astype(np.float32), out)
    return out.reshape(np.shape(row))


def carried(field, row_speed, column_speed, seconds):
    row, column = ROW.ravel().copy(), COLUMN.ravel().copy()
    march(row, column, row_speed, column_speed, np.full(row.size, seconds, np.float32), 1)
    return looked_up(field, row, column).reshape(SHAPE)


def test_field_arrives_where_the_motion_takes_it():
    """A sign, or rows for columns: one hour at 3 rows and 5 columns an hour. Beyond the edge it is missing."""
    field, speeds = np.sin(ROW / 7) + np.cos(COLUMN / 5), (everywhere(3 / 3600), everywhere(5 / 3600))
    later, earlier = carried(field, *speeds, 3600), carried(field, *speeds, -3600)
    np.testing.assert_allclose(later[3:, 5:], field[:-3, :-5], atol=2e-4)
    np.testing.assert_allclose(earlier[:-3, :-5], field[3:, 5:], atol=2e-4)
    assert np.isnan(later[:, :4]).all()
    assert np.isnan(later[:2]).all()
    np.testing.assert_array_equal(carried(field, *speeds, 0), field)


def test_turning_motion_is_followed_round():
    """A quarter of a turn around the middle: straight lines would leave the circle by half its radius."""
    turn = np.float32(np.pi / 2 / 3600)
    row, column = np.array([29.5], np.float32), np.array([39.5 + 20], np.float32)
    march(row, column, turn * (COLUMN - 39.5), -turn * (ROW - 29.5), np.array([3600], np.float32), 16)
    # backwards: what is east of the middle now was south of it (at lower rows) before
    np.testing.assert_allclose((row[0], column[0]), (29.5 - 20, 39.5), atol=0.1)


def test_values_lie_between_their_neighbours_and_a_plane_is_kept():
    draw = np.random.default_rng(2)
    row, column = draw.uniform(0, (59, 79), (500, 2)).astype(np.float32).T
    plane = looked_up(0.5 * ROW - 0.25 * COLUMN, row, column)
    np.testing.assert_allclose(plane, 0.5 * row - 0.25 * column, atol=1e-4)
    noise = draw.random(SHAPE, np.float32)
    found = looked_up(noise, row, column)
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
def test_value_is_missing_where_most_of_its_neighbours_are(row, column, expected):
    field = everywhere(1)
    field[10, 21] = np.nan
    np.testing.assert_array_equal(looked_up(field, [row], [column]), np.float32(expected))


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
