"""The time axis of a monthly file: the hours whose means it gives, and the moments of its weather."""

from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from catalog.sources.climate_archive.archives import Archive
from catalog.sources.netcdf import NetcdfFile
from catalog.sources.times import HOUR, instant, read_times

Hours = NDArray[np.int64]


def month_stamps(year: int, month: int) -> Hours:
    """Return every whole hour of a month, unix seconds."""
    first = datetime(year, month, 1, tzinfo=UTC)
    after = datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
    return np.arange(int(first.timestamp()), int(after.timestamp()), HOUR, dtype=np.int64)


def read_stamps(file: NetcdfFile, archive: Archive, year: int, month: int) -> tuple[Hours, Hours]:
    """Return starts of the hours of a file's radiation and its own stamps, which are exactly the hours of its month.

    Raises
    ------
    SourceError
        It is of another month, an hour is missing, or what the stamps mean is not said.
    """
    name = next((name for name in archive.times if file.has(name)), archive.times[0])
    stamps = read_times(file, name)
    _check_month(file, stamps, year, month)
    if archive.stamp == "hour_end":
        return stamps - HOUR, stamps
    return _starts(file, name, stamps), stamps


def _check_month(file: NetcdfFile, stamps: Hours, year: int, month: int) -> None:
    expected = month_stamps(year, month)
    if np.array_equal(stamps, expected):
        return
    held = f"{instant(stamps[0])} to {instant(stamps[-1])}" if stamps.size else "none"
    lacking = np.setdiff1d(expected, stamps)
    first = f", and not {instant(lacking[0])}" if lacking.size else ""
    hours = f"the {expected.size} hours of {year:04d}-{month:02d} in order"
    raise file.origin.error(f"does not hold {hours}: it has {stamps.size}, {held}{first}")


def _starts(file: NetcdfFile, name: str, stamps: Hours) -> Hours:
    """Return the beginnings of the bounds of a time axis, each a whole hour at whose start or end its stamp is."""
    bounds = file.text("bounds", name)
    if bounds is None or not file.has(bounds):
        raise file.origin.error(f"does not say of which hour a mean is: {name} has no bounds")
    edges = read_times(file, bounds, name)
    starts, ends = edges[::2], edges[1::2]
    good = starts.size == ends.size == stamps.size and ((starts == stamps) | (ends == stamps)).all()
    if not (good and (ends - starts == HOUR).all() and (np.diff(starts) == HOUR).all()):
        raise file.origin.error(f"has stamps that do not begin or end the hours of its {bounds}")
    return starts
