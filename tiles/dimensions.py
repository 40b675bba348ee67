"""Dimensions that several products have."""

from tiles.product import Dimension

MAX_STATIONS = 512
MONTHS = Dimension("month", size=12, long_name="month, 1 is January", dtype="int64")
LEADS = Dimension("lead", size=8, long_name="hours since the cycle, centre of the class", units="hour")
STATIONS = Dimension(
    "station",
    size=MAX_STATIONS,
    min_size=1,
    long_name="number of the station in its Frost id (18700 is SN18700)",
    dtype="int64",
)
DAY = "A day runs from 06 UTC of its date, for 24 hours, to 06 UTC of the next."
"""Of the snow authority."""


def hours(size: int, min_size: int) -> Dimension:
    """Return the dimension `time` of hours, each named by its start.

    Parameters
    ----------
    size, min_size : int
    """
    return Dimension(
        "time",
        size=size,
        min_size=min_size,
        long_name="start of the hour",
        standard_name="time",
        units="seconds since 1970-01-01",
        dtype="int64",
        comment="Start of the hour, UTC.",
        step="PT1H",
        bounds=(0, 3600),
    )


def days(size: int, min_size: int) -> Dimension:
    """Return the dimension of the snow authority's days.

    Parameters
    ----------
    size, min_size : int
    """
    return Dimension(
        "time",
        size=size,
        min_size=min_size,
        long_name="day",
        standard_name="time",
        units="days since 1970-01-01",
        dtype="int64",
        comment=DAY,
        step="P1D",
        bounds=(0.25, 1.25),
    )
