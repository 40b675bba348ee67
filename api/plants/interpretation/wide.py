"""Wide tables, a day a row and a time a column or the other way round, as one row for each time."""

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from api.plants.interpretation.frame import Frame
from api.plants.interpretation.headings import plain, read_heading
from api.plants.interpretation.times import Stamps, style_of
from api.plants.reading.workbook import Sheet

_LEAST_TIMES = 22
_CLOCK = re.compile(r"(?:kl|h|t|time|hour|stunde|timme|uur|kwh|wh|kw)?[ .:]*(\d{1,2})(?:[:.h]([0-5]\d)(?::[0-5]\d)?)?(?: ?[-–] ?\d{1,2}(?:[:.]\d{2})?)?(?: ?[hua]| ?kwh| ?uhr| ?\*)?")
_DECIMAL = re.compile(r"(\d{1,2})[.,](0|25|5|75|50|00)")


def is_daily(sheet: Sheet) -> bool:
    """Return whether a sheet has a column for each day and none for the time of day."""
    for row in islice(sheet.rows, 12):
        dates = sum(1 for cell in row if cell != "" and style_of([cell]) not in ("", "clock", "epoch"))
        if dates >= 5 and dates > len(row) / 3:
            return _clock_column(sheet) is None
    return False


def upright(sheet: Sheet) -> Sheet:
    """Return a sheet with days as columns and times as rows turned round; others as they are."""
    for index, row in enumerate(sheet.rows[:12]):
        dates = [column for column, cell in enumerate(row) if cell != "" and style_of([cell]) not in ("", "clock", "epoch")]
        clock = _clock_column(sheet)
        if len(dates) >= 2 and len(dates) > len(row) / 3 and clock is not None and clock < dates[0]:
            titles = [[" ".join(str(cell) for cell in above if cell != "")] for above in sheet.rows[:index]]
            rows: list[list[Any]] = [*titles, ["dato", "klokke", "verdi"]]
            for column in dates:
                for below in sheet.rows[index + 1 :]:
                    if clock < len(below) and style_of([below[clock]]) == "clock":
                        rows.append([row[column], below[clock], below[column] if column < len(below) else ""])
            return sheet._replace(rows=rows)
    return sheet


def _clock_column(sheet: Sheet) -> int | None:
    some = [row for row in sheet.rows[1:200] if len(row) > 2]
    for column in range(min((len(row) for row in some), default=0)):
        if style_of([row[column] for row in some]) == "clock":
            return column
    return None


def melted(frame: Frame) -> Frame | None:
    """Return a wide frame with a row for each time, None where it is not wide."""
    dated = next(column for column, one in frame.moments.items() if one.has_date)
    times = _times([frame.headings[column].text for column in frame.numeric])
    if times is None or any(one.has_time for one in frame.moments.values() if one.has_date):
        return None
    columns = [column for column, second in zip(frame.numeric, times, strict=True) if second is not None]
    seconds = [second for second in times if second is not None]
    if len(columns) < _LEAST_TIMES:
        return None
    n, m = len(frame.rows), len(columns)
    others = [column for column in range(len(frame.headings)) if column not in frame.moments and column not in columns]
    stamps = frame.moments[dated]
    every = np.repeat(np.arange(n), m)
    moments = Stamps(
        stamps.valid[every], stamps.date[every], np.tile(np.array(seconds, np.int64), n), np.full(n * m, np.nan), stamps.style
    )
    rows = [["", cell, *(row[one] for one in others)] for row in frame.rows for cell in (row[column] for column in columns)]
    text = f"{frame.notes} {_common([frame.headings[column].text for column in columns])}"
    headings = [frame.headings[dated], read_heading("", read_heading(text).unit), *(frame.headings[one] for one in others)]
    return Frame(frame.sheet, rows, headings, text, {0: moments}, [1], frame.mark)


def _common(texts: Sequence[str]) -> str:
    """Return the words that all headings share."""
    shared = set(plain(texts[0]).split())
    for text in texts[1:]:
        shared &= set(plain(text).split())
    return " ".join(shared)


def _times(headings: Sequence[str]) -> list[int | None] | None:
    """Return the time of day that each heading begins at, s, None where it names none."""
    if len(headings) in (24, 25, 48, 96, 100) and not any(headings):
        step = 86_400 // (len(headings) if len(headings) % 24 == 0 else len(headings) // 25 * 24)
        return [index * step for index in range(len(headings))]
    found = [_time(text) for text in headings]
    times = [one for one in found if one is not None]
    if len(times) < _LEAST_TIMES:
        return None
    hours = {one for one, text in zip(found, headings, strict=True) if one is not None and re.fullmatch(r"\D*\d{1,2}\D*", text)}
    if len(hours) >= _LEAST_TIMES and 86_400 in hours and 0 not in hours:  # 1 to 24: hours by number
        return [None if one is None else one - 3600 for one in found]
    if 86_400 in times and 0 not in times:  # 00:15 to 24:00: ends
        step = min(times)
        return [None if one is None else one - step for one in found]
    return found


def _time(text: str) -> int | None:
    bare = re.sub(r"\s*[\[(].*?[\])]", "", text.strip().lower())
    if match := _DECIMAL.fullmatch(bare):
        return round(float(f"{match[1]}.{match[2]}") * 3600)
    if match := _CLOCK.fullmatch(bare):
        second = int(match[1]) * 3600 + int(match[2] or 0) * 60
        return second if second <= 86_400 else None
    return None
