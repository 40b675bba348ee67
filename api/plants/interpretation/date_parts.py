"""Tables with year, month and day, and perhaps hour and minute, in columns of their own."""

from typing import Any

from api.plants.interpretation.headings import plain, words
from api.plants.reading.workbook import Sheet

_HEAD_ROWS = 12


def with_dates(sheet: Sheet) -> Sheet:
    """Return a sheet with a column of dates, and one of times, in place of their parts; others as they are."""
    for index, row in enumerate(sheet.rows[:_HEAD_ROWS]):
        places = _places(row)
        if not {"year", "month", "day"} <= places.keys():
            continue
        parts = [places[one] for one in ("year", "month", "day", "hour", "minute") if one in places]
        parts, heads = (parts, ["dato", "klokke"]) if len(parts) == 5 else (parts[:3], ["dato"])
        rest = [column for column in range(max(map(len, sheet.rows))) if column not in parts]

        def turned(line: list[Any], first: list[str], rest: list[int] = rest) -> list[Any]:
            return [*first, *(line[column] if column < len(line) else "" for column in rest)]

        above = [turned(line, [""] * len(heads)) for line in sheet.rows[:index]]
        below = [turned(line, _stamp(line, parts)) for line in sheet.rows[index + 1 :]]
        return sheet._replace(rows=[*above, turned(row, heads), *below])
    return sheet


def _places(row: list[Any]) -> dict[str, int]:
    """Return the columns of the parts of a date, by the headings' words."""
    patterns = words()["parts"]
    names = [plain(cell) if isinstance(cell, str) else "" for cell in row]
    found = {part: [i for i, name in enumerate(names) if pattern.fullmatch(name)] for part, pattern in patterns.items()}
    return {part: columns[0] for part, columns in found.items() if columns}


def _stamp(line: list[Any], parts: list[int]) -> list[str]:
    try:
        numbers = [int(float(line[column])) for column in parts]
    except (IndexError, ValueError, OverflowError, TypeError):
        return [""] * (1 if len(parts) == 3 else 2)
    date = "{:04}-{:02}-{:02}".format(*numbers)
    return [date] if len(parts) == 3 else [date, "{:02}:{:02}".format(*numbers[3:])]
