"""Columns of cells as moments: dates in any order, month names, two columns, zones glued to the time, epochs."""

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.plants.interpretation.headings import plain, words

Order = Literal["ymd", "dmy", "mdy", "ydm"]
Ints = NDArray[np.int64]
DAY_S = 86_400
_EPOCH = date(1970, 1, 1).toordinal()
_TIME = r"(\d{1,2})(?:[:.h](\d{2})(?:[:.](\d{2})(?:[.,]\d+)?)?)?\s*([ap]m)?"
_CLOCK = r"(\d{1,2})[:.h](\d{2})(?:[:.](\d{2})(?:[.,]\d+)?)?\s*([ap]m)?"
_ZONE = r"\s*\(?(z|utc|gmt|cest|cet|mesz|mez)?\)?\s*([+-]\d{1,2}:?(?:\d{2})?)?"
_AND = r"(?:(?:\s*[t,_]\s*|\s+|-)(?:kl\.?\s*)?" + _CLOCK + ")?"
_PATTERNS: dict[str, re.Pattern[str]] = {
    "y": re.compile(r"(\d{4})[-/. ](\d{1,2})[-/. ](\d{1,2})\.?" + _AND + _ZONE),
    "x": re.compile(r"(\d{1,2})[-/. ]{1,2}(\d{1,2})[-/. ](\d{4}|\d{2})\.?" + _AND + _ZONE),
    "c": re.compile(r"((?:19|20)\d{2})(0[1-9]|1[0-2])([0-3]\d)(?:[t _-]?(\d{2}):?(\d{2})(?::?(\d{2}))?())?" + _ZONE),
}
_CLOCK_ONLY = re.compile(r"(?:(?:kl\.?\s*)(?=\d)|(?=\d{1,2}[:h]|\d{1,2}\.[0-5]\d\.))" + _CLOCK + _ZONE)  # 1.48 is a number
_HOUR_ONLY = re.compile(r"(?:(?:kl|h|t|time|hour|uur|stunde|timme)\.?\s*)?(\d{1,2})(?:\s*(?:h|u|uhr))?")
_RANGE = re.compile(r"\s*(?:\s-\s|–|—|→|\bto\b|\btil\b|\bbis\b|\btot\b)\s*")
_CLOCK_RANGE = re.compile(r"(\d{1,2}[:.]\d{2}(?:[:.]\d{2})?)\s*-\s*\d{1,2}[:.]\d{2}(?:[:.]\d{2})?")
_WEEKDAY = re.compile(r"^(?:mandag|tirsdag|onsdag|torsdag|fredag|lordag|sondag|man|tir|ons|tor|fre|lor|son|mon|tue|wed|thu|fri|sat|sun|monday|tuesday|wednesday|thursday|friday|saturday|sunday|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|mo|di|mi|do|fr|sa|so|ma|wo|vr|za|zo|lun|mer|jeu|ven|sam|dim|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|mandag|lordag|sondag)[.,]*\s+(?=\d|[a-z])")
_OFFSETS = {"z": 0, "utc": 0, "gmt": 0, "cet": 60, "mez": 60, "cest": 120, "mesz": 120}
_MIN_YEAR, _MAX_YEAR = 1990, 2100


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
        `y`, `x`, `c` of the patterns, `moment` (year, month, day already), `clock`, `hour`.
    is_range : bool
        Whether cells name both ends of the interval, of which the first is read.
    halves : bool
        Whether times are written with am and pm.
    """

    valid: NDArray[np.bool_]
    date: Ints
    second: Ints
    offset: NDArray[np.float64]
    style: str
    is_range: bool = False
    halves: bool = False

    @property
    def has_date(self) -> bool:
        """Return whether it holds dates."""
        return self.style not in ("clock", "hour")

    @property
    def has_time(self) -> bool:
        """Return whether it holds times of day; dates of Excel are midnights."""
        least = 1 if self.style == "moment" else 0
        return bool((self.second[self.valid] >= least).any())


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
    best = max(votes, key=lambda name: votes[name], default="")
    return best if best and votes[best] >= 0.7 * total else ""


def _style(cell: Any) -> str:
    if isinstance(cell, datetime | date):
        return "moment"
    if isinstance(cell, time):
        return "clock"
    if isinstance(cell, timedelta):
        return "clock" if timedelta(0) <= cell <= timedelta(days=1) else ""
    if isinstance(cell, float | int):
        return "epoch" if _is_epoch(float(cell)) else ""
    if not 4 <= len(cell) <= 80:
        return ""
    text = _normal(cell)
    if re.fullmatch(r"1\d{9}(\d{3})?(\.\d+)?", text):
        return "epoch"
    for name, pattern in _PATTERNS.items():
        if (match := pattern.fullmatch(text)) and _plausible(match, name):
            return name
    return "clock" if _CLOCK_ONLY.fullmatch(text) else ""


def _is_epoch(value: float) -> bool:
    return 9e8 < value < 4e9 or 9e11 < value < 4e12


def _plausible(match: re.Match[str], name: str) -> bool:
    a, b, c = (int(match[k]) for k in (1, 2, 3))
    if name == "x":
        return 1 <= a <= 31 and 1 <= b <= 31 and min(a, b) <= 12 and (c < 100 or _MIN_YEAR <= c <= 9999)
    return 1900 <= a <= 9999 and 1 <= b <= 31 and 1 <= c <= 31


@cache
def _month_pattern() -> tuple[re.Pattern[str], dict[str, int]]:
    numbers = {plain(name): number for number, names in words()["months"].items() for name in names}
    listed = "|".join(sorted(numbers, key=len, reverse=True))
    return re.compile(rf"[ .\-/,]*\b({listed})\b[ .\-/,]*"), numbers


def _normal(text: str) -> str:
    """Return a stamp in lower case; a month's name becomes its number, `Juli 4, 2024` becomes `4-7-2024`."""
    if not re.search(r"[^\W\d_]", text):
        if " - " in text or "–" in text:
            return _first_of_range(text.strip())
        return _CLOCK_RANGE.sub(r"\1", text.strip()) if "-" in text and ":" in text else text.strip()
    bare = plain(text.replace(".", "\0")).replace("\0", ".")
    bare = re.sub(r"([ap])\.?m\.?", r"\1m", bare) if re.search(r"\d\s*[ap]\.?m", bare) else bare
    bare = _WEEKDAY.sub("", bare)
    bare = re.sub(r"(\d)(st|nd|rd|th)\b", r"\1", bare)
    pattern, months = _month_pattern()
    if match := pattern.search(bare):
        number, rest = months[match[1]], bare[match.end() :]
        if match.start() == 0:  # july 4, 2024
            bare = re.sub(r"^(\d{1,2}),?\s+(\d{4})", rf"\2-{number}-\1", rest)
        else:
            bare = re.sub(r"^(\d{4}|\d{2})", lambda year: f"{int(year[1]) % 2000 + 2000}-{number}-{bare[: match.start()]}", rest)
    return _first_of_range(bare)


def _first_of_range(text: str) -> str:
    first = _RANGE.split(text, maxsplit=1)[0].strip()
    return first if len(first) >= 4 else text


def stamps_of(cells: Sequence[Any], style: str) -> Stamps:
    """Return the moments of a column that is written in a style."""
    n = len(cells)
    out = Stamps(np.zeros(n, bool), np.zeros((n, 3), np.int64), np.full(n, -1, np.int64), np.full(n, np.nan), style)
    is_range = False
    if style == "moment":
        _read_moments(cells, out)
    elif style == "epoch":
        _read_epochs(cells, out)
        return out._replace(style="moment")
    elif style in ("clock", "hour"):
        _read_clocks(cells, out, style)
        is_range = any(isinstance(cell, str) and _CLOCK_RANGE.fullmatch(cell.strip()) for cell in cells[:50])
    else:
        is_range = _read_texts(cells, out, style)
    halves = any(isinstance(cell, str) and re.search(r"\d\s*[ap]\.?m\.?", cell, re.IGNORECASE) for cell in cells[:50])
    return out._replace(is_range=is_range, halves=halves)


def _read_texts(cells: Sequence[Any], out: Stamps, style: str) -> bool:
    pattern, is_range = _PATTERNS[style], False
    rows, dates, seconds = [], [], []
    for row, cell in enumerate(cells):
        if not isinstance(cell, str) or len(cell) > 80:
            if isinstance(cell, float | int) and style == "c":
                cell = str(int(cell))
            else:
                continue
        match = pattern.fullmatch(cell)
        if match is None:
            match = pattern.fullmatch(text := _normal(cell))
            is_range = is_range or (match is not None and len(text) < len(cell) - 6 and bool(_RANGE.search(cell)))
        if match is None:
            continue
        a, b, c, hour, minute, second, half, zone, offset = match.groups()
        rows.append(row)
        dates.append((a, b, c))
        seconds.append(-1 if hour is None else _second(hour, minute, second, half))
        if offset or zone:
            out.offset[row] = _offset(zone, offset)
    out.valid[rows] = True
    if rows:
        out.date[rows] = np.array(dates).astype(np.int64)
        out.second[rows] = seconds
    return is_range


def _second(hour: str, minute: str | None, second: str | None, half: str | None) -> int:
    h = int(hour)
    if half:
        h = h % 12 + (12 if half == "pm" else 0)
    return h * 3600 + int(minute or 0) * 60 + int(second or 0)


def _offset(zone: str | None, offset: str | None) -> float:
    if not offset:
        return float(_OFFSETS.get(zone or "z", 0))
    digits = re.sub(r"\D", "", offset)
    hours, minutes = (int(digits), 0) if len(digits) <= 2 else (int(digits[:-2]), int(digits[-2:]))
    return float((hours * 60 + minutes) * (-1 if offset[0] == "-" else 1))


def _read_moments(cells: Sequence[Any], out: Stamps) -> None:
    for row, cell in enumerate(cells):
        if isinstance(cell, datetime):
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
        if not _is_epoch(value):
            continue
        days, second = divmod(int(value / 1000 if value > 1e11 else value), DAY_S)
        moment = date.fromordinal(days + _EPOCH)
        out.valid[row], out.second[row], out.offset[row] = True, second, 0.0
        out.date[row] = moment.year, moment.month, moment.day


def _read_clocks(cells: Sequence[Any], out: Stamps, style: str) -> None:
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
        elif isinstance(cell, float | int):
            second = int(cell) * 3600 if style == "hour" else round(float(cell) * DAY_S)
        elif match := _CLOCK_ONLY.fullmatch(_normal(cell)):
            second = _second(*match.groups()[:4])
            if match[5] or match[6]:
                out.offset[row] = _offset(match[5], match[6])
        elif match := _HOUR_ONLY.fullmatch(cell.strip().lower()):
            second = int(match[1]) * 3600
        if 0 <= second <= DAY_S:
            out.valid[row], out.second[row] = True, second


def orders_of(stamps: Stamps) -> tuple[Order, ...]:
    """Return the orders in which a column's dates can be read, the likelier first."""
    if stamps.style in ("moment", "c"):
        return ("ymd",)
    a, b, c = stamps.date[stamps.valid].T
    if stamps.style == "y":
        return ("ymd",) if (b <= 12).all() else ("ydm",)
    if c.size == 0 or (a > 12).any():
        return ("dmy",)
    if (b > 12).any():
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
    valid = date_of.valid & (month >= 1) & (month <= 12) & (day >= 1) & (year >= _MIN_YEAR) & (year <= _MAX_YEAR)
    safe_month = np.where(valid, (year - 1970) * 12 + month - 1, 0).astype("datetime64[M]")
    days = safe_month.astype("datetime64[D]").astype(np.int64) + np.where(valid, day - 1, 0)
    valid &= days < (safe_month + 1).astype("datetime64[D]").astype(np.int64)
    second = date_of.second
    if time_of is not None:
        second, valid = time_of.second, valid & time_of.valid
    return days * DAY_S + np.maximum(second, 0), valid
