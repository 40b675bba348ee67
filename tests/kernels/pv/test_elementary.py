"""The exponential and the logarithm of inner loops, against numpy's."""

import numpy as np
from numba import njit

from kernels.pv.plane import exp_down, log_into


@njit
def _exp(values, out):  # type: ignore[no-untyped-def]
    for i in range(values.size):
        out[i] = exp_down(values[i])


@njit
def _log(values, out):  # type: ignore[no-untyped-def]
    log_into(values, out)


def test_the_exponential_is_numpys() -> None:
    """From 0 down to -6.5, within 4e-9 of its value; 1 at 0."""
    values = np.linspace(-6.5, 0, 20_001)
    out = np.empty_like(values)
    _exp(values, out)
    np.testing.assert_allclose(out, np.exp(values), rtol=4e-9)
    assert out[-1] == 1.0


def test_the_logarithm_is_numpys() -> None:
    """Over all magnitudes of irradiance and far beyond, within 2e-11, and without a step at powers of two."""
    powers = 2.0 ** np.arange(-40, 12)
    values = np.concatenate(
        [np.geomspace(1e-12, 1e4, 20_001), powers, np.nextafter(powers, 0), np.nextafter(powers, 1e9)]
    )
    out = np.empty_like(values)
    _log(values, out)
    np.testing.assert_allclose(out, np.log(values), atol=2e-11, rtol=2e-12)
