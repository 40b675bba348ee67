"""The characteristic snow of a cell and of a site, and what is usual of it."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.snowload.fits import combined, levels

GRAVITY = 9.8
"""m/s2, as the table of the national annex reckons."""

_EULER = 0.5772156649015329
_VARIATION = 0.65

Floats = NDArray[np.float64]


class CellSnow(NamedTuple):
    """The winters of a cell, and the snow of a return period.

    Parameters
    ----------
    years : int64 (n,)
        In which the winters begin.
    maxima : float64 (n,)
        Of these winters, mm.
    levels : float64 (3,)
        By fit (`kernels.snowload.fits.METHODS`), mm.
    """

    years: NDArray[np.int64]
    maxima: Floats
    levels: Floats

    @property
    def swe(self) -> float:
        """The mean of the fits: the characteristic water equivalent, mm."""
        return float(combined(self.levels[:, None])[0])

    @property
    def highest(self) -> float:
        """Highest of the maxima, mm."""
        return float(self.maxima.max())

    @property
    def factors(self) -> Floats:
        """The levels and their mean over the highest maximum, (4,); NaN where there never was snow."""
        return np.array([*self.levels, self.swe]) / (self.highest or math.nan)


def known_winters(first: int, maxima: Floats, seasons: range) -> tuple[NDArray[np.int64], Floats]:
    """Return the winters that are known and count: the years in which they begin, and their maxima, mm, both (n,).

    Parameters
    ----------
    first : int
        Year in which the first of all winters begins.
    maxima : float64 (m,)
        Of all winters, mm; NaN where one is not known.
    seasons : range
        Years in which the winters begin that count.
    """
    years = first + np.arange(maxima.size)
    counts = (years >= seasons.start) & (years < seasons.stop) & ~np.isnan(maxima)
    return years[counts], np.ascontiguousarray(maxima[counts])


def cell_snow(years: NDArray[np.int64], maxima: Floats, period: float) -> CellSnow:
    """Return the snow of a return period (years) from winters, (n,) as `known_winters` gives them; n is 2 at least."""
    return CellSnow(years, maxima, levels(maxima, (period,))[:, 0])


def variation(values: Sequence[float]) -> float:
    """Return the coefficient of variation, %; NaN of a single value, and where all are 0."""
    mean = float(np.mean(values))
    return 100 * float(np.std(values)) / mean if mean and len(values) > 1 else math.nan


def weight(swe: float) -> float:
    """Return the load of a water equivalent (mm), kN/m2."""
    return swe * GRAVITY / 1000


def usual_factor(period: float, n_years: int) -> float:
    """Return the usual ratio of a return period's value to the highest of some winters.

    The highest of n winters is that of 1.78 n years (Gumbel); values grow with the return period as in EN 1991-1-3
    Annex D for a coefficient of variation of 0.65.
    """
    return _growth(period) / _growth(n_years * math.exp(_EULER))


def _growth(period: float) -> float:
    """Return the value of a return period over that of 50 years."""
    v = _VARIATION * math.sqrt(6) / math.pi
    value, of_50 = (1 - v * (math.log(-math.log1p(-1 / years)) + _EULER) for years in (period, 50))
    return value / of_50
