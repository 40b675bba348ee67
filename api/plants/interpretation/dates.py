"""Dates of stamps: in which order day, month and year stand, and wall-clock seconds."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from api.plants.interpretation.times import DAY_S, MAX_YEAR, MIN_YEAR, Ints, Stamps

Order = Literal["ymd", "dmy", "mdy", "ydm"]


def orders_of(stamps: Stamps) -> tuple[Order, ...]:
    """Return the orders in which a column's dates can be read, the likelier first."""
    if stamps.style in ("moment", "c"):
        return ("ymd",)
    a, b, c = stamps.date[stamps.valid].T
    if stamps.style == "y":
        return ("ymd",) if (b <= 12).all() else ("ydm",)
    if c.size and c.max() <= 31 and np.unique(c).size > np.unique(a).size and a.min() > 12:  # 24-06-03
        return ("ymd",)
    first, second = int((a > 12).sum()), int((b > 12).sum())
    if c.size == 0 or first > second:
        return ("dmy",)
    if second > first:  # rows between may be written in another order
        return ("mdy",)
    return ("mdy", "dmy") if stamps.halves else ("dmy", "mdy")


def local_seconds(date_of: Stamps, time_of: Stamps | None, order: Order) -> tuple[Ints, NDArray[np.bool_]]:
    """Return wall-clock seconds since 1970, int64 (n,), and where they are valid.

    Parameters
    ----------
    date_of : Stamps
    time_of : Stamps, optional
        Where the time of day stands in a column of its own.
    order : {"ymd", "dmy", "mdy", "ydm"}
    """
    fields = dict(zip(order, date_of.date.T, strict=True))
    year = np.where(fields["y"] < 100, fields["y"] + 2000, fields["y"])
    month, day = fields["m"], fields["d"]
    valid = date_of.valid & (month >= 1) & (month <= 12) & (day >= 1) & (year >= MIN_YEAR) & (year <= MAX_YEAR)
    safe_month = np.where(valid, (year - 1970) * 12 + month - 1, 0).astype("datetime64[M]")
    days = safe_month.astype("datetime64[D]").astype(np.int64) + np.where(valid, day - 1, 0)
    valid &= days < (safe_month + 1).astype("datetime64[D]").astype(np.int64)
    second = date_of.second
    if time_of is not None:
        second, valid = time_of.second, valid & time_of.valid
    return days * DAY_S + np.maximum(second, 0), valid
