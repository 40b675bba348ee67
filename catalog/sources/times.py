"""The time axis of an upstream file, checked before anything else of it is believed."""

from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from catalog.sources.netcdf import NetcdfFile
from catalog.sources.units import parse_epoch

HOUR = 3600
_CALENDARS = {"standard", "gregorian", "proleptic_gregorian"}


def instant(seconds: float) -> str:
    """Return a unix time as text, to the minute."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%MZ")


def read_times(file: NetcdfFile, name: str = "time", axis: str | None = None) -> NDArray[np.int64]:
    """Return the instants of a time variable in unix seconds, flat.

    Parameters
    ----------
    file : NetcdfFile
    name : str
    axis : str, optional
        The time variable whose bounds these are: they have its units and calendar.

    Raises
    ------
    SourceError where the variable is absent or its units are not understood.
    """
    if not file.has(name):
        raise file.origin.error(f"has no {name}")
    units = file.text("units", name) or (file.text("units", axis) if axis else None)
    epoch = parse_epoch(units) if units else None
    if epoch is None:
        raise file.origin.error(f"has a {name} in units that are not understood: {units!r}")
    calendar = (file.text("calendar", axis or name) or "standard").lower()
    if calendar not in _CALENDARS:
        raise file.origin.error(f"has a {name} in a calendar that is not supported: {calendar}")
    values = file.numbers(name).ravel() * epoch[0] + epoch[1]
    if not np.isfinite(values).all() or (np.abs(values) > 1e11).any():
        raise file.origin.error(f"has a {name} with missing or absurd values")
    return np.round(values).astype(np.int64)


def read_hours(file: NetcdfFile) -> NDArray[np.int64]:
    """Return the file's time axis, which must be hourly, on the hour, and complete."""
    times = read_times(file)
    late = times[1:][np.diff(times) != HOUR]
    if times.size < 2 or late.size or times[0] % HOUR:
        odd = [*late, *times][:1]
        where = f", wrong at {instant(odd[0])}" if odd else ""
        raise file.origin.error(f"has {times.size} time steps, which are not one at each full hour{where}")
    return times
