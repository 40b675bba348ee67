"""Whole degrees and beam losses of a horizon in half degrees: their laws."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kernels.horizon.tables import beam_losses, whole_degrees

ELEVATIONS = arrays(np.float64, 720, elements=st.floats(-10, 90))


@given(ELEVATIONS)
def test_a_whole_degree_is_the_highest_of_three_and_never_below_the_plane(elevation: Any) -> None:
    found = whole_degrees(elevation)
    for degree in range(360):
        three = [elevation[(2 * degree + n) % 720] for n in (-1, 0, 1)]
        assert found[degree] == max(0.0, *three)


@given(ELEVATIONS)
def test_a_loss_grows_with_the_horizon_and_shrinks_with_altitude(elevation: Any) -> None:
    table = beam_losses(elevation)
    assert table.shape == (91, 361)
    assert ((table >= 0) & (table <= 1)).all()
    assert (np.diff(table, axis=0) <= 1e-12).all()
    assert (beam_losses(elevation + 1.0) >= table - 1e-12).all()
    np.testing.assert_array_equal(table[:, 0], table[:, 360])


def test_a_plain_hides_nothing_and_a_wall_all_below_it() -> None:
    assert (beam_losses(np.zeros(720)) == 0).all()
    table = beam_losses(np.full(720, 20.0))
    assert (table[:20] == 1).all()
    assert (table[20] == 0.5).all()
    assert (table[21:] == 0).all()
    assert (beam_losses(np.full(720, 90.0)) == 1).all()


def test_half_a_degree_belongs_to_the_azimuths_on_both_of_its_sides() -> None:
    for at, columns in ((181, (90, 91)), (719, (0, 359, 360)), (1, (0, 1, 360))):
        elevation = np.zeros(720)
        elevation[at] = 90.0
        expected = np.zeros((91, 361))
        expected[:, columns] = 0.25
        np.testing.assert_allclose(beam_losses(elevation), expected, atol=1e-12)
