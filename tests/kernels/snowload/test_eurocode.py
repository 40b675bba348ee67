"""The rule of the national table; the municipality here is made up."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.snowload.eurocode import site_load, steps

TABLE = 3.5, 150.0, 1.0, 6.0  # sk0, hg, dsk, skmax


@pytest.mark.parametrize(
    ("altitude", "load"), [(-3.0, 3.5), (150.0, 3.5), (150.1, 4.5), (250.0, 4.5), (251.0, 5.5), (350.1, 6), (2469.0, 6)]
)
def test_each_100_m_begun_add_a_step_up_to_the_cap(altitude: float, load: float) -> None:
    assert site_load(*TABLE, altitude) == load


@pytest.mark.parametrize(
    ("hg", "altitude", "number"),
    [
        (0.3, 0.1 + 0.2, 0),
        (150.0, 250.0000001, 1),
        (150.0, 150.0000001, 0),
        (150.0, 150.02, 1),
    ],
)
def test_no_step_is_added_for_the_last_digit_of_a_number(hg: float, altitude: float, number: int) -> None:
    """Heights count in centimetres: 2 cm are a step, a few tenths of a millimetre are none."""
    assert steps(hg, altitude) == number


@given(hg=st.integers(0, 10_000), tenths=st.integers(-1_000, 25_000))
def test_heights_of_tenths_are_exact_in_any_precision(hg: int, tenths: int) -> None:
    """As products hold them: whole tenths of a metre, at times times 0.1, at times in single precision."""
    expected = max(-(-(tenths - hg) // 1000), 0)
    for altitude in (tenths / 10, tenths * 0.1, np.float32(tenths * 0.1), np.float64(np.float32(tenths / 10))):
        assert steps(hg / 10, altitude) == steps(hg * 0.1, altitude) == expected
        assert site_load(1.5, hg / 10, 0.5, 9.0, altitude) == min(1.5 + 0.5 * expected, 9.0)


@pytest.mark.parametrize("heights", [(150.0, math.nan), (150.0, math.inf), (math.nan, 100.0)])
def test_height_that_is_no_number_is_refused(heights: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="a height is a number of metres"):
        steps(*heights)
