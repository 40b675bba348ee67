"""The time axis of a monthly file: the hours whose means it gives, and the moments of its weather."""

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from catalog.sources.climate_archive.archives import Archive
from catalog.sources.netcdf import NetcdfFile
from catalog.sources.times import HOUR, instant, read_times


@dataclass(frozen=True)
class Stamps:
    """Times of a file, unix seconds: starts of the hours of its radiation, and its own stamps."""

    hours: NDArray[np.int64]
    instants: NDArray[np.int64]


def month_stamps(year: int, month: int) -> NDArray[np.int64]:
    """Return every whole hour of a month, unix seconds."""
    first = datetime(year, month, 1, tzinfo=UTC)
    after = datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
    return np.arange(int(first.timestamp()), int(after.timestamp()), HOUR, dtype=np.int64)


def read_stamps(file: NetcdfFile, archive: Archive, year: int, month: int) -> Stamps:
    """Return the times of a file, which must be exactly the hours of its month.

    Raises
    ------
    SourceError
        It is of another month, an hour is missing, or what the stamps mean is not said.
    """
    name = next((name for name in archive.times if file.has(name)), archive.times[0])
    stamps = read_times(file, name)
    _check_month(file, stamps, year, month)
    if archive.stamp == "hour_end":
        return Stamps(stamps - HOUR, stamps)
    return Stamps(_starts(file, name, stamps), stamps)


def _check_month(file: NetcdfFile, stamps: NDArray[np.int64], year: int, month: int) -> None:
    expected, asked = month_stamps(year, month), f"{year:04d}-{month:02d}"
    if np.array_equal(stamps, expected):
        return
    if stamps.size == 0:
        raise file.origin.error("is empty: it holds no hours")
    if (np.diff(stamps) <= 0).any():
        at = stamps[1:][np.diff(stamps) <= 0][0]
        raise file.origin.error(f"has a time axis that does not ascend at {instant(at)}")
    middle = instant(stamps[stamps.size // 2])[:7]
    if middle != asked:
        raise file.origin.error(f"holds {middle}, not {asked}")
    if np.isin(stamps, expected, invert=True).any():
        strange = stamps[np.isin(stamps, expected, invert=True)][0]
        raise file.origin.error(f"has a stamp that is no hour of {asked}: {instant(strange)}")
    missing = np.setdiff1d(expected, stamps)
    if missing[0] > stamps[-1]:
        raise file.origin.error(f"is unfinished: it ends at {instant(stamps[-1])}, {missing.size} hours before {asked}")
    raise file.origin.error(f"lacks {missing.size} hours of {asked}, the first at {instant(missing[0])}")


def _starts(file: NetcdfFile, name: str, stamps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the beginnings of the bounds of a time axis, each a whole hour at whose start or end its stamp is."""
    bounds = file.text("bounds", name)
    if bounds is None or not file.has(bounds):
        raise file.origin.error(f"does not say of which hour a mean is: {name} has no bounds")
    edges = read_times(file, bounds, name)
    if edges.size != 2 * stamps.size:
        raise file.origin.error(f"has bounds of its hours that are not understood: {bounds}")
    edges = edges.reshape(-1, 2)
    odd = np.flatnonzero((edges[:, 1] - edges[:, 0] != HOUR) | (edges != stamps[:, None]).all(axis=1))
    if odd.size:
        first, last = (instant(edge) for edge in edges[odd[0]])
        raise file.origin.error(
            f"has a mean over {first} to {last} at {instant(stamps[odd[0]])}, which is not its hour"
        )
    if (np.diff(edges[:, 0]) != HOUR).any():
        raise file.origin.error(f"has bounds of its hours that leave gaps: {bounds}")
    return edges[:, 0]
