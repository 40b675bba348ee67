"""Columns of cells as moments: text in any style, cells of Excel, seconds since 1970, times of day beside dates."""

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.plants.interpretation.stamp_text import (
    CLOCK_ONLY,
    HALVES,
    NUMERIC_CLOCKS,
    PATTERNS,
    is_range,
    normal,
    numeric_second,
    offset_of,
    second_of,
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
DAY_S = 86_400
MIN_YEAR, MAX_YEAR = 1990, 2100
_EPOCH = date(1970, 1, 1).toordinal()
_LONGEST, _FORMS = 80, 12


class Stamps(NamedTuple):
    """Moments of a column as they are written, before order and zone are decided.

    Parameters
    ----------
    valid : bool (n,)
    date : int64 (n, 3)
        The three numbers as they stand; zeros where the column has no date.
    second : int64 (n,)
        Second of the day, -1 where the column has no time.
    offset : float64 (n,)
        Minutes from UTC; NaN where none is written.
    style : str
        `y`, `x`, `c` of the patterns, `moment` (year, month, day already), `clock` or one of `NUMERIC_CLOCKS`.
    is_range : bool
        Whether cells name both ends of the interval, of which the first is read.
    halves : bool
        Whether times are written with am and pm.
    """

    valid: NDArray[np.bool_]
    date: Ints
    second: Ints
    offset: Floats
    style: str
    is_range: bool = False
    halves: bool = False

    @property
    def has_date(self) -> bool:
        """Return whether it holds dates."""
        return self.style != "clock" and self.style not in NUMERIC_CLOCKS

    @property
    def has_time(self) -> bool:
        """Return whether most cells have times of day; dates of Excel are midnights."""
        given = self.second[self.valid]
        return bool(given.size) and bool(
            (given > 0).mean() > 0.3 if self.style == "moment" else (given >= 0).mean() > 0.5
        )

    def taken(self, chosen: NDArray[Any]) -> "Stamps":
        """Return the moments of some rows, by their numbers or a mask."""
        arrays = (self.valid[chosen], self.date[chosen], self.second[chosen], self.offset[chosen])
        return Stamps(*arrays, self.style, self.is_range, self.halves)

    @staticmethod
    def joined(parts: Sequence["Stamps"]) -> "Stamps":
        """Return the moments of several columns of one style, one behind the other."""
        return parts[0]._replace(
            valid=np.concatenate([one.valid for one in parts]),
            date=np.concatenate([one.date for one in parts]),
            second=np.concatenate([one.second for one in parts]),
            offset=np.concatenate([one.offset for one in parts]),
        )


def empty(n: int, style: str) -> Stamps:
    """Return n moments that are not valid."""
    return Stamps(np.zeros(n, bool), np.zeros((n, 3), np.int64), np.full(n, -1, np.int64), np.full(n, np.nan), style)


def style_of(cells: Iterable[Any]) -> str:
    """Return the style that most of some cells are written in, empty where they are no moments."""
    votes: dict[str, int] = {}
    total = 0
    for cell in cells:
        if cell == "":
            continue
        total += 1
        if name := _style(cell):
            votes[name] = votes.get(name, 0) + 1
    best = max(votes, key=votes.__getitem__, default="")
    return best if best and votes[best] >= 0.7 * total else ""


def _style(cell: Any) -> str:
    if isinstance(cell, datetime | date):
        return "moment"
    if isinstance(cell, time):
        return "clock"
    if isinstance(cell, timedelta):
        return "clock" if timedelta(0) <= cell <= timedelta(days=1) else ""
    if isinstance(cell, float | int):
        return "epoch" if _epoch(float(cell)) else "c" if _is_compact(float(cell)) else ""
    if not 4 <= len(cell) <= _LONGEST:
        return ""
    text = normal(cell)
    if re.fullmatch(r"1\d{9}(\d{3}){0,3}(\.\d+)?", text):
        return "epoch"
    for name, pattern in PATTERNS.items():
        if (match := pattern.fullmatch(text)) and _plausible(match, name):
            return name
    return "clock" if CLOCK_ONLY.fullmatch(text) else ""


def _epoch(value: float) -> float:
    """Return unix seconds of a number in seconds, milli-, micro- or nanoseconds; 0 of others."""
    for scale in (1.0, 1e3, 1e6, 1e9):
        if 9e8 < value / scale < 4e9:
            return value / scale
    return 0.0


def _is_compact(value: float) -> bool:
    """Return whether a number is a date such as 20240131."""
    return 1e7 < value < 1e8 and bool(re.fullmatch(r"20[0-4]\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])", f"{value:.9g}"))


def _plausible(match: re.Match[str], name: str) -> bool:
    a, b, c = (int(match[k]) for k in (1, 2, 3))
    if name == "x":
        return 1 <= a <= 31 and 1 <= b <= 31 and min(a, b) <= 12 and (c < 100 or MIN_YEAR <= c <= MAX_YEAR)
    return MIN_YEAR <= a <= MAX_YEAR and 1 <= b <= 31 and 1 <= c <= 31


def stamps_of(cells: Sequence[Any], style: str) -> Stamps:
    """Return the moments of a column that is written in a style."""
    out = empty(len(cells), style)
    if style == "moment":
        _read_moments(cells, out)
    elif style == "epoch":
        _read_epochs(cells, out)
        return out._replace(style="moment")
    elif not out.has_date:
        _read_clocks(cells, out)
    else:
        _read_texts(cells, out, np.flatnonzero(~_read_alike(cells, out)))
        if out.has_time:
            _drop_sums(out)
    some = [cell for row in np.flatnonzero(out.valid)[:50].tolist() if isinstance(cell := cells[row], str)]
    ranges = sum(map(is_range, some))
    return out._replace(is_range=ranges > 0.5 * len(some), halves=any(map(HALVES.search, some)))


def _drop_sums(out: Stamps) -> None:
    """Leave out dates alone whose midnight is there too: they are sums of days. Others are midnights."""
    day = out.date @ np.array([10_000, 100, 1])
    midnights = np.unique(day[out.valid & (out.second == 0)])
    alone = out.valid & (out.second < 0)
    out.valid[alone & np.isin(day, midnights)] = False


def _read_alike(cells: Sequence[Any], out: Stamps) -> NDArray[np.bool_]:
    """Read texts that differ in their digits alone, all of a form at once; return which were read, (n,)."""
    left = np.array([len(cell) if isinstance(cell, str) and cell.isascii() else 0 for cell in cells])
    left[left > _LONGEST] = 0
    for _ in range(_FORMS):
        rows = np.flatnonzero(left)
        if not rows.size:
            break
        rows = rows[left[rows] == left[rows[0]]]
        read = _read_form([cells[row] for row in rows.tolist()], rows, out)
        left[rows[read] if read.any() else rows[:1]] = 0
    return out.valid.copy()


def _read_form(texts: Sequence[str], rows: Ints, out: Stamps) -> NDArray[np.bool_]:
    """Read texts of one length that differ from the first in their digits alone; return which do, (m,)."""
    match, width = PATTERNS[out.style].fullmatch(texts[0]), len(texts[0])
    if match is None:
        return np.zeros(len(texts), bool)
    signs = np.array([text.encode() for text in texts], f"S{width}").view(np.uint8).reshape(-1, width)
    is_digit = (signs[0] >= 48) & (signs[0] <= 57)
    alike: NDArray[np.bool_] = (signs[:, ~is_digit] == signs[0, ~is_digit]).all(axis=1)
    alike &= ((signs[:, is_digit] >= 48) & (signs[:, is_digit] <= 57)).all(axis=1)
    chosen, digits = rows[alike], signs[alike].astype(np.int64) - 48

    def number(group: int) -> Ints:
        places = [place for place in range(*match.span(group)) if is_digit[place]]
        return np.asarray(digits[:, places] @ 10 ** np.arange(len(places))[::-1], np.int64)

    out.valid[chosen] = True
    out.date[chosen] = np.stack([number(1), number(2), number(3)], axis=1)
    if match[4] is not None:
        hour = number(4)
        if match[7]:
            hour = hour % 12 + (12 if match[7] == "pm" else 0)
        out.second[chosen] = hour * 3600 + number(5) * 60 + number(6)
    if match[9]:
        offset = number(9)
        long = sum(one.isdigit() for one in match[9]) > 2
        minutes = offset // 100 * 60 + offset % 100 if long else offset * 60
        out.offset[chosen] = -minutes if match[9][0] == "-" else minutes
    elif match[8]:
        out.offset[chosen] = offset_of(match[8], None)
    return alike


def _read_texts(cells: Sequence[Any], out: Stamps, of: Ints) -> None:
    pattern = PATTERNS[out.style]
    rows, dates, seconds = [], [], []
    for row in of.tolist():
        cell = cells[row]
        if not isinstance(cell, str):
            if out.style != "c" or not isinstance(cell, float | int):
                continue
            cell = f"{cell:.0f}"
        if len(cell) > _LONGEST or not (match := pattern.fullmatch(cell) or pattern.fullmatch(normal(cell))):
            continue
        a, b, c, hour, minute, second, half, zone, offset = match.groups()
        rows.append(row)
        dates.append((a, b, c))
        seconds.append(-1 if hour is None else second_of(hour, minute, second, half))
        if offset or zone:
            out.offset[row] = offset_of(zone, offset)
    out.valid[rows] = True
    if rows:
        out.date[rows] = np.array(dates).astype(np.int64)
        out.second[rows] = seconds


def _read_moments(cells: Sequence[Any], out: Stamps) -> None:
    for row, cell in enumerate(cells):
        if isinstance(cell, datetime):
            if cell.year > MAX_YEAR:  # half a second later it may be past the last moment there is
                continue
            cell = cell + timedelta(milliseconds=500)  # Excel's days are fractions: 09:59:59.999
            out.second[row] = cell.hour * 3600 + cell.minute * 60 + cell.second
            if cell.tzinfo is not None and (shift := cell.utcoffset()) is not None:
                out.offset[row] = shift.total_seconds() / 60
        elif not isinstance(cell, date):
            continue
        out.valid[row] = True
        out.date[row] = cell.year, cell.month, cell.day


def _read_epochs(cells: Sequence[Any], out: Stamps) -> None:
    for row, cell in enumerate(cells):
        try:
            value = float(cell)
        except (TypeError, ValueError):
            continue
        if not (unix := _epoch(value)):
            continue
        days, second = divmod(int(unix), DAY_S)
        moment = date.fromordinal(days + _EPOCH)
        out.valid[row], out.second[row], out.offset[row] = True, second, 0.0
        out.date[row] = moment.year, moment.month, moment.day


def _read_clocks(cells: Sequence[Any], out: Stamps) -> None:
    for row, cell in enumerate(cells):
        second = -1
        if isinstance(cell, time):
            second = cell.hour * 3600 + cell.minute * 60 + cell.second
        elif isinstance(cell, timedelta):
            second = round(cell.total_seconds())
        elif isinstance(cell, datetime):
            second = cell.hour * 3600 + cell.minute * 60
        elif isinstance(cell, date):
            second = 0
        elif out.style in NUMERIC_CLOCKS:
            second = numeric_second(cell, out.style)
        elif isinstance(cell, float | int):
            second = round(cell * DAY_S) if 0 <= cell <= 1 else -1
        elif len(cell) <= _LONGEST and (match := CLOCK_ONLY.fullmatch(normal(cell))):
            second = second_of(*match.groups()[:4])
            if match[5] or match[6]:
                out.offset[row] = offset_of(match[5], match[6])
        if 0 <= second <= DAY_S:
            out.valid[row], out.second[row] = True, second
