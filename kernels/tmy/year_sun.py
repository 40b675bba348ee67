"""The sun of the year whose dates a typical year bears, for no place in particular."""

import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.sun import sun_table
from kernels.tmy.calendar import PLACEHOLDER_YEAR, YEAR_HOURS, Calendar

SAMPLES = 12
"""Moments of an hour of sunrise or sunset: the middles of its five minutes."""


class YearSun(NamedTuple):
    """Where the sun is, in earth-fixed axes (see `kernels.sun.SunTable`); nobody writes to it.

    Parameters
    ----------
    middles : float64 (8760, 3)
        In the middle of each hour.
    samples : float64 (8760, 12, 3)
        And in the middle of its five minutes.
    e0 : float64 (8760,)
        Extraterrestrial normal irradiance in the middle of each hour, W/m2.
    """

    middles: NDArray[np.float64]
    samples: NDArray[np.float64]
    e0: NDArray[np.float64]


@functools.cache
def year_sun() -> YearSun:
    """Place the sun in the hours of the placeholder year, once per process: 2.8 MB."""
    hours = Calendar(PLACEHOLDER_YEAR, PLACEHOLDER_YEAR).unix
    year = sun_table(hours + 1800)
    step = 3600 // SAMPLES
    samples = sun_table((hours[:, None] + step // 2 + step * np.arange(SAMPLES)).ravel())
    made = YearSun(year.direction, samples.direction.reshape(YEAR_HOURS, SAMPLES, 3), year.e0)
    for array in made:
        array.flags.writeable = False
    return made
