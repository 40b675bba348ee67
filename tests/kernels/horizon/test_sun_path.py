"""The sun's path of a day over a horizon."""

import numpy as np
import pytest

from kernels.horizon.sun_path import STEP_MIN, sun_path

MARCH = int(np.datetime64("2025-03-20T00:00", "s").astype(int))
FLAT, AZIMUTHS = np.zeros(720), np.arange(720) / 2


def test_on_a_plain_the_sun_is_seen_as_long_as_it_is_up() -> None:
    path = sun_path(MARCH, 59.91, 10.75, 0.0, FLAT)
    assert (path.up == path.seen).all()
    assert path.up.sum() * STEP_MIN / 60 == pytest.approx(12.2, abs=0.2)
    assert path.azimuth[path.elevation.argmax()] == pytest.approx(180, abs=2)


def test_a_wall_in_the_east_hides_half_an_equinox() -> None:
    path = sun_path(MARCH, 59.91, 10.75, 0.0, np.where(AZIMUTHS < 180, 60.0, 0.0))
    assert path.seen.sum() == pytest.approx(path.up.sum() / 2, abs=2)
    assert path.azimuth[path.seen].min() > 179
