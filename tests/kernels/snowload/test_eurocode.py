"""The rule of the national table; the municipality here is made up."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.snowload.eurocode import site_load, steps

SK0, HG, DSK, SKMAX = 3.5, 150.0, 1.0, 6.0


@pytest.mark.parametrize(
    ("altitude", "load"),
    [
        (-3.0, 3.5),
        (0.0, 3.5),
        (149.9, 3.5),
        (150.0, 3.5),
        (150.1, 4.5),
        (151.0, 4.5),
        (250.0, 4.5),
        (251.0, 5.5),
        (350.0, 5.5),
        (350.1, 6.0),
        (2469.0, 6.0),
    ],
)
def test_each_100_m_begun_add_a_step_up_to_the_cap(altitude: float, load: float) -> None:
    assert site_load(SK0, HG, DSK, SKMAX, altitude) == load


@pytest.mark.parametrize(("above", "number"), [(-200, 0), (-100, 0), (0, 0), (1, 1), (100, 1), (101, 2), (2000, 20)])
@pytest.mark.parametrize("hg", [0.0, 150.0, 250.5])
def test_steps_are_counted(above: float, number: int, hg: float) -> None:
    assert steps(hg, hg + above) == number


def test_a_cell_below_the_sea() -> None:
    assert steps(-20.0, -30.0) == 0
    assert steps(-20.0, 0.0) == 1


def test_no_step_for_the_last_digit_of_a_number() -> None:
    """Heights count in centimetres: 2 cm are a step, a few tenths of a millimetre are none."""
    assert steps(0.3, 0.1 + 0.2) == 0 < 0.1 + 0.2 - 0.3
    assert steps(150.0, 250.0000001) == 1
    assert steps(150.0, 150.0000001) == 0
    assert steps(150.0, 250.02) == 2
    assert steps(150.0, 150.02) == 1
    assert isinstance(steps(150.0, np.float32(250.1)), int)


@given(hg=st.integers(0, 10_000), tenths=st.integers(-1_000, 25_000))
def test_heights_of_tenths_are_exact_in_any_precision(hg: int, tenths: int) -> None:
    """As products hold them: whole tenths of a metre, at times times 0.1, at times in single precision."""
    expected = max(-(-(tenths - hg) // 1000), 0)
    for altitude in (tenths / 10, tenths * 0.1, np.float32(tenths * 0.1), np.float64(np.float32(tenths / 10))):
        assert steps(hg / 10, altitude) == expected
        assert steps(hg * 0.1, altitude) == expected
        load = site_load(1.5, hg / 10, 0.5, 9.0, altitude)
        assert load == min(1.5 + 0.5 * expected, 9.0)


@pytest.mark.parametrize("altitude", [math.nan, math.inf, -math.inf])
def test_no_number_is_no_height(altitude: float) -> None:
    with pytest.raises(ValueError, match="a height is a number of metres"):
        site_load(SK0, HG, DSK, SKMAX, altitude)
    with pytest.raises(ValueError, match="a height is a number of metres"):
        site_load(SK0, altitude, DSK, SKMAX, 100.0)
