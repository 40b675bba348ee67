"""Wide tables, a day a row and a time a column or the other way round, as one row for each time."""

import re
from collections.abc import Sequence
from datetime import timedelta
from itertools import islice
from typing import Any

import numpy as np

from api.plants.interpretation.frame import Frame
from api.plants.interpretation.headings import plain, read_heading
from api.plants.interpretation.times import DAY_S, Stamps, stamps_of, style_of
from api.plants.reading.workbook import Sheet

_LEAST_TIMES, _LEAST_DAYS, _HEAD_ROWS, _MOST_ROWS, _MOST_SERIES = 22, 5, 12, 200, 100
_CLOCK = re.compile(
    r"(?:kl|h|t|time|timme|hour|stunde|uur|heure|k? ?wh|k ?w)?[ .:]*(\d{1,2})(?:[:.h]([0-5]\d)(?::[0-5]\d)?)?"
    r"(?: ?(?:[-–]|til|to|bis|tot) ?\d{1,2}(?:[:.]\d{2}(?::\d{2})?)?)?(?: ?[hua*]| ?kwh| ?uhr)?"
)
_MIDNIGHTS = ("1 day, 0:00:00", "1900-01-01 00:00:00")  # 24:00 of Excel
_DECIMAL = re.compile(r"(\d{1,2})[.,](0|25|5|75|50|00)")
_IS_NUMBER = re.compile(r"\D*\d{1,2}(\.0)?\D*")


def is_daily(sheet: Sheet) -> bool:
    """Return whether a sheet has a column for each day and nothing for the time of day."""
    for index, row in enumerate(islice(sheet.rows, _HEAD_ROWS)):
        names = {str(cell).removesuffix(".0") for cell in row}
        if names.issuperset(map(str, range(1, 29))):  # days of the month
            return True
        dates = _dates(row)
        if len(dates) >= _LEAST_DAYS and len(dates) > len(row) / 3:
            return _clocks(sheet, index, dates[0]) is None
    return False


def upright(sheet: Sheet) -> Sheet:
    """Return a sheet with days as columns and times as rows turned round; others as they are."""
    for index, row in enumerate(sheet.rows[:_HEAD_ROWS]):
        dates = _dates(row)
        if len(dates) < 2 or len(dates) <= len(row) / 3 or (clocks := _clocks(sheet, index, dates[0])) is None:
            continue
        above = [" ".join(str(cell) for cell in line if cell != "") for line in sheet.rows[:index]]
        beside = " ".join(str(cell) for column, cell in enumerate(row) if column not in dates)
        turned: list[list[Any]] = [
            [row[column], timedelta(seconds=second), below[column] if column < len(below) else ""]
            for column in dates
            for second, below in zip(clocks, sheet.rows[index + 1 :], strict=True)
            if second is not None
        ]
        return sheet._replace(rows=[[" ".join([*above, beside])], ["dato", "klokke", ""], *turned])
    return sheet


def stood_up(sheet: Sheet) -> Sheet:
    """Return a sheet with moments across and a series in each row with the moments in a column; others as they are."""
    for index, row in enumerate(sheet.rows[:_HEAD_ROWS]):
        across = [place for place, cell in enumerate(row) if cell != "" and _has_clock(cell)]
        if len(across) < _LEAST_TIMES or len(across) <= len(row) / 2:
            continue
        series = [line for line in sheet.rows[index + 1 :] if len(line) > across[0]]
        if len(series) > _MOST_SERIES:
            return sheet
        names = [" ".join(str(cell) for place, cell in enumerate(line) if place < across[0]) for line in series]
        turned = [[row[place], *(line[place] if place < len(line) else "" for line in series)] for place in across]
        return sheet._replace(rows=[*sheet.rows[:index], ["tid", *names], *turned])
    return sheet


def _has_clock(cell: Any) -> bool:
    style = style_of([cell])
    return style not in ("", "clock") and stamps_of([cell], style).has_time


def _dates(row: Sequence[Any]) -> list[int]:
    """Return which cells of a row are dates without a time."""
    if len(row) < 3:
        return []
    styles = [style_of([cell]) for cell in row]
    return [
        column
        for column, style in enumerate(styles)
        if style in ("x", "y", "c", "moment") and not stamps_of([row[column]], style).has_time
    ]


def _clocks(sheet: Sheet, head: int, before: int) -> list[int | None] | None:
    """Return the second of the day that each row below a head begins at, by a column before the days."""
    below = sheet.rows[head + 1 :]
    if len(below) > _MOST_ROWS:
        return None
    for column in range(before):
        texts = [str(row[column]) if column < len(row) else "" for row in below]
        if (found := _times(texts)) is not None:
            return found
    return None


def melted(frame: Frame) -> Frame | None:
    """Return a wide frame with a row for each time, None where it is not wide."""
    dated = next(column for column, one in frame.moments.items() if one.has_date)
    times = _times([frame.headings[column].text for column in frame.numeric])
    if times is None or any(one.has_time for one in frame.moments.values() if one.has_date):
        return None
    columns = [column for column, second in zip(frame.numeric, times, strict=True) if second is not None]
    seconds = [second for second in times if second is not None]
    n, m = len(frame.rows), len(columns)
    others = [column for column in range(len(frame.headings)) if column not in frame.moments and column not in columns]
    stamps = frame.moments[dated].taken(np.repeat(np.arange(n), m))
    stamps = Stamps(stamps.valid, stamps.date, np.tile(np.array(seconds, np.int64), n), stamps.offset, stamps.style)
    rows = [["", row[column], *(row[one] for one in others)] for row in frame.rows for column in columns]
    text = f"{frame.notes} {_common([frame.headings[column].text for column in columns])}"
    unit = read_heading(text).unit or frame.headings[columns[0]].unit
    headings = [frame.headings[dated], read_heading("", unit), *(frame.headings[one] for one in others)]
    return Frame(frame.sheet, rows, headings, text, {0: stamps}, [1], frame.mark)


def _common(texts: Sequence[str]) -> str:
    """Return the words that all headings share."""
    shared = set(plain(texts[0]).split())
    for text in texts[1:]:
        shared &= set(plain(text).split())
    return " ".join(shared)


def _times(texts: Sequence[str]) -> list[int | None] | None:
    """Return the second of the day that each text begins at, None for those that name none; None for too few."""
    if len(texts) in (24, 25, 48, 96, 100) and not any(texts):
        step = DAY_S // (len(texts) if len(texts) % 24 == 0 else len(texts) // 25 * 24)
        return [index * step for index in range(len(texts))]
    found = [_time(text) for text in texts]
    times = [one for one in found if one is not None]
    if len(set(times)) < _LEAST_TIMES:
        return None
    numbered = [one for one, text in zip(found, texts, strict=True) if one is not None and _IS_NUMBER.fullmatch(text)]
    if len(numbered) >= _LEAST_TIMES and DAY_S in numbered and 0 not in numbered:  # 1 to 24: hours by number
        return [None if one is None else one - 3600 for one in found]
    step = min(one for one in times if one)
    if times[0] == step and times[-1] in (0, DAY_S):  # 00:15 to 24:00 or 00:00: ends
        return [None if one is None else (one - step) % DAY_S for one in found]
    return found


def _time(text: str) -> int | None:
    if text in _MIDNIGHTS:
        return DAY_S
    bare = re.sub(r"\s*[\[(].*?[\])]", "", plain(text) if text.isascii() else text.strip().lower())
    if match := _DECIMAL.fullmatch(text.strip()):
        second = round(float(f"{match[1]}.{match[2]}") * 3600)
    elif match := _CLOCK.fullmatch(bare):
        second = int(match[1]) * 3600 + int(match[2] or 0) * 60
    else:
        return None
    return second if second <= DAY_S else None
