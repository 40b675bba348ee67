"""The archive's hours of some cells, from monthly files: each cell is given its nearest source cell."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.sources.climate_archive import open_month
from catalog.sources.errors import NotYetAvailable
from dags.build.cells import nearest_of
from dags.build.provenance import user_agent

HOUR_S = 3600
DEADLINE_S = 1800.0
# In source spacings: a cell beyond the outermost source cells by more has none. The nearest cell counts, and no mean of
# four: that has fewer extremes than any of them, and months are chosen by those.
REACH = 0.75
_MEANS = "ghi"

Month = tuple[int, int]
Field = NDArray[np.float32]


class HourMissing(ValueError):
    """The archive lacks hours that were asked for; the text names them."""


@dataclass
class Hours:
    """What one archive gives for some cells.

    Attributes
    ----------
    fields : dict of str to float32 (hours, cells)
        NaN where the archive does not reach.
    altitude : float32 (cells,) or None
        m, of the model's ground.
    covered : bool (cells,)
    last : int
        Number of hours from the first on that are there.
    inputs : list of dict
        The files that were read.
    data_origin : str
    missing_variables : tuple of str
    """

    fields: dict[str, Field]
    covered: NDArray[np.bool_]
    altitude: Field | None = None
    last: int = 0
    inputs: list[dict[str, Any]] = field(default_factory=list)
    data_origin: str = "live"
    missing_variables: tuple[str, ...] = ()


@dataclass(frozen=True)
class Upstream:
    """An archive, and where it is read."""

    archive: str
    url: str


def read_hours(
    upstream: Upstream,
    months: Sequence[Month],
    lats: NDArray[np.float64],
    lons: NDArray[np.float64],
    *,
    may_end_early: bool,
    report: Callable[[str], None],
) -> Hours:
    """Read the hours of consecutive months for some cells.

    Parameters
    ----------
    upstream : Upstream
    months : sequence of (year, month)
    lats, lons : (cells,)
        Degrees.
    may_end_early : bool
        Whether the last hour may lack where it is in the file of the month after the last, and that is not there.
    report : callable
        Takes one line of progress.

    Returns
    -------
    Hours

    Raises
    ------
    NotYetAvailable
        A month's file is not there; the text names it.
    SourceError
        A file is damaged or not understood.
    HourMissing
        No file gives an hour.
    """
    first, end = _start(months[0]), _start(month_after(months[-1]))
    reading = _Reading(first, (end - first) // HOUR_S, lats, lons)
    for month in months:
        reading.take(upstream, month)
        report(f"{upstream.archive} {month[0]}-{month[1]:02d}: {int(reading.hours.covered.sum())} cells")
    # Stamps at the end of an hour put a month's last hour into the next file.
    if reading.lacks_first():
        reading.take(upstream, month_after(months[0], -1))
    if reading.lacks_last():
        try:
            reading.take(upstream, month_after(months[-1]))
        except NotYetAvailable:
            if not may_end_early:
                raise
    return reading.done(upstream.archive, may_end_early)


class _Reading:
    """Hours that fill up, file by file."""

    def __init__(self, first: int, n_hours: int, lats: NDArray[np.float64], lons: NDArray[np.float64]) -> None:
        self.hours = Hours({}, np.zeros(lats.size, bool))
        self._first, self._n, self._lats, self._lons = first, n_hours, lats, lons
        self._seen: dict[str, NDArray[np.bool_]] = {}

    def take(self, upstream: Upstream, month: Month) -> None:
        """Read what one file has of these hours."""
        with open_month(
            upstream.archive, upstream.url, *month, user_agent=user_agent(), deadline_s=DEADLINE_S
        ) as opened:
            points, self.hours.covered = nearest_of(opened, self._lats, self._lons, REACH)
            wanted, place = np.unique(points[self.hours.covered], return_inverse=True)
            values: Mapping[str, Field] = opened.read(wanted) if wanted.size else {}
            for name, series in values.items():
                self._put(name, opened.hours if name == _MEANS else opened.instants, series, place)
            if self.hours.altitude is None and wanted.size:
                self._stand_on(opened.altitude(wanted), place)
            self.hours.inputs.append(opened.receipt())
            self.hours.missing_variables = opened.missing_variables
            if opened.data_origin == "simulated":
                self.hours.data_origin = "simulated"

    def _put(self, name: str, times: NDArray[np.int64], series: Field, place: NDArray[np.intp]) -> None:
        held = self.hours.fields.setdefault(name, np.full((self._n, self._lats.size), np.nan, np.float32))
        seen = self._seen.setdefault(name, np.zeros(self._n, bool))
        index = (times - self._first) // HOUR_S
        here = (index >= 0) & (index < self._n)
        seen[index[here]] = True
        held[np.ix_(index[here], np.flatnonzero(self.hours.covered))] = series[here][:, place]

    def _stand_on(self, altitude: Field | None, place: NDArray[np.intp]) -> None:
        if altitude is not None:
            self.hours.altitude = np.full(self._lats.size, np.nan, np.float32)
            self.hours.altitude[self.hours.covered] = altitude[place]

    def lacks_first(self) -> bool:
        """Whether a quantity lacks its first hour."""
        return any(not seen[0] for seen in self._seen.values())

    def lacks_last(self) -> bool:
        """Whether a quantity lacks its last hour."""
        return any(not seen[-1] for seen in self._seen.values())

    def done(self, archive: str, may_end_early: bool) -> Hours:
        """Return the hours, once every one of them is there."""
        last = self._n
        for name, seen in self._seen.items():
            lacking = np.flatnonzero(~seen)
            if may_end_early and lacking.tolist() == [self._n - 1]:
                last = self._n - 1
            elif lacking.size:
                when = np.datetime64(self._first + int(lacking[0]) * HOUR_S, "s")
                raise HourMissing(f"{archive} gives no {name} for {lacking.size} hours, the first is {when}Z")
            gaps = np.isnan(self.hours.fields[name][:last][:, self.hours.covered])
            if gaps.any():
                hour, cell = np.argwhere(gaps)[0]
                when = np.datetime64(self._first + int(hour) * HOUR_S, "s")
                at = np.flatnonzero(self.hours.covered)[cell]
                raise HourMissing(
                    f"{archive} has no {name} at {self._lats[at]:.3f} N {self._lons[at]:.3f} E at {when}Z, though it "
                    "has other hours there"
                )
        self.hours.last = last
        return self.hours


def _start(month: Month) -> int:
    return int(np.datetime64(f"{month[0]:04d}-{month[1]:02d}", "s").astype(np.int64))


def month_after(month: Month, by: int = 1) -> Month:
    """Return the month that lies so many after another one."""
    number = 12 * month[0] + month[1] - 1 + by
    return number // 12, number % 12 + 1


def hour_axis(months: Sequence[Month], n_hours: int) -> NDArray[np.int64]:
    """Return the starts of the hours from the first month on, unix seconds."""
    return _start(months[0]) + HOUR_S * np.arange(n_hours, dtype=np.int64)
