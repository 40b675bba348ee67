"""Where the data of a sheet begin, what stands above them, and which of its columns hold moments and numbers."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from api.plants.interpretation import numbers as of_numbers
from api.plants.interpretation.clock_column import find_clock
from api.plants.interpretation.frame import Frame
from api.plants.interpretation.headings import UNITS, Heading, read_heading, unit_in
from api.plants.interpretation.stamp_text import are_serials, serial_moment
from api.plants.interpretation.times import Stamps, stamps_of, style_of
from api.plants.reading.workbook import Sheet

_SAMPLED, _HEAD_ROWS, _MOST_COLUMNS = 80, 12, 400
_LONGEST_UNIT, _LONGEST_NAME, _LONGEST_HEADING = 8, 60, 200


def frame_of(sheet: Sheet, number: int, delimiter: str = "") -> Frame | None:
    """Return the data of a sheet, None where no column holds moments.

    Parameters
    ----------
    sheet : Sheet
    number : int
        Of the sheet.
    delimiter : str
        Of a text file.
    """
    sampled = _sample(sheet.rows)
    if not sampled:
        return None
    width = min(max(map(len, sampled)), _MOST_COLUMNS)
    columns = [_cells(sampled, column) or _cells(sheet.rows, column) for column in range(width)]
    if are_serials(columns[0]):
        rows = [[serial_moment(row[0]) or row[0], *row[1:]] if row else row for row in sheet.rows]
        return frame_of(sheet._replace(rows=rows), number, delimiter)
    styles = {column: style for column, cells in enumerate(columns) if (style := style_of(cells))}
    dated = [column for column, style in styles.items() if style != "clock"]
    if not dated:
        return None
    first, kept, stamps = _data_rows(sheet.rows, dated[0], styles[dated[0]], width)
    if not kept:
        return None
    headings, notes = _headings(sheet.rows[:first], width, sheet)
    frame = Frame(number, kept, headings, notes, {dated[0]: stamps}, [], "")
    _add_moments(frame, styles, dated)
    frame.numeric = [column for column in range(width) if column not in frame.moments and _is_numeric(columns[column])]
    if not any(one.has_time for one in frame.moments.values()):
        find_clock(frame)
    step = max(1, len(kept) // 2000)
    texts = (row[column] for row in kept[::step] for column in frame.numeric if isinstance(row[column], str))
    frame.mark = of_numbers.decimal_mark(texts, delimiter)
    add_units(frame)
    return frame


def _sample(rows: Sequence[list[Any]]) -> list[list[Any]]:
    """Return rows from all over a sheet, of those that are as long as most."""
    step = max(1, len(rows) // 400)
    some = [row for row in rows[::step] if any(cell != "" for cell in row)]
    if not some:
        return []
    lengths = Counter(len(row) for row in some)
    usual = max(lengths, key=lambda length: (lengths[length] * (length > 1), length))
    alike = [row for row in some if len(row) >= usual - 1]
    return alike[len(alike) // 10 :: max(1, len(alike) // _SAMPLED)] or alike


def _cells(rows: Sequence[list[Any]], column: int) -> list[Any]:
    """Return some cells of a column that are not empty."""
    return list(islice((row[column] for row in rows if column < len(row) and row[column] != ""), _SAMPLED))


def _data_rows(rows: list[list[Any]], column: int, style: str, width: int) -> tuple[int, list[list[Any]], Stamps]:
    """Return the number of the first row with a moment in a column, all rows that have one, and their moments.

    Where one date stands above all of its rows, as merged cells do, it counts for each.
    """
    cells = [row[column] if column < len(row) else "" for row in rows]
    stamps = stamps_of(cells, style)
    if not stamps.valid.any():
        return 0, [], stamps
    first = int(np.argmax(stamps.valid))
    empty = np.array([cell == "" for cell in cells])
    empty[: first + 1] = False
    if empty.sum() > 2 * stamps.valid.sum():
        filled = np.array([any(cell != "" for cell in row) for row in rows]) & empty | stamps.valid
        last = np.maximum.accumulate(np.where(stamps.valid, np.arange(len(rows)), first))
        stamps = stamps.taken(last)._replace(valid=filled)
    places = np.flatnonzero(stamps.valid)
    kept = [
        row if len(row) == width else row[:width] if len(row) > width else [*row, *[""] * (width - len(row))]
        for row in map(rows.__getitem__, places.tolist())
    ]
    return first, kept, stamps.taken(places)


def _headings(above: list[list[Any]], width: int, sheet: Sheet) -> tuple[list[Heading], str]:
    """Return the headings of columns, and the titles above them."""
    texts = [[str(cell).strip()[:_LONGEST_HEADING] for cell in row] for row in above[-_HEAD_ROWS:]]
    heads = _head_rows(texts, width)
    names = [""] * width
    for index in heads:
        row = _spread(texts[index]) if index != heads[-1] and texts[index][:1] == [""] else texts[index]
        for column in range(min(width, len(row))):
            if row[column] and row[column] not in names[column]:
                names[column] = f"{names[column]} {row[column]}".strip()
    titles = [" ".join(cell for cell in row if cell) for index, row in enumerate(texts) if index not in heads]
    context = [f"{name} {value}" for name, value in sheet.context.items()]
    return [read_heading(name) for name in names], " ".join([sheet.name, *titles, *context])


def _head_rows(texts: list[list[str]], width: int) -> list[int]:
    """Return which rows above the data are headings: the last one, and those above it that are as wide."""
    heads: list[int] = []
    for index in range(len(texts) - 1, -1, -1):
        row = texts[index]
        count = sum(map(bool, row))
        if not count:
            continue
        if not heads:
            if len(row) > 2 * width + 2 or (count < min(2, width) and not _is_units(row)):
                return []
            heads.append(index)
            continue
        is_wide = width >= 4 and count >= 0.6 * width and len(row) <= width + 1
        is_merged = width >= 4 and count >= 2 and row[0] == ""
        if not is_wide and not is_merged and not _is_units(texts[heads[0]]):
            break
        heads.insert(0, index)
    return heads


def _is_units(row: list[str]) -> bool:
    """Return whether a row holds units, such as `[kWh]`, under the headings."""
    cells = [cell for cell in row[1:] if cell]
    return bool(cells) and all(len(cell) <= _LONGEST_UNIT and unit_in(cell) for cell in cells)


def _spread(row: list[str]) -> list[str]:
    """Return a row of merged headings with each one over all of its columns."""
    last, out = "", []
    for cell in row:
        last = cell if cell.strip() else last
        out.append(last)
    return out


def _add_moments(frame: Frame, styles: dict[int, str], dated: list[int]) -> None:
    for column in [*dated[1:], *(one for one in styles if one not in dated)]:
        found = stamps_of(frame.cells(column), styles[column])
        if found.valid.mean() > 0.5:
            frame.moments[column] = found
    moving = [column for column, one in frame.moments.items() if _moves(one)]
    if any(frame.moments[column].has_date for column in moving):  # others say when the file was made
        frame.moments = {column: frame.moments[column] for column in moving}


def _moves(stamps: Stamps) -> bool:
    given = np.column_stack([stamps.date, stamps.second])[stamps.valid]
    return bool((given != given[0]).any())


def _is_numeric(cells: Sequence[Any]) -> bool:
    given = [cell for cell in cells if cell != "" and not of_numbers.is_missing(cell)]
    return bool(given) and sum(map(of_numbers.is_number, given)) >= 0.8 * len(given)


def add_units(frame: Frame) -> None:
    """Add the units that stand behind numbers, in a column of their own, or in a text that all rows share.

    Numbers with several of them are written in one. A column of units is that of the numbers right before it, where
    several columns hold numbers.
    """
    columns = [one for one in range(len(frame.headings)) if one not in frame.moments and one not in frame.numeric]
    shared = {column: text for column in columns if (text := _only_text(frame.cells(column)))}
    units = {column: unit for column, text in shared.items() if len(text) <= _LONGEST_UNIT and (unit := unit_in(text))}
    names = [text for text in shared.values() if _LONGEST_UNIT < len(text) <= _LONGEST_NAME]
    if names:  # such as Home Assistant's entities
        frame.notes = " ".join([frame.notes, *names])
    of_all = set(units.values()) if not any(column - 1 in frame.numeric for column in units) else set()
    of_all = set(units.values()) if len(frame.numeric) == 1 else of_all
    scaled: dict[int, list[float]] = {}
    for column in frame.numeric:
        heading = frame.headings[column]
        behind = _unit_of_cells(frame, column, scaled)
        unit = (
            behind or units.get(_after(column, frame.numeric), "") or (next(iter(of_all)) if len(of_all) == 1 else "")
        )
        if not heading.unit and unit and heading.role not in ("other", "inverter_id"):
            frame.headings[column] = read_heading(heading.text, unit)
    if scaled:
        frame.rows = [
            [scaled[column][place] if column in scaled else cell for column, cell in enumerate(row)]
            for place, row in enumerate(frame.rows)
        ]


def _after(column: int, numeric: Sequence[int]) -> int:
    """Return the first column behind a column that holds no numbers."""
    while column in numeric:
        column += 1
    return column


def _unit_of_cells(frame: Frame, column: int, scaled: dict[int, list[float]]) -> str:
    """Return the unit behind the numbers of a column; where there are several prefixes, add the numbers in one."""
    cells = frame.cells(column)
    if not of_numbers.units_of_cells(cells[:: max(1, len(cells) // 200)]):
        return ""
    units = {unit: unit_in(unit) for unit in of_numbers.units_of_cells(set(cells))}
    found = {unit for unit in units.values() if unit}
    for base in ("W", "Wh"):
        if len(found) > 1 and all(unit.endswith(base) for unit in found):
            stated = frame.headings[column].unit
            one = stated if stated.endswith(base) else base
            factors = {text: UNITS[unit.upper()] / UNITS[one.upper()] for text, unit in units.items() if unit}
            scaled[column] = of_numbers.scaled(cells, frame.mark, factors)
            return one
    return found.pop() if len(found) == 1 else ""


def _only_text(cells: Sequence[Any]) -> str:
    """Return the text that all cells of a column share, empty where there are several."""
    texts = {cell for cell in cells[:2000] if cell != ""}
    return str(texts.pop()).strip() if len(texts) == 1 else ""
