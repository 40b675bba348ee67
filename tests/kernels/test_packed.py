"""Packed integers back to what they stand for."""

import numpy as np
import pytest

from kernels.packed import Packed, unpack

UNITS = np.array([(0.1, 0.0), (0.01, -100.0), (1.0, 0.5)])
PACKED = np.random.default_rng(1).integers(0, 65536, (3, 67)).astype("<u2")


@pytest.mark.parametrize("first", [0, 1, 66])
@pytest.mark.parametrize("variables", [1, 3])
def test_every_series_begins_at_the_same_hour(variables: int, first: int) -> None:
    units = UNITS[:variables]
    got = unpack(Packed(PACKED[:variables].tobytes(), UNITS, first), variables)
    np.testing.assert_allclose(got, PACKED[:variables, first:] * units[:, :1] + units[:, 1:], rtol=1e-14)


@pytest.mark.parametrize(("size", "first", "units"), [(133, 0, 3), (134, 67, 3), (134, -1, 3), (0, 0, 3), (134, 0, 1)])
def test_sizes_are_checked(size: int, first: int, units: int) -> None:
    with pytest.raises(ValueError, match="no 2 series"):
        unpack(Packed(PACKED.tobytes()[: 2 * size], UNITS[:units], first), 2)
