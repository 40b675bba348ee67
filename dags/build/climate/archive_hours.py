"""The archive's hours of some cells, from monthly files: each cell is given its nearest source cell."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.sources.climate_archive import ArchiveMonth, open_month
from catalog.sources.data_origin import origin_of
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


@dataclass(frozen=True)
class Upstream:
    """An archive, and where it is read."""

    archive: str
    url: str

    def open(self, month: Month) -> AbstractContextManager[ArchiveMonth]:
        """Open the file of a month; errors are those of `open_month`."""
        return open_month(self.archive, self.url, *month, user_agent=user_agent(), deadline_s=DEADLINE_S)


@dataclass
class Hours:
    """Hours of one archive for some cells, filled file by file.

    Attributes
    ----------
    first : int
        Start of the first hour, unix seconds.
    n_hours : int
    lats, lons : float64 (cells,)
        Degrees.
    fields : dict of str to float32 (hours, cells)
        NaN where the archive does not reach.
    seen : dict of str to bool (hours,)
        Which hours of a field the files gave.
    covered : bool (cells,)
    altitude : float32 (cells,) or None
        m, of the model's ground.
    inputs : list of dict
        The files that were read.
    data_origin : str
    missing_variables : tuple of str
    """

    first: int
    n_hours: int
    lats: NDArray[np.float64]
    lons: NDArray[np.float64]
    fields: dict[str, Field] = field(default_factory=dict)
    seen: dict[str, NDArray[np.bool_]] = field(default_factory=dict)
    covered: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    altitude: Field | None = None
    inputs: list[dict[str, Any]] = field(default_factory=list)
    data_origin: str = "live"
    missing_variables: tuple[str, ...] = ()

    def take(self, upstream: Upstream, month: Month) -> None:
        """Read what one file has of these hours."""
        with upstream.open(month) as opened:
            points, self.covered = nearest_of(opened, self.lats, self.lons, REACH)
            wanted, place = np.unique(points[self.covered], return_inverse=True)
            if wanted.size:
                for name, series in opened.read(wanted).items():
                    self._put(name, opened.hours if name == _MEANS else opened.instants, series[:, place])
                if self.altitude is None and (altitude := opened.altitude(wanted)) is not None:
                    self.altitude = np.full(self.lats.size, np.nan, np.float32)
                    self.altitude[self.covered] = altitude[place]
            self.inputs.append(opened.receipt())
            self.missing_variables = opened.missing_variables
            self.data_origin = origin_of(self.data_origin, opened.data_origin)

    def _put(self, name: str, times: NDArray[np.int64], series: Field) -> None:
        held = self.fields.setdefault(name, np.full((self.n_hours, self.lats.size), np.nan, np.float32))
        seen = self.seen.setdefault(name, np.zeros(self.n_hours, bool))
        index = (times - self.first) // HOUR_S
        here = (index >= 0) & (index < self.n_hours)
        seen[index[here]] = True
        held[np.ix_(index[here], np.flatnonzero(self.covered))] = series[here]

    def lacks(self, hour: int) -> bool:
        """Return whether a quantity lacks an hour."""
        return any(not seen[hour] for seen in self.seen.values())

    def require_all(self, archive: str) -> None:
        """Refuse hours that are not all there.

        Raises
        ------
        HourMissing
        """
        for name, seen in self.seen.items():
            lacking = np.flatnonzero(~seen)
            if lacking.size:
                raise HourMissing(
                    f"{archive} gives no {name} for {lacking.size} hours, the first is {self._when(lacking[0])}"
                )
            gaps = np.argwhere(np.isnan(self.fields[name]) & self.covered)
            if gaps.size:
                hour, cell = gaps[0]
                raise HourMissing(
                    f"{archive} has no {name} at {self.lats[cell]:.3f} N {self.lons[cell]:.3f} E at "
                    f"{self._when(hour)}, though it has other hours there"
                )

    def _when(self, hour: int) -> str:
        return f"{np.datetime64(self.first + int(hour) * HOUR_S, 's')}Z"


def read_hours(
    upstream: Upstream,
    months: Sequence[Month],
    n_hours: int,
    lats: NDArray[np.float64],
    lons: NDArray[np.float64],
) -> Hours:
    """Read hours of consecutive months for some cells.

    Parameters
    ----------
    upstream : Upstream
    months : sequence of (year, month)
    n_hours : int
        From the begin of the first month on.
    lats, lons : (cells,)
        Degrees.

    Raises
    ------
    NotYetAvailable
        A month's file is not there; the text names it.
    SourceError
        A file is damaged or not understood.
    HourMissing
        No file gives an hour.
    """
    hours = Hours(_start(months[0]), n_hours, lats, lons)
    for month in months:
        hours.take(upstream, month)
    # Stamps at the end of an hour put a month's last hour into the next file.
    for edge, month in ((0, month_after(months[0], -1)), (-1, month_after(months[-1]))):
        if hours.lacks(edge):
            hours.take(upstream, month)
    hours.require_all(upstream.archive)
    return hours


def _start(month: Month) -> int:
    return int(np.datetime64(f"{month[0]:04d}-{month[1]:02d}", "s").astype(np.int64))


def month_after(month: Month, by: int = 1) -> Month:
    """Return the month that lies so many after another one."""
    number = 12 * month[0] + month[1] - 1 + by
    return number // 12, number % 12 + 1


def hour_axis(months: Sequence[Month], n_hours: int) -> NDArray[np.int64]:
    """Return the starts of the hours from the first month on, unix seconds."""
    return _start(months[0]) + HOUR_S * np.arange(n_hours, dtype=np.int64)
