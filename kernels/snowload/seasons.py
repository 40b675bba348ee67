"""Seasons of snow, 1 September to 31 August: the most that each had."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.snow.days import require_ascending

LEAST_DAYS = 330
"""Known days that a season must have to count."""

_SEPTEMBER = 8
"""Months after January."""
_FEW = 16
"""Cells: fewer take a tenth of the time with `reduceat`, many take twenty times as long with it."""


class Seasons(NamedTuple):
    """The maxima of seasons.

    Parameters
    ----------
    first : int
        Year in which the first begins.
    maxima : float32 (n_seasons, n_cells)
        NaN where too few of a season's days are known.
    """

    first: int
    maxima: NDArray[np.float32]


def season_maxima(days: NDArray[np.int64], swe: NDArray[np.float32]) -> Seasons:
    """Give the most snow of each season that the days touch, whole or not.

    Parameters
    ----------
    days : int64 (n,)
        Counted from 1970-01-01, one after the other; each begins at 06 UTC.
    swe : float32 (n, n_cells)
        Snow water equivalent at the end of these days, mm; NaN where missing.

    Raises
    ------
    ValueError
        Sizes do not agree, or a day is left out.
    """
    require_ascending(days)
    if days[-1] - days[0] != days.size - 1:
        raise ValueError("the days do not follow one another without a gap")
    if swe.ndim != 2 or len(swe) != days.size:
        msg = f"swe has shape {swe.shape}, not ({days.size}, n_cells)"
        raise ValueError(msg)
    first, last = (days[[0, -1]].astype("datetime64[D]").astype("datetime64[M]") - _SEPTEMBER).astype("datetime64[Y]")
    septembers = np.arange(first, last + 1).astype("datetime64[M]") + _SEPTEMBER
    begins = np.maximum(septembers.astype("datetime64[D]").astype(np.int64) - days[0], 0)
    maxima, known = _summed_up(swe, begins)
    return Seasons(int(str(first)), np.where(known < LEAST_DAYS, np.float32(np.nan), maxima))


def _summed_up(swe: NDArray[np.float32], begins: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.uint16]]:
    """Give the most of each season, and how many of its days are known, (n_seasons, n_cells) each."""
    if swe.shape[1] < _FEW:
        return np.fmax.reduceat(swe, begins), np.add.reduceat(~np.isnan(swe), begins, dtype=np.uint16)
    seasons = np.split(swe, begins[1:])
    most = np.stack([np.fmax.reduce(season) for season in seasons])
    return most, np.stack([np.add.reduce(~np.isnan(season), dtype=np.uint16) for season in seasons])
