"""Instants hours apart to means of every hour; months to moments."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

HOUR_SECONDS = 3600


def hour_means(
    times: NDArray[np.int64], values: NDArray[np.float64], hour_starts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Give the mean over each hour of what is known at instants, and changes evenly between them.

    Parameters
    ----------
    times : int64 (m,)
        Unix seconds, whole hours, ascending; they may lie hours apart.
    values : float64 (m,)
        At these instants.
    hour_starts : int64 (n,)
        Starts of hours, unix seconds.

    Returns
    -------
    float64 (n,)
        The mean of both ends of the hour, which is exact: between whole hours a line has no corner.

    Raises
    ------
    ValueError
        The instants are no ascending whole hours, or an hour reaches beyond them.
    """
    if np.any(times % HOUR_SECONDS) or np.any(np.diff(times) <= 0) or np.any(hour_starts % HOUR_SECONDS):
        raise ValueError("instants and hours must be whole hours, and instants ascend")
    ends = hour_starts + HOUR_SECONDS
    if hour_starts.size and (hour_starts.min() < times[0] or ends.max() > times[-1]):
        raise ValueError("an hour reaches beyond the instants")
    mean: NDArray[np.float64] = 0.5 * (np.interp(hour_starts, times, values) + np.interp(ends, times, values))
    return mean


def at_moments(months: ArrayLike, unix: NDArray[np.int64]) -> NDArray[np.float64]:
    """Give a climatology of twelve months at moments: linear between the middles (the 15th) of the months.

    Parameters
    ----------
    months : float (12,)
        January to December.
    unix : int64 (n,)
        Unix seconds.

    Returns
    -------
    float64 (n,)
    """
    moments = unix.astype("datetime64[s]")
    month = moments.astype("datetime64[M]")
    day = (moments.astype("datetime64[D]") - month).astype(np.int64) + 1
    middle = month.astype(np.int64) % 12 + (day - 15) / 30.4
    value: NDArray[np.float64] = np.interp(middle, np.arange(12), np.asarray(months, np.float64), period=12)
    return value
