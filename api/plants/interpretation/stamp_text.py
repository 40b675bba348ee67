"""Texts of dates and times: the patterns of styles, names of months and weekdays, ranges of which the begin counts."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise
from typing import Any

from api.plants.interpretation.headings import plain, words

_CLOCK = r"(\d{1,2})[:.h](\d{2})(?:[:.](\d{2})(?:[.,]\d+)?)?\s*([ap]m)?"
# 12:00-13:00 is a range: a negative offset stands behind seconds.
_ZONE = r"(?:\s*dst)?\s*\(?(z|utc|gmt|cest|cet|mesz|mez)?\)?\s*((?:\+|(?<=:\d\d:\d\d)-)\d{1,2}:?(?:\d{2})?)?"
_AND = r"(?:(?:\s*[t,_]\s*|\s+|-)(?:kl\.?\s*)?" + _CLOCK + ")?"
PATTERNS: dict[str, re.Pattern[str]] = {
    "y": re.compile(r"(\d{4})[-/. ](\d{1,2})[-/. ](\d{1,2})\.?" + _AND + _ZONE),
    "x": re.compile(r"(\d{1,2})[-/. ]{1,2}(\d{1,2})[-/. ](\d{4}|\d{2})\.?" + _AND + _ZONE),
    "c": re.compile(r"((?:19|20)\d{2})(0[1-9]|1[0-2])([0-3]\d)(?:[t _:-]?(\d{2}):?(\d{2})(?::?(\d{2}))?())?" + _ZONE),
}
"""Of dates, perhaps with time and zone: year first, year last, digits alone. Nine groups, of which six are numbers."""
# A time of day; 1.48 is a number.
CLOCK_ONLY = re.compile(
    r"(?:(?:kl\.?\s*)(?=\d)|(?=\d{1,2}[:h]|\d{1,2}\.[0-5]\d\.|\d{1,2}\.\d\d\s*[ap]m))" + _CLOCK + _ZONE
)
_HOUR_ONLY = re.compile(
    r"(?:(?:kl|h|t|time|hour|uur|stunde|timme)\.?\s*)?(\d{1,2})(?:\s*(?:h|u|uhr))?(?P<end>\s*[-–]\s*\d{1,2})?"
)
_RANGE = re.compile(r"\s*(?:\s-\s|(?<=[\dz])/(?=\d{4}-)|–|—|→|\bto\b|\btil\b|\bbis\b|\btot\b)\s*")
_CLOCK_RANGE = re.compile(r"(\d{1,2}[:.]\d{2}(?:[:.]\d{2})?)\s*-\s*\d{1,2}[:.]\d{2}(?:[:.]\d{2})?")
_CLOCK_FIRST = re.compile(r"(\d{1,2}:\d\d(?::\d\d)?),? (\d{1,4}[-./]\d{1,2}[-./]\d{2,4})")
HALVES = re.compile(r"\d\s*[ap]\.?m\b", re.IGNORECASE)
NUMERIC_CLOCKS = ("hour", "fraction", "hhmm", "hhmmss", "h.mm")
"""Styles of times of day that are written as numbers."""
_SERIALS = 36_526.0, 73_050.0  # 2000 to 2099
_FIRST_DAY = datetime(1899, 12, 30)  # noqa: DTZ001 - Excel has no zones
_LARGEST = 240_000  # hhmmss
_OFFSETS = {"z": 0, "utc": 0, "gmt": 0, "cet": 60, "mez": 60, "cest": 120, "mesz": 120}


# 10:00 Uhr, den 5 maj, 10/05/2024 à 10:15, [Europe/Oslo], (Central European Time), (UTC+2), may 10 10:00:00 2024
_WORDS = (
    (re.compile(r"\s*\b(uhr|uur)\b|^den |\s*\[[a-z/ ]+\]$|\s*\([a-z ]+\)$"), ""),
    (re.compile(r",?\s+(?:a|om|um)\s+(?=\d)"), " "),
    (re.compile(r"\(((?:utc|gmt)?[+-]\d{1,2}(?::?\d\d)?)\)"), r"\1"),
    (re.compile(r"([a-z]{3}) +(\d{1,2}) (\d{1,2}:\d\d(?::\d\d)?) (\d{4})"), r"\1 \2 \4 \3"),
)


@cache
def _weekday() -> re.Pattern[str]:
    names = "|".join(sorted(words()["weekdays"], key=len, reverse=True))
    return re.compile(rf"^(?:{names})[.,]*\s+(?=\d{{1,2}}[-./]\d|\d{{4}}-|\d{{1,2}}\.? [a-z]|[a-z]{{3}})")


@cache
def _months() -> tuple[re.Pattern[str], dict[str, int]]:
    numbers = {plain(name): number for number, names in words()["months"].items() for name in names}
    listed = "|".join(sorted(numbers, key=len, reverse=True))
    return re.compile(rf"[ .\-/,]*\b({listed})\b[ .\-/,]*"), numbers


def normal(text: str) -> str:
    """Return a stamp in lower case; a month's name becomes its number, `Juli 4, 2024` becomes `2024-7-4`."""
    text = text.strip()
    if match := _CLOCK_FIRST.fullmatch(text):
        text = f"{match[2]} {match[1]}"
    if not re.search(r"[^\W\d_]", text):
        if " - " in text or "–" in text:
            return first_of_range(text)
        if "-" in text and (match := _CLOCK_RANGE.fullmatch(text)):  # also 12.00-13.00
            return match[1].replace(".", ":")
        return _CLOCK_RANGE.sub(r"\1", text) if "-" in text and ":" in text else text
    bare = plain(text.replace(".", "\0")).replace("\0", ".")
    bare = re.sub(r"(?<=\d)(\s*[ap])\.?m\.?", r"\1m", bare)
    bare = _weekday().sub("", bare)
    bare = re.sub(r"(\d)(st|nd|rd|th)\b", r"\1", bare)
    for pattern, better in _WORDS:
        bare = pattern.sub(better, bare)
    pattern, months = _months()
    if match := pattern.search(bare):
        number, before, rest = months[match[1]], bare[: match.start()], bare[match.end() :]
        if not before:  # july 4, 2024
            bare = re.sub(r"^(\d{1,2}),?\s+(\d{4})", rf"\2-{number}-\1", rest)
        else:
            bare = re.sub(r"^(\d{4}|\d{2})", lambda year: f"{int(year[1]) % 2000 + 2000}-{number}-{before}", rest)
    return first_of_range(bare)


def undated(text: str) -> str:
    """Return a plain text without names of months, and years."""
    return re.sub(r"\b(?:19|20)\d{2}\b", "", _months()[0].sub(" ", text)).strip()


def first_of_range(text: str) -> str:
    """Return the first of two moments that a text names, the text where it names one."""
    first = _RANGE.split(text, maxsplit=1)[0].strip()
    return first if len(first) >= 4 else text


def is_range(text: str) -> bool:
    """Return whether a text names both ends of an interval."""
    if _CLOCK_RANGE.fullmatch(text) or ((match := _HOUR_ONLY.fullmatch(text)) and match["end"]):
        return True
    return bool(re.search(r"\s-\s|–|→|\b(to|til|bis|tot)\b", text)) and len(normal(text)) < len(text) - 6


def second_of(hour: str, minute: str | None, second: str | None, half: str | None) -> int:
    """Return the second of the day of a time's groups."""
    h = int(hour)
    if half:
        h = h % 12 + (12 if half == "pm" else 0)
    return h * 3600 + int(minute or 0) * 60 + int(second or 0)


def offset_of(zone: str | None, offset: str | None) -> float:
    """Return the minutes from UTC that a zone's name or an offset such as `+0200` says."""
    if not offset:
        return float(_OFFSETS.get(zone or "z", 0))
    digits = re.sub(r"\D", "", offset)
    hours, minutes = (int(digits), 0) if len(digits) <= 2 else (int(digits[:-2]), int(digits[-2:]))
    return float((hours * 60 + minutes) * (-1 if offset[0] == "-" else 1))


def numeric_second(cell: Any, style: str) -> int:
    """Return the second of the day that a number names in a style, -1 where it names none."""
    if style == "hour" and isinstance(cell, str):
        match = _HOUR_ONLY.fullmatch(cell.strip().lower())
        return int(match[1]) * 3600 if match else -1
    try:
        value = float(str(cell).replace(",", "."))
    except ValueError:
        return -1
    if not 0 <= value <= _LARGEST:
        return -1
    if style == "fraction":
        return round(value * 86_400) if value <= 1 else -1
    if style == "h.mm":
        value = round(value * 100)
    if value != int(value):
        return -1
    if style == "hour":
        return int(value) * 3600
    hour, minute, second = int(value) // 100, int(value) % 100, 0
    if style == "hhmmss":
        hour, minute, second = hour // 100, hour % 100, minute
    return hour * 3600 + minute * 60 + second if minute < 60 and second < 60 else -1


def are_serials(cells: Sequence[Any]) -> bool:
    """Return whether cells are Excel's numbers of days, such as 45446.25 for 6 o'clock of 3 June 2024."""
    given = [cell for cell in cells if cell != ""]
    found = [one for one in map(serial_moment, given) if one is not None]
    if len(found) < max(6, 0.7 * len(given)):
        return False
    steps = [(two - one).total_seconds() for one, two in pairwise(found)]
    return (
        all(abs(step - round(step, -1)) < 1.5 for step in steps) and any(one.hour for one in found) and 0 not in steps
    )


def serial_moment(cell: Any) -> datetime | None:
    """Return the moment of one of Excel's numbers of days, None of other cells."""
    try:
        days = float(str(cell).replace(",", "."))
    except (TypeError, ValueError):
        return None
    return _FIRST_DAY + timedelta(days=days) if _SERIALS[0] < days < _SERIALS[1] else None
