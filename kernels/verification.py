"""How good forecasts were: sums over pairs of forecast and observation by group, and the figures made of them.

Sums of several days or places add up; figures do not. Only daylight counts: a night is easy to forecast.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernels.sizes import require_size

DAYLIGHT = 5.0
"""Clear-sky GHI from which an hour counts as day, W/m2: below it no forecast is corrected either."""

LOWEST_MEAN = 10.0
"""Mean observation below which an error relative to it says nothing, W/m2."""

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Sums:
    """Sums by group; float64 arrays of one shape. The first five are over all pairs, the others over those compared.

    Attributes
    ----------
    count, observed, error, absolute, squared : float64 (...)
        Number of pairs; sums of the observation, of forecast - observation, of its size, of its square (W/m2).
    compared, squared_here, squared_reference : float64 (...)
        Where there is a reference forecast: number of pairs, sums of the squares of the forecast's and its error.
    """

    count: Doubles
    observed: Doubles
    error: Doubles
    absolute: Doubles
    squared: Doubles
    compared: Doubles
    squared_here: Doubles
    squared_reference: Doubles

    @classmethod
    def zero(cls, shape: tuple[int, ...]) -> "Sums":
        """Return sums of nothing."""
        return cls(*(np.zeros(shape) for _ in cls.__dataclass_fields__))

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    def over(self, axis: int) -> "Sums":
        """Return the sums over all groups along an axis."""
        return Sums(*(getattr(self, name).sum(axis=axis) for name in self.__dataclass_fields__))

    def rmse(self) -> Doubles:
        """Return the root of the mean squared error, W/m2; NaN where there is no pair."""
        return np.asarray(np.sqrt(_ratio(self.squared, self.count)))

    def mae(self) -> Doubles:
        """Return the mean size of the error, W/m2; NaN where there is no pair."""
        return _ratio(self.absolute, self.count)

    def bias(self) -> Doubles:
        """Return mean forecast - mean observation, W/m2; NaN where there is no pair."""
        return _ratio(self.error, self.count)

    def nmae(self) -> Doubles:
        """Return the mean size of the error over the mean observation; NaN where that is below 10 W/m2."""
        enough = self.observed >= LOWEST_MEAN * self.count
        return np.where(enough, _ratio(self.absolute, self.observed), np.nan)

    def skill(self) -> Doubles:
        """Return 1 - RMSE / RMSE of the reference, over the pairs that both have; NaN where there is none."""
        return 1 - np.sqrt(_ratio(self.squared_here, self.squared_reference))


def sums(
    forecast: NDArray[np.float32],
    observed: NDArray[np.float32],
    gcs: NDArray[np.float32],
    group: NDArray[np.intp],
    n_groups: int,
    reference: NDArray[np.float32] | None = None,
) -> Sums:
    """Add up pairs by group; those at night, or without forecast or observation, are left out.

    Parameters
    ----------
    forecast, observed, gcs : float32 (n,)
        Forecast, observation and clear sky, hour means, W/m2; NaN is missing.
    group : intp (n,)
        0..n_groups - 1.
    n_groups : int
    reference : float32 (n,), optional
        Another forecast to compare with, W/m2; NaN is missing.

    Returns
    -------
    Sums
        Arrays (n_groups,).
    """
    require_size(forecast.size, observed=observed, gcs=gcs, group=group)
    other = np.full(forecast.size, np.nan, np.float32) if reference is None else reference
    require_size(forecast.size, reference=other)
    counted = (gcs >= DAYLIGHT) & np.isfinite(forecast) & np.isfinite(observed)
    there, truth = group[counted], observed[counted].astype(np.float64)
    error = forecast[counted] - truth
    error_of_other = other[counted] - truth
    both = np.isfinite(error_of_other)

    def add(values: Doubles, among: NDArray[np.bool_] | slice = slice(None)) -> Doubles:
        return np.asarray(np.bincount(there[among], weights=values[among], minlength=n_groups), np.float64)

    ones = np.ones(truth.size)
    square, square_of_other = error**2, error_of_other**2
    return Sums(
        *(add(values) for values in (ones, truth, error, np.abs(error), square)),
        *(add(values, both) for values in (ones, square, square_of_other)),
    )


def smart_persistence(
    observed_before: NDArray[np.float32], gcs_before: NDArray[np.float32], gcs: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the clear-sky index of the same hour of the day before, times the clear sky; W/m2.

    Parameters
    ----------
    observed_before, gcs_before : float32 (n,)
        Observation and clear sky a day earlier, W/m2; NaN is missing.
    gcs : float32 (n,)
        Clear sky of the hour, W/m2.

    Returns
    -------
    float32 (n,)
        NaN where the hour before was night, or not observed.
    """
    day = gcs_before >= DAYLIGHT
    return np.where(day, observed_before / np.where(day, gcs_before, 1) * gcs, np.nan).astype(np.float32)


def _ratio(of: Doubles, to: Doubles) -> Doubles:
    return np.asarray(np.divide(of, to, out=np.full(np.shape(of), np.nan), where=np.asarray(to) > 0))
