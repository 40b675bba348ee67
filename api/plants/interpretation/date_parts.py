"""Tables whose dates stand apart: year, month and day in columns of their own, or a date above the times of its day."""

from typing import Any

from api.plants.interpretation.headings import plain, words
from api.plants.interpretation.times import stamps_of, style_of
from api.plants.reading.workbook import Sheet

_HEAD_ROWS = 12
_MOST_ABOVE = 3  # cells of a row that holds a date for those below


def with_dates(sheet: Sheet) -> Sheet:
    """Return a sheet with a column of dates, and one of times, in place of their parts; others as they are."""
    for index, row in enumerate(sheet.rows[:_HEAD_ROWS]):
        places = _places(row)
        if not {"year", "month", "day"} <= places.keys():
            continue
        parts = [places[one] for one in ("year", "month", "day", "hour", "minute") if one in places]
        parts, heads = (parts, ["dato", "klokke"]) if len(parts) == 5 else (parts[:3], ["dato"])

        def turned(line: list[Any], first: list[str], parts: list[int] = parts) -> list[Any]:
            return [*first, *(cell for column, cell in enumerate(line) if column not in parts)]

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


def with_dates_above(sheet: Sheet) -> Sheet:
    """Return a sheet with the date that stands above each block of times, or in the sheet's name, before each row."""
    step = max(1, len(sheet.rows) // 101)
    if style_of(row[0] for row in sheet.rows[::step] if row) != "clock":
        return sheet
    date: Any = _date_in(sheet.name)
    rows: list[list[Any]] = []
    known: dict[Any, tuple[Any, bool]] = {}
    for row in sheet.rows:
        given = [cell for cell in row if cell != ""]
        if given and given[0] not in known:
            known[given[0]] = _date_in(given[0]), style_of([given[0]]) == "clock"
        above, is_time = known[given[0]] if given else ("", False)
        date = above if above and len(given) <= _MOST_ABOVE else date
        rows.append([date if is_time else "" if date else "dato", *row])
    return sheet._replace(rows=rows) if date else sheet


def _date_in(cell: Any) -> Any:
    """Return a date that a cell holds, perhaps behind a word and a colon; empty where it holds none."""
    text = cell.rpartition(": ")[2] if isinstance(cell, str) else cell
    style = style_of([text])
    is_date = style in ("x", "y", "c", "moment") and not stamps_of([text], style).has_time
    return text if is_date else ""
